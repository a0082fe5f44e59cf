import type { FieldError, RenderReport, Slide } from '@figurehead/contract';

export type { RenderReport };

/** A video as it was when rendering was requested: the engine works on this copy, whatever happens to the document. */
export interface FrozenVideo {
  readonly workspaceId: string;
  readonly videoId: string;
  readonly name: string;
  readonly slides: readonly Slide[];
  readonly data: Readonly<Record<string, unknown>>;
  /** Text shrinks until it fits its box, for values put into templates. */
  readonly fitTextBox: boolean;
  /** What was wrong already when it was requested, such as a row of a batch without a value. */
  readonly problems?: readonly DocumentProblem[];
}

/** Something that keeps a document from being rendered; `field` as in the API's `errors`. */
export type DocumentProblem = FieldError;

/** How far a render is; `progress` 0 to 1. */
export interface RenderProgress {
  readonly progress: number;
  /** What it does now, for people: `speech`, `drawing`, `encoding`. */
  readonly stage: string;
}

/** What one run of the engine gets. */
export interface RenderContext {
  /** Empty; the caller removes it afterwards with all that lies in it. */
  readonly folder: string;
  /** Stops the run within a second; it then throws the signal's reason. */
  readonly signal: AbortSignal;
  onProgress(progress: RenderProgress): void;
}

/** What of a slide came from an earlier rendering. */
export type Reuse = RenderReport['slides'][number]['reused'][number];

/** Finished files in the run's folder. */
export interface RenderedFiles {
  /** Its extension names the container: `.mp4` or `.webm`. */
  readonly video: string;
  readonly thumbnailJpeg: string;
  readonly thumbnailWebp: string;
  readonly vtt: string;
  readonly srt: string;
  /** A `LipSync` as JSON, compressed with gzip. */
  readonly lipSync: string;
  /** Where one was asked for. */
  readonly gif?: string;
  readonly durationSeconds: number;
  readonly report: RenderReport;
}

/** Slides `from` (inclusive) to `to` (exclusive) of a long video: the work of one job. */
export interface SlideSpan {
  readonly from: number;
  readonly to: number;
  readonly frames: number;
}

/** What a span's job leaves. Its encoded segments lie in the cache. */
export interface RenderedSpan {
  /** In order. */
  readonly segments: readonly { readonly key: string; readonly reused: boolean }[];
  readonly shotKeys: readonly string[];
  /** What was reused for each slide's pictures. */
  readonly reuse: readonly (readonly Reuse[])[];
  /** The frame, counted from the span's first, that shows its first slide at its best. */
  readonly goodFrame: number;
}

/** Files that every worker of a spread video needs. */
export interface SharedFiles {
  /** When everything is said and shown. */
  readonly score: string;
  /** The whole encoded soundtrack. */
  readonly sound: string;
}

/** A video that is spoken and planned: what is left are its pictures. */
export interface PreparedRender {
  /** One span: too short to be spread. */
  readonly spans: readonly SlideSpan[];
  /** Draws, encodes and joins it here. */
  finish(): Promise<RenderedFiles>;
  /** Writes what other workers need into the run's folder. */
  share(): Promise<SharedFiles>;
}

/** The engine as renders see it. Who creates it closes it. Documents that cannot be rendered throw {@link RenderProblem}. */
export interface RenderPipeline {
  /** Every problem that rendering would meet, without rendering. */
  validate(video: FrozenVideo): Promise<DocumentProblem[]>;
  /** From document to files in one go. */
  render(video: FrozenVideo, context: RenderContext): Promise<RenderedFiles>;
  /** Speaks and plans it. */
  prepare(video: FrozenVideo, context: RenderContext): Promise<PreparedRender>;
  /** Draws and encodes a span into the cache; `score` is the file that {@link PreparedRender.share} wrote. */
  renderSpan(
    video: FrozenVideo,
    part: { readonly score: string; readonly span: SlideSpan },
    context: RenderContext,
  ): Promise<RenderedSpan>;
  /** Joins rendered spans into the files that {@link PreparedRender.finish} gives. What the cache has lost is drawn again. */
  join(
    video: FrozenVideo,
    parts: SharedFiles & { readonly spans: readonly (SlideSpan & RenderedSpan)[] },
    context: RenderContext,
  ): Promise<RenderedFiles>;
  close(): Promise<void>;
}

/** A slide that could not be drawn or encoded, by no fault of its document that is known: another try may do it. */
export class SlideFailure extends Error {
  override readonly name = 'SlideFailure';

  /** @param slide index in the document. */
  constructor(slide: number, reason: string, options?: ErrorOptions) {
    super(`slides[${slide}]: the slide could not be drawn or encoded: ${reason}`, options);
  }
}

/** Why a document cannot be rendered; the message is the summary that the video and its event carry. */
export class RenderProblem extends Error {
  readonly problems: readonly DocumentProblem[];

  /** @param problems at least one, or a sentence about the whole video. */
  constructor(problems: readonly DocumentProblem[] | string, options?: ErrorOptions) {
    const list = typeof problems === 'string' ? [{ field: '', message: problems }] : problems;
    super(summaryOf(list), options);
    this.name = 'RenderProblem';
    this.problems = list;
  }
}

function summaryOf(problems: readonly DocumentProblem[]): string {
  const [first, ...rest] = problems;
  if (first === undefined) return 'The video cannot be rendered.';
  const text = first.field === '' ? first.message : `${first.field}: ${first.message}`;
  return rest.length === 0 ? text : `${text} (and ${rest.length} more)`;
}
