import { segmentsOf } from '@figurehead/contract/document/segments';

/** The sentences of a text that comes in pieces, each as soon as the next one has begun. */
export async function* sentencesOf(text: string | AsyncIterable<string>): AsyncGenerator<string, void, void> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });
  let rest = '';
  for await (const piece of typeof text === 'string' ? [text] : text) {
    rest += piece;
    const found = Array.from(segmentsOf(rest, segmenter), ({ segment }) => segment);
    rest = found.pop() ?? '';
    yield* found.filter(isSpoken);
  }
  if (isSpoken(rest)) yield rest;
}

function isSpoken(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}
