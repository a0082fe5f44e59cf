// Imports Pipecat's packages like its users; `pageScript` bundles this file.
export { PipecatClient } from '@pipecat-ai/client-js';
export { SmallWebRTCTransport, WavMediaManager } from '@pipecat-ai/small-webrtc-transport';
