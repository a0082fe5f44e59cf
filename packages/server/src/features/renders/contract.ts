import type { FieldError, Slide } from '@figurehead/contract';

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

/** Finished files in the run's folder. */
export interface RenderedFiles {
  readonly video: string;
  readonly thumbnailJpeg: string;
  readonly thumbnailWebp: string;
  readonly vtt: string;
  readonly srt: string;
  readonly durationSeconds: number;
  readonly frames: number;
  readonly segments: number;
  /** Segments taken from the cache instead of encoded. */
  readonly reusedSegments: number;
  /** Same picture, sound and settings give the same hash. */
  readonly contentHash: string;
}

/** The engine as renders see it. Who creates it closes it. */
export interface RenderPipeline {
  /** Every problem that rendering would meet, without rendering. */
  validate(video: FrozenVideo): Promise<DocumentProblem[]>;
  /** Throws {@link RenderProblem} for what is wrong with the document. */
  render(video: FrozenVideo, context: RenderContext): Promise<RenderedFiles>;
  close(): Promise<void>;
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
