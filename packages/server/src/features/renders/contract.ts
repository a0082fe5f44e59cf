import type { FieldError, Slide } from '@figurehead/contract';
import type {
  RenderedFiles,
  RenderedSpan,
  RenderPlan,
  RenderProgress,
  SharedFiles,
  SlideSpan,
} from '@figurehead/media';

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

/** What one run of the engine gets. */
export interface RenderContext {
  /** Empty; the caller removes it afterwards with everything in it. */
  readonly folder: string;
  /** Stops the run within a second; it then throws the signal's reason. */
  readonly signal: AbortSignal;
  onProgress(progress: RenderProgress): void;
}

/** The engine for stored videos. Documents that cannot be rendered throw {@link RenderProblem}. */
export interface RenderPipeline {
  /** Every problem that rendering would meet, without rendering. */
  validate(video: FrozenVideo): Promise<DocumentProblem[]>;
  /** Speaks a video and lays it out in time; more than one span: it is worth several workers. */
  plan(video: FrozenVideo, context: RenderContext): Promise<RenderPlan>;
  /** From document to files; `plan` as {@link plan} gave it in the same folder, made here when absent. */
  render(video: FrozenVideo, context: RenderContext, plan?: RenderPlan): Promise<RenderedFiles>;
  /** Writes what other workers need of a plan into the run's folder. */
  share(video: FrozenVideo, context: RenderContext, plan: RenderPlan): Promise<SharedFiles>;
  /** Draws and encodes a span into the cache; `plan` is the file that {@link share} wrote. */
  renderSpan(
    video: FrozenVideo,
    context: RenderContext,
    part: { readonly plan: string; readonly span: SlideSpan },
  ): Promise<RenderedSpan>;
  /** Joins rendered spans into the files that {@link render} gives. What the cache has lost is drawn again. */
  join(
    video: FrozenVideo,
    context: RenderContext,
    parts: SharedFiles & { readonly spans: readonly (SlideSpan & RenderedSpan)[] },
  ): Promise<RenderedFiles>;
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
