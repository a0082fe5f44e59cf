import { isSsml, LONGEST_BREAK_SECONDS } from '@figurehead/contract/document/ssml';
import { secondsToSamples } from '@figurehead/presenter/time';
import { BREAK_STRENGTHS, type ScriptPiece } from './piece.js';
import { readSsml } from './ssml.js';

/** The only tag in plain text (SSML 1.1, clause 3.2.3); other markup is spoken as text. Typographic quotes come from word processors. */
const BREAK =
  /<break(?:\s+(?:time\s*=\s*(?:["'“”]\s*)?(\d{1,6}(?:\.\d{1,6})?)\s*(ms|s)(?:\s*["'“”])?|strength\s*=\s*["'“”]?([a-z-]{1,10})["'“”]?))?\s*\/?>/giu;

/**
 * Parses a script: SSML when it begins with `<speak>`, otherwise plain text with `<break time="1.5s"/>` and `<break strength="strong"/>`. Both become
 * the same pieces. Throws a {@link SpeechError} `bad_option` with line and column for malformed SSML.
 */
export function readScript(script: string): ScriptPiece[] {
  return isSsml(script) ? readSsml(script) : splitBreaks(script);
}

/**
 * The visible text of a script, with every word at its original offset: markup is replaced by spaces, an entity by its character and word
 * joiners (U+2060).
 */
export function shownText(script: string): string {
  const shown = new Array<string>(script.length).fill(' ');
  for (const piece of readScript(script)) {
    if (piece.kind !== 'text') continue;
    for (let at = 0; at < piece.text.length; at++) {
      const { from, to } = piece.placeOf(at);
      if (to > from) shown.fill('\u2060', from, to).splice(from, 1, piece.text[at] ?? ' ');
    }
  }
  return shown.join('');
}

/** A comment, which is also no speech in plain text. */
const COMMENT = /<!--[^<>]{0,2000}-->/gu;

function splitBreaks(given: string): ScriptPiece[] {
  const script = given.replace(COMMENT, (comment) => ' '.repeat(comment.length));
  const pieces: ScriptPiece[] = [];
  let at = 0;
  const text = (end: number): void => {
    const [start, piece] = [at, script.slice(at, end)];
    if (piece.trim() === '') return;
    const placeOf = (unit: number) => ({ from: start + unit, to: start + unit + 1 });
    pieces.push({ kind: 'text', text: piece, sayings: [], marks: [], placeOf });
  };
  for (const match of script.matchAll(BREAK)) {
    text(match.index);
    pieces.push({ kind: 'pause', samples: secondsToSamples(pauseSeconds(match)) });
    at = match.index + match[0].length;
  }
  text(script.length);
  return pieces;
}

function pauseSeconds([, amount, unit, strength]: RegExpMatchArray): number {
  if (amount === undefined) return BREAK_STRENGTHS[strength?.toLowerCase() ?? 'medium'] ?? 0.5;
  return Math.min(LONGEST_BREAK_SECONDS, Number(amount) / (unit?.toLowerCase() === 'ms' ? 1000 : 1));
}
