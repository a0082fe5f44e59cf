import type { SayAs } from '@figurehead/contract/document';

/** Prosody as factors relative to the voice's default. */
export interface Prosody {
  readonly pitch: number;
  /** Of the pitch around its mean. */
  readonly range: number;
  readonly rate: number;
  /** Of the amplitude. */
  readonly volume: number;
}

/** An SSML instruction for a part of a text; `from` and `to` are offsets in the text of its piece. */
export type Saying = { readonly from: number; readonly to: number } & (
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'phones'; readonly ipa: string }
  | { readonly kind: 'as'; readonly as: SayAs; readonly format: string }
  | { readonly kind: 'prosody'; readonly prosody: Prosody }
);

/** A named offset in a text. */
interface Bookmark {
  readonly name: string;
  readonly at: number;
}

/** Text that is spoken as a unit. */
export interface SpokenPiece {
  readonly kind: 'text';
  /** Text without markup and with entities replaced by characters. */
  readonly text: string;
  readonly sayings: readonly Saying[];
  readonly marks: readonly Bookmark[];
  /** Language of the text if the script sets one, BCP 47. */
  readonly locale?: string;
  /** Range of the script that UTF-16 unit `at` of the text comes from. */
  placeOf(at: number): { readonly from: number; readonly to: number };
}

/** A piece of a script. A mark without text around it is a separate piece. */
export type ScriptPiece =
  | SpokenPiece
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
