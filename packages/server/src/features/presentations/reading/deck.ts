import type { Slide } from '@figurehead/contract';

/** What is read from a presentation's own file; its look comes from a PDF. Lengths are in points (1/72 inch). */
export interface Deck {
  /** Page size, pt. */
  readonly width: number;
  readonly height: number;
  /** In the file's order. */
  readonly pages: readonly DeckPage[];
  /** URLs of linked pictures, films and objects, once each; they are never fetched. */
  readonly linked: readonly string[];
}

/** One page. */
export interface DeckPage {
  readonly hidden: boolean;
  /** Text of the speaker notes; paragraphs are lines. */
  readonly notes: string;
  /** On one line; empty without one. */
  readonly title: string;
  /** Its other text, a line per paragraph, for slides without the page's look. */
  readonly text: string;
  /** Parts of the archive that are pictures on it. */
  readonly pictures: readonly string[];
  readonly clips: readonly DeckClip[];
  readonly transition: Slide['transition'];
}

/** A film or a sound on a page. */
export interface DeckClip {
  readonly type: 'video' | 'audio';
  /** Its part of the archive; null for a file elsewhere, which is never fetched. */
  readonly part: string | null;
  /** Its file name, for messages. */
  readonly name: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
