import type { FieldError, Slide } from '@figurehead/contract';
import type {
  RenderedFiles,
  RenderedSpan,
  RenderPlan,
  RenderProgress,
  SharedFiles,
  SlideSpan,
  SpeechTurn,
} from '@figurehead/media';

/** A snapshot of a video from when rendering was requested; later changes of the document do not affect it. */
export interface FrozenVideo {
  readonly workspaceId: string;
  readonly videoId: string;
  readonly name: string;
  readonly slides: readonly Slide[];
  readonly data: Readonly<Record<string, unknown>>;
  /** Shrinks text until it fits its box, for values in templates. */
  readonly fitTextBox: boolean;
  /** Problems found when rendering was requested, such as a missing value in a row of a batch. */
  readonly problems?: readonly DocumentProblem[];
}

/** A problem that prevents rendering; `field` as in the API's `errors`. */
export type DocumentProblem = FieldError;

/** Context of one run of the engine. */
export interface RenderContext {
  /** Empty; the caller removes it with its content afterwards. */
  readonly folder: string;
  /** Stops the run within a second; it then throws the signal's reason. */
  readonly signal: AbortSignal;
  onProgress(progress: RenderProgress): void;
}

/** The engine for stored videos. Documents that cannot be rendered throw {@link RenderProblem}. */
export interface RenderPipeline {
  /** Every problem that rendering would report, without rendering. */
  validate(video: FrozenVideo): Promise<DocumentProblem[]>;
  /**
   * Synthesises the speech and plans the timing; with several spans it is worth several workers. Throws a `SpeechError` `interrupted` at the end
   * of the turn: a later call goes on from the workspace's cache.
   */
  plan(video: FrozenVideo, context: RenderContext, turn?: SpeechTurn): Promise<RenderPlan>;
  /** Renders a document to files; `plan` from {@link plan} in the same folder, created here when absent. */
  render(video: FrozenVideo, context: RenderContext, plan?: RenderPlan): Promise<RenderedFiles>;
  /** Writes the parts of a plan that other workers need to the run's folder. */
  share(video: FrozenVideo, context: RenderContext, plan: RenderPlan): Promise<SharedFiles>;
  /** Draws and encodes a span into the cache; `plan` is the file written by {@link share}. */
  renderSpan(
    video: FrozenVideo,
    context: RenderContext,
    part: { readonly plan: string; readonly span: SlideSpan },
  ): Promise<RenderedSpan>;
  /** Joins rendered spans into the files of {@link render}. Spans missing in the cache are drawn again. */
  join(
    video: FrozenVideo,
    context: RenderContext,
    parts: SharedFiles & { readonly spans: readonly (SlideSpan & RenderedSpan)[] },
  ): Promise<RenderedFiles>;
}

/** A document cannot be rendered; the message is the summary in the video and its event. */
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
