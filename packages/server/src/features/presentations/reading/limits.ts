import { MAX_SLIDES } from '@figurehead/contract';
import { PresentationProblem } from './problem.js';

/** What an archive may hold. Decks that people made stay far below; what is above was made to break readers. */
export const ARCHIVE_LIMITS = {
  entries: 10_000,
  /** All entries unpacked, bytes. */
  totalBytes: 1_500_000_000,
  /** One entry of markup, bytes: parsing takes about ten times that in memory. */
  markupBytes: 30_000_000,
  /** Unpacked to packed size of the whole archive, once it is above {@link ARCHIVE_LIMITS.ratioFromBytes}. Dense charts reach 40. */
  ratio: 120,
  ratioFromBytes: 20_000_000,
} as const;

/** Largest PDF, bytes: it is held in the memory of one thread, of which WebAssembly has 2 GB. */
export const MAX_PDF_BYTES = 300_000_000;

/** Seconds a slide without notes is shown. */
export const SILENT_PAGE_SECONDS = 5;

/** Throws the refusal of a deck with no or too many pages, with the count. @param shown pages that are not hidden. */
export function requirePageCount(shown: number, hidden = 0): void {
  if (shown > MAX_SLIDES) {
    throw new PresentationProblem(
      `The presentation has ${shown} pages; a video has at most ${MAX_SLIDES} slides. Split it, or hide pages.`,
    );
  }
  if (shown === 0 && hidden > 0) throw new PresentationProblem(`All ${hidden} slides of the presentation are hidden.`);
  if (shown === 0) throw new PresentationProblem('The presentation has no pages.');
}
