/** Live presenters over WebRTC: text in, sound and picture of a talking presenter out. */
export { type FrameCost, measureFrameCost } from './capacity.js';
export * from './contract.js';
export { type LiveHostOptions, openLiveHost } from './host.js';
export { type TurnSettings, turnCredentials } from './turn.js';
