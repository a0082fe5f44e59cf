/** Live presenters over WebRTC: text in, audio and video of a talking presenter out. */

export * from './contract.js';
export { type LiveHostOptions, openLiveHost } from './host.js';
export { LiveKitRoom, type RoomEvent, type RoomListener, type RoomOptions } from './livekit/room.js';
export { type TurnSettings, turnCredentials } from './transport/turn.js';
export { type FrameCost, measureFrameCost } from './video/capacity.js';
