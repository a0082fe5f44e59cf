/**
 * Public entry of the engine: text → speech → face → frames → MP4 or RTP. Independent of workspaces, HTTP and the
 * database.
 */

export * from '@figurehead/presenter/face';
export * from './basic.js';
export * from './encode/index.js';
export { type ByteStore, openFolderStore } from './folder-store.js';
// The rest of `live` has a separate entry, because it loads native code that only stream hosts need.
export * from './live/contract.js';
export { type IceServerAddress, parseIceUrl } from './live/transport/ice-url.js';
export type { PortRange } from './live/transport/port-probe.js';
export { STUN_COOKIE, STUN_HEADER, stunAttributes, stunIntegrity } from './live/transport/stun.js';
export { turnCredentials } from './live/transport/turn.js';
export * from './presenter/index.js';
export * from './render/index.js';
export * from './scene/index.js';
export * from './speech/index.js';
