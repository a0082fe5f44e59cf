import { secondsToSamples } from '../../time.js';

/** A piece of a script: text to be spoken, which begins at `start` of the whole, or a pause in samples. */
type ScriptPiece =
  | { readonly kind: 'text'; readonly text: string; readonly start: number }
  | { readonly kind: 'pause'; readonly samples: number };

/** The one tag that speech understands (SSML 1.1, clause 3.2.3); all else is spoken as it stands. Typographic quotes come from word processors. */
const BREAK =
  /<break(?:\s+(?:time\s*=\s*(?:["'“”]\s*)?(\d{1,6}(?:\.\d{1,6})?)\s*(ms|s)(?:\s*["'“”])?|strength\s*=\s*["'“”]?([a-z-]{1,10})["'“”]?))?\s*\/?>/giu;

/** Longest pause that a break gives, in seconds; longer ones are cut to it. */
const LONGEST_BREAK_SECONDS = 10;

/** Pauses of the named strengths, in seconds. */
const STRENGTHS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 0.1,
  weak: 0.25,
  medium: 0.5,
  strong: 0.8,
  'x-strong': 1.2,
};

/** Takes a script apart at its `<break time="1.5s"/>`, `<break time="300ms"/>` and `<break strength="strong"/>` elements. */
export function splitBreaks(script: string): ScriptPiece[] {
  const pieces: ScriptPiece[] = [];
  let at = 0;
  const text = (end: number): void => {
    const piece = script.slice(at, end);
    if (piece.trim() !== '') pieces.push({ kind: 'text', text: piece, start: at });
  };
  for (const match of script.matchAll(BREAK)) {
    text(match.index);
    pieces.push({ kind: 'pause', samples: secondsToSamples(pauseSeconds(match)) });
    at = match.index + match[0].length;
  }
  text(script.length);
  return pieces;
}

/** The script with its breaks blanked out, every other character at its old offset: what subtitles show. */
export function withoutBreaks(script: string): string {
  return script.replace(BREAK, (tag) => ' '.repeat(tag.length));
}

function pauseSeconds([, amount, unit, strength]: RegExpMatchArray): number {
  if (amount === undefined) return STRENGTHS[strength?.toLowerCase() ?? 'medium'] ?? 0.5;
  return Math.min(LONGEST_BREAK_SECONDS, Number(amount) / (unit?.toLowerCase() === 'ms' ? 1000 : 1));
}
