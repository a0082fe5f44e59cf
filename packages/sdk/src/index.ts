/** Client of Figurehead for Node and browsers: typed calls, webhook verification, live streams. */
export type * from '@figurehead/contract';
export {
  type CallInput,
  type CallOutput,
  type CallResult,
  createClient,
  type Figurehead,
} from './client.js';
export { type Downloadable, type DownloadOptions, downloadVideo } from './download-video.js';
export {
  AuthenticationError,
  ChangedSinceError,
  ConnectionError,
  type FailureDetails,
  FigureheadError,
  ForbiddenError,
  IdempotencyError,
  NotFoundError,
  QuotaError,
  RateLimitError,
  ServerError,
  ValidationError,
  VideoError,
} from './errors.js';
export { LiveStream, type LiveStreamEvents, type LiveStreamOptions, type Utterance } from './live-stream.js';
export type { LiveStreamStats } from './live-stream-stats.js';
export type { ItemOf, Listing } from './pages.js';
export {
  type SoundOptions,
  type SoundPiece,
  type SpokenSound,
  speakSoundPieces,
} from './sound-pieces.js';
export { speakPieces, type TextInPieces } from './text-pieces.js';
export {
  type CallOptions,
  type ClientOptions,
  etagOf,
  type FileInput,
  type SoundRate,
  type SoundSocket,
} from './transport.js';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from './verify-webhook.js';
export { type ReadyVideo, renderAndWait, type WaitOptions, waitForVideo } from './wait-for-video.js';
