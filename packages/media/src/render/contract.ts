import type { RenderReport } from '@figurehead/contract';
import type { Problem, VideoDocument } from '@figurehead/contract/document';
import type { ByteStore } from '../folder-store.js';
import type { PresenterPack } from '../presenter/contract.js';
import type { Assets } from '../scene/assets.js';
import type { PackSource } from '../scene/resolved-slide.js';
import type { Fonts } from '../scene/text/fonts.js';
import type { SpeakOptions, Speech } from '../speech/catalogue.js';
import type { ProviderName } from '../speech/contract.js';
import type { ThreadKeeper } from './segments/drawing-threads.js';
import type { SegmentCache } from './segments/segments.js';

/** What a slide asks for; `null` takes the default of whoever resolves it. */
export interface VoiceWish {
  readonly voice: string | null;
  readonly provider: string | null;
  readonly language: string | null;
  /** Code of the presenter who speaks: a slide that names no voice takes one that fits. */
  readonly avatar: string | null;
}

/** A voice that can be spoken with, and how. */
export interface ResolvedVoice extends Omit<SpeakOptions, 'signal' | 'fresh'> {
  readonly provider: ProviderName;
}

/** What is kept between renders. What is absent is made each time. */
export interface RenderCaches {
  readonly segments?: SegmentCache;
  /** Drawn slides. */
  readonly drawings?: ByteStore;
  readonly speech?: ByteStore;
}

/** Everything that a render takes from outside. */
export interface RenderResources {
  readonly speech: Pick<Speech, 'utter'>;
  /** Rejects when there is no such voice; the message is for people. */
  resolveVoice(wish: VoiceWish): Promise<ResolvedVoice>;
  /** Rejects when there is no presenter of this code; the message is for people. */
  resolvePack(code: string): Promise<PackSource>;
  /** Rejects with a `FontError`. */
  fonts(): Promise<Fonts>;
  /** Media that the document names. */
  readonly assets: Assets;
  caches?(): Promise<RenderCaches>;
  /** Reads presenter packs; one for the whole process, see `keepPacks`. Read once a render when absent. */
  readonly loadPack?: (folder: string) => Promise<PresenterPack>;
  /** Keeps drawing threads between renders; one for the whole process. Started for each render when absent. */
  readonly threadKeeper?: ThreadKeeper;
  /** H.264 is encoded on the graphics card. */
  readonly nvenc?: boolean;
  /** Threads that draw and encode; all processors when absent. */
  readonly threads?: number;
}

/** How far a render is; `progress` 0 to 1. */
export interface RenderProgress {
  readonly progress: number;
  /** What it does now, for people: `speech`, `drawing`, `encoding`. */
  readonly stage: string;
}

/** A document that is to be rendered. */
export interface RenderJob {
  readonly document: VideoDocument;
  /** Remarks on the document that are known already; errors among them are thrown together with what is found. */
  readonly problems?: readonly Problem[];
  readonly resources: RenderResources;
  /** An empty folder: it takes the finished files and what is written on the way. The caller removes it. */
  readonly output: string;
  /** Stops the render within a second; it then throws the signal's reason. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: RenderProgress) => void;
}

/** What of a slide came from an earlier render. */
export type Reuse = RenderReport['slides'][number]['reused'][number];

/** What was rendered. */
export interface RenderedReport {
  /** SHA-256 over the encoder's settings and the shots: equal hashes, equal frames. */
  readonly contentHash: string;
  readonly frames: number;
  readonly segments: number;
  /** Segments that came from the cache. */
  readonly reusedSegments: number;
  readonly slides: {
    readonly id: number;
    readonly reused: Reuse[];
    /** `<mark>`s of the slide's SSML, in seconds of the video; absent where it has none. */
    readonly marks?: { readonly name: string; readonly at: number }[];
  }[];
}

/** Finished files in the output folder. */
export interface RenderedFiles {
  /** Its extension names the container: `.mp4` or `.webm`. */
  readonly video: string;
  readonly thumbnailJpeg: string;
  readonly thumbnailWebp: string;
  readonly vtt: string;
  readonly srt: string;
  /** A `LipSyncSheet` as JSON, compressed with gzip. */
  readonly lipSync: string;
  /** Present when the document asks for one. */
  readonly gif?: string;
  readonly durationSeconds: number;
  readonly report: RenderedReport;
}

/** Why a document cannot be rendered. */
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

/** A slide that could not be drawn or encoded for a reason that its document does not explain: another try may succeed. */
export class SlideFailure extends Error {
  override readonly name = 'SlideFailure';

  /** @param slide index in the document. */
  constructor(slide: number, reason: string, options?: ErrorOptions) {
    super(`slides[${slide}]: the slide could not be drawn or encoded: ${reason}`, options);
  }
}
