import type { RenderReport } from '@figurehead/contract';
import type { Problem, VideoDocument } from '@figurehead/contract/document';
import type { PresenterPack } from '@figurehead/presenter';
import type { ByteStore } from '../folder-store.js';
import type { Assets } from '../scene/assets.js';
import type { PackSource } from '../scene/resolved-slide.js';
import type { Fonts } from '../scene/text/fonts.js';
import type { SpeakOptions, Speech } from '../speech/catalogue.js';
import type { ProviderName } from '../speech/contract.js';
import type { ThreadCache } from './segments/drawing-threads.js';
import type { SegmentCache } from './segments/segments.js';

/** The requested voice of a slide; `null` selects the default. */
export interface VoiceRequest {
  readonly voice: string | null;
  readonly provider: string | null;
  readonly language: string | null;
  /** Code of the presenter: a slide without a voice gets one that matches it. */
  readonly avatar: string | null;
}

/** An available voice and its settings. */
export interface ResolvedVoice extends Omit<SpeakOptions, 'signal' | 'fresh'> {
  readonly provider: ProviderName;
}

/** Caches shared by renders. Without a cache its content is computed each time. */
export interface RenderCaches {
  readonly segments?: SegmentCache;
  /** Drawn slides. */
  readonly drawings?: ByteStore;
  readonly speech?: ByteStore;
}

/** External dependencies of a render. Any function may reject with a `ResourceOutage`, which ends the render with that error. */
export interface RenderResources {
  readonly speech: Pick<Speech, 'utter' | 'recorded'>;
  /** Rejects when there is no such voice; the message is shown to the user. */
  resolveVoice(request: VoiceRequest): Promise<ResolvedVoice>;
  /** Rejects when there is no presenter with this code; the message is shown to the user. */
  resolvePack(code: string): Promise<PackSource>;
  /** Rejects with a `FontError`. */
  fonts(): Promise<Fonts>;
  /** Media of the document; recordings are files. */
  readonly assets: Assets;
  caches?(): Promise<RenderCaches>;
  /** Reads presenter packs; share one per process, see `createPackLoader`. When absent, each render reads them once. */
  readonly loadPack?: (folder: string) => Promise<PresenterPack>;
  /** Reuses drawing threads between renders; share one per process. When absent, each render starts its own. */
  readonly threadCache?: ThreadCache;
  /** H.264 is encoded on the graphics card. */
  readonly nvenc?: boolean;
  /** Threads that draw and encode; all processors when absent. */
  readonly threads?: number;
}

/** Progress of a render; `progress` 0 to 1. */
export interface RenderProgress {
  readonly progress: number;
  /** Current stage: `speech`, `drawing`, `encoding`. */
  readonly stage: string;
}

/** A document to render. */
export interface RenderJob {
  readonly document: VideoDocument;
  /** Known problems of the document; their errors are thrown together with newly found ones. */
  readonly problems?: readonly Problem[];
  readonly resources: RenderResources;
  /** An empty folder for the finished files and temporary ones. The caller removes it. */
  readonly output: string;
  /** Stops the render within a second; it then throws the signal's reason. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: RenderProgress) => void;
}

/** A part of a slide that came from an earlier render. */
export type Reuse = RenderReport['slides'][number]['reused'][number];

/** Finished files in the output folder. */
export interface RenderedFiles {
  /** Its extension is that of the container: `.mp4` or `.webm`. */
  readonly video: string;
  readonly thumbnailJpeg: string;
  readonly thumbnailWebp: string;
  readonly vtt: string;
  readonly srt: string;
  /** A `LipSync` as JSON, compressed with gzip. */
  readonly lipSync: string;
  /** Present when the document requests one. */
  readonly gif?: string;
  readonly durationSeconds: number;
  readonly report: RenderReport;
}

/** A document cannot be rendered. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';

  /** @param problems at least one. */
  constructor(
    readonly problems: readonly Problem[],
    options?: ErrorOptions,
  ) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join('; '), options);
  }
}

/** A slide could not be drawn or encoded, and its document is not the cause: a retry may succeed. */
export class SlideFailure extends Error {
  override readonly name = 'SlideFailure';

  /** @param slide index in the document. */
  constructor(slide: number, reason: string, options?: ErrorOptions) {
    super(`slides[${slide}]: the slide could not be drawn or encoded: ${reason}`, options);
  }
}
