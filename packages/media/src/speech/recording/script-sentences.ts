import type { Marks, SpeechChunk, SpeechOptions } from '../contract.js';
import { joinMarks } from '../energy.js';
import { chunkOf } from '../engines/sentence.js';
import type { SpokenSentence } from '../engines/spoken-sentence.js';
import { speakPieces } from '../pieces.js';
import type { ScriptPiece } from '../text/piece.js';
import { prepareSentences } from '../text/prepare.js';
import { readScript } from '../text/script.js';
import type { Sentence } from '../text/sentences.js';

/** The pieces of a script without pauses and prosody, which come from the recording. Throws as `readScript`. */
export function piecesOf(script: string): ScriptPiece[] {
  return readScript(script).flatMap((piece): ScriptPiece[] => {
    if (piece.kind === 'pause') return [];
    if (piece.kind === 'mark') return [piece];
    return [{ ...piece, sayings: piece.sayings.filter(({ kind }) => kind !== 'prosody') }];
  });
}

/** The sentences of a script, in order. */
export function sentencesIn(pieces: readonly ScriptPiece[], locale: string): Sentence[] {
  return pieces.flatMap((piece) =>
    piece.kind === 'text' ? [...prepareSentences(piece.text, piece.locale ?? locale, piece)] : [],
  );
}

/** Marks of a recorded script. `hear` is called for each sentence in order; its results must be contiguous. */
export async function marksBySentence(
  pieces: readonly ScriptPiece[],
  { locale, signal }: { readonly locale: string; readonly signal: AbortSignal },
  hear: (sentence: Sentence) => Promise<SpokenSentence>,
): Promise<Marks> {
  async function* synthesize(text: string, options: SpeechOptions): AsyncGenerator<SpeechChunk> {
    let start = 0;
    for (const sentence of prepareSentences(text, options.locale ?? locale, options)) {
      const chunk = chunkOf(sentence, await hear(sentence), { start, pause: 0 });
      start += chunk.samples.length;
      yield chunk;
    }
  }
  const marks: Pick<SpeechChunk, 'marks'>[] = [];
  // The samples are those of the recording, so they are not stored a second time.
  for await (const chunk of speakPieces({ synthesize }, pieces, { voice: '', locale, signal })) {
    marks.push({ marks: chunk.marks });
  }
  return joinMarks(marks);
}
