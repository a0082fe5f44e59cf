/** What is to be told, and in which language. */
export interface Brief {
  readonly title: string;
  readonly prompt: string | null;
  readonly source: string | null;
  /** English name or BCP 47 tag. */
  readonly language: string | null;
}

/** A chapter before it has an id. */
export interface ChapterDraft {
  readonly title: string;
  readonly summary: string;
}

/** Writes outlines: a language model, or the extractive writer. */
export interface Writer {
  /** Exactly `count` chapters; as many as fit the matter when absent. */
  chapters(brief: Brief, count: number | undefined, signal?: AbortSignal): Promise<ChapterDraft[]>;
  /** What is spoken in `chapters[index]`. */
  script(brief: Brief, chapters: readonly ChapterDraft[], index: number, signal?: AbortSignal): Promise<string>;
}

/** Why a language model gave nothing that can be used. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** Most chapters that are asked for. */
export const MAX_CHAPTERS = 20;
