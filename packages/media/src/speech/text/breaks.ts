import { secondsToSamples } from '../../time.js';

/** A piece of a script: text to be spoken, which begins at `start` of the whole, or a pause in samples. */
type ScriptPiece =
  | { readonly kind: 'text'; readonly text: string; readonly start: number }
  | { readonly kind: 'pause'; readonly samples: number };

/** Longest pause that a break gives, in seconds; longer ones are cut to it. */
const LONGEST_BREAK_SECONDS = 10;

/**
 * Takes a script apart at its `<break time="1.5s"/>` and `<break time="300ms"/>` elements (SSML 1.1, clause 3.2.3). All
 * other markup stays text.
 */
export function splitBreaks(script: string): ScriptPiece[] {
  const pieces: ScriptPiece[] = [];
  let at = 0;
  const text = (end: number): void => {
    const piece = script.slice(at, end);
    if (piece.trim() !== '') pieces.push({ kind: 'text', text: piece, start: at });
  };
  for (const match of script.matchAll(
    /<break\s+time\s*=\s*["'“”]?\s*(\d{1,6}(?:\.\d{1,6})?)\s*(ms|s)\s*["'“”]?\s*\/?>/giu,
  )) {
    text(match.index);
    const seconds = Number(match[1]) / (match[2]!.toLowerCase() === 'ms' ? 1000 : 1);
    pieces.push({ kind: 'pause', samples: secondsToSamples(Math.min(LONGEST_BREAK_SECONDS, seconds)) });
    at = match.index + match[0].length;
  }
  text(script.length);
  return pieces;
}
