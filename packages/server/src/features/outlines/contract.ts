/** Subject of an outline, and its language. */
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
  /** Exactly `count` chapters; when absent, as many as suit the material. */
  chapters(brief: Brief, count: number | undefined, signal?: AbortSignal): Promise<ChapterDraft[]>;
  /** The script of `chapters[index]`. */
  script(brief: Brief, chapters: readonly ChapterDraft[], index: number, signal?: AbortSignal): Promise<string>;
}

/** Maximum number of chapters. */
export const MAX_CHAPTERS = 20;
