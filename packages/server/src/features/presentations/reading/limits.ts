import { MAX_SLIDES } from '@figurehead/contract';
import { PresentationProblem } from './problem.js';

/** Limits of an archive. Real decks stay far below; larger ones are attacks. */
export const ARCHIVE_LIMITS = {
  entries: 10_000,
  /** All entries unpacked, bytes. */
  totalBytes: 1_500_000_000,
  /** One markup entry, bytes: parsing takes about ten times that in memory. */
  markupBytes: 30_000_000,
  /**
   * Ratio of unpacked to packed size of the whole archive, checked above {@link ARCHIVE_LIMITS.ratioFromBytes}. Dense
   * charts reach 40.
   */
  ratio: 120,
  ratioFromBytes: 20_000_000,
} as const;

/** Largest PDF, bytes: it is in the memory of one thread, where WebAssembly has 2 GB. */
export const MAX_PDF_BYTES = 300_000_000;

/** Display time of a slide without notes, seconds. */
export const SILENT_PAGE_SECONDS = 5;

/** Throws a refusal with the count for a deck with no or too many pages. @param shown pages that are not hidden. */
export function requirePageCount(shown: number, hidden = 0): void {
  if (shown > MAX_SLIDES) {
    throw new PresentationProblem(
      `The presentation has ${shown} pages; a video has at most ${MAX_SLIDES} slides. Split it, or hide pages.`,
    );
  }
  if (shown === 0 && hidden > 0) throw new PresentationProblem(`All ${hidden} slides of the presentation are hidden.`);
  if (shown === 0) throw new PresentationProblem('The presentation has no pages.');
}
