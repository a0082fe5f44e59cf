import type { SayAs } from '@figurehead/contract/document';

/** How something sounds, each against the voice's own manner: factors, 1 leaves it as it is. */
export interface Prosody {
  readonly pitch: number;
  /** Of the melody around its mean. */
  readonly range: number;
  readonly rate: number;
  /** Of the amplitude. */
  readonly volume: number;
}

/** How a part of a text is said; `from` and `to` count in the text of its piece. */
export type Saying = { readonly from: number; readonly to: number } & (
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'phones'; readonly ipa: string }
  | { readonly kind: 'as'; readonly as: SayAs; readonly format: string }
  | { readonly kind: 'prosody'; readonly prosody: Prosody }
);

/** A place with a name in a text. */
interface Bookmark {
  readonly name: string;
  readonly at: number;
}

/** Text that is spoken in one go. */
export interface TextPiece {
  readonly kind: 'text';
  /** What is to be read: without markup, with characters in place of entities. */
  readonly text: string;
  readonly sayings: readonly Saying[];
  readonly marks: readonly Bookmark[];
  /** Language of the text where the script names one, BCP 47. */
  readonly locale?: string;
  /** Range of the script that UTF-16 unit `at` of the text comes from. */
  placeOf(at: number): { readonly from: number; readonly to: number };
}

/** A piece of a script, in order. A mark is a piece of its own where no text is spoken around it. */
export type ScriptPiece =
  | TextPiece
  | { readonly kind: 'pause'; readonly samples: number }
  | { readonly kind: 'mark'; readonly name: string };

/** Pauses of the named strengths, in seconds. */
export const BREAK_STRENGTHS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 0.1,
  weak: 0.25,
  medium: 0.5,
  strong: 0.8,
  'x-strong': 1.2,
};
