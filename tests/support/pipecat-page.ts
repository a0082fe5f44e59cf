// The packages of Pipecat as its users import them; `pageScript` makes a script of it.
export { PipecatClient } from '@pipecat-ai/client-js';
export { SmallWebRTCTransport, WavMediaManager } from '@pipecat-ai/small-webrtc-transport';
