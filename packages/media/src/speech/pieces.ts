import { secondsToSamples } from '@figurehead/presenter/time';
import { silence } from '../audio.js';
import type { Marks, NamedMark, SpeechChunk, SpeechOptions, Synthesizer } from './contract.js';
import { pauseSeconds } from './engines/sentence.js';
import type { ArrivingText } from './text/arriving.js';
import type { ScriptPiece, SpokenPiece } from './text/piece.js';

/** Speaks the pieces of a script one by one, with times from the start of the script. */
export async function* speakPieces(
  synthesizer: Pick<Synthesizer, 'synthesize'>,
  pieces: readonly ScriptPiece[],
  options: SpeechOptions,
): AsyncGenerator<SpeechChunk, void, void> {
  let start = 0;
  for (const piece of pieces) {
    options.signal?.throwIfAborted();
    if (piece.kind === 'pause') {
      if (piece.samples > 0) yield pauseChunk(start, piece.samples);
      start += piece.samples;
      continue;
    }
    if (piece.kind === 'mark') {
      yield markChunk(start, [{ name: piece.name, at: start }]);
      continue;
    }
    let end = start;
    const waiting = [...piece.marks];
    const { sayings, locale = options.locale } = piece;
    for await (const chunk of synthesizer.synthesize(piece.text, { ...options, sayings, locale })) {
      const placed = placedIn(piece.placeOf, chunk, start);
      const named = reached(waiting, chunk, start);
      yield named.length > 0 ? { ...placed, marks: { ...placed.marks, named } } : placed;
      end = placed.start + placed.samples.length;
    }
    start = end;
    if (waiting.length > 0)
      yield markChunk(
        end,
        waiting.map(({ name }) => ({ name, at: end })),
      );
  }
}

/**
 * Speaks the units of an arriving text separately, on one clock. Each is followed by the pause that its ending
 * requires.
 */
export async function* speakUnits<Options extends SpeechOptions>(
  text: ArrivingText,
  options: Options,
  speak: (text: string, options: Options) => AsyncIterable<SpeechChunk>,
): AsyncGenerator<SpeechChunk, void, void> {
  let start = 0;
  for await (const unit of text.units(options.signal ?? new AbortController().signal)) {
    const placeOf = (at: number) => ({ from: unit.start + at, to: unit.start + at + 1 });
    let end = start;
    for await (const chunk of speak(unit.text, { ...options, isContinued: unit.start > 0 })) {
      const placed = placedIn(placeOf, chunk, start);
      yield placed;
      end = placed.start + placed.samples.length;
    }
    const pause = unit.last === undefined ? 0 : secondsToSamples(pauseSeconds(unit.last) / (options.speed ?? 1));
    if (pause > 0 && end > start && !text.isFinished) yield pauseChunk(end, pause);
    start = text.isFinished ? end : end + pause;
  }
}

/** Removes the waiting marks that precede a word of the chunk; each is reached when that word begins. */
function reached(
  waiting: { name: string; at: number }[],
  { marks: { words } }: SpeechChunk,
  offset: number,
): NamedMark[] {
  const out: NamedMark[] = [];
  for (let mark = waiting[0]; mark; mark = waiting[0]) {
    const { name, at } = mark;
    const next = words.find(({ textStart }) => textStart >= at);
    if (next === undefined) break;
    out.push({ name, at: offset + next.start });
    waiting.shift();
  }
  return out;
}

function markChunk(start: number, named: readonly NamedMark[]): SpeechChunk {
  return { start, samples: silence(0), marks: { phonemes: [], words: [], named } };
}

function pauseChunk(start: number, samples: number): SpeechChunk {
  const phonemes: Marks['phonemes'] = [{ phone: '', stress: 0, start, end: start + samples }];
  return { start, samples: silence(samples), marks: { phonemes, words: [] } };
}

/** A piece's chunk with times in the whole utterance and word offsets in the script. */
function placedIn(placeOf: SpokenPiece['placeOf'], chunk: SpeechChunk, samples: number): SpeechChunk {
  return {
    start: chunk.start + samples,
    samples: chunk.samples,
    marks: {
      phonemes: chunk.marks.phonemes.map((mark) => ({ ...mark, start: mark.start + samples, end: mark.end + samples })),
      words: chunk.marks.words.map((word) => ({
        text: word.text,
        textStart: placeOf(word.textStart).from,
        textEnd: placeOf(Math.max(word.textStart, word.textEnd - 1)).to,
        start: word.start + samples,
        end: word.end + samples,
      })),
    },
  };
}
