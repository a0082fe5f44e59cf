import type { FieldError, Slide } from '@figurehead/contract';
import type {
  joinSpans,
  planDocument,
  RenderProgress,
  renderDocument,
  renderSpan,
  shareDocument,
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

/** Stages of the engine by name; each is documented at its function. */
export interface RenderStages {
  /** Synthesises the speech and plans the timing; with several spans it is worth several workers. */
  readonly plan: typeof planDocument;
  readonly render: typeof renderDocument;
  readonly share: typeof shareDocument;
  readonly span: typeof renderSpan;
  readonly join: typeof joinSpans;
}

/** A stage after its job, as a function of what it needs besides. */
type Input<Name extends keyof RenderStages> =
  Parameters<RenderStages[Name]> extends [unknown, ...infer Rest] ? Rest : never;

/** The engine for stored videos. Documents that cannot be rendered throw {@link RenderProblem}. */
export interface RenderPipeline {
  /** Every problem that rendering would report, without rendering. */
  validate(video: FrozenVideo): Promise<DocumentProblem[]>;
  run<Name extends keyof RenderStages>(
    stage: Name,
    video: FrozenVideo,
    context: RenderContext,
    ...input: Input<Name>
  ): ReturnType<RenderStages[Name]>;
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
