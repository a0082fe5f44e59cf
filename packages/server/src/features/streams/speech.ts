/** Speech that was made ahead of its playing, and what comes of a text before it is spoken. */

/** Control characters, invisible format characters (bidirectional overrides among them) and unassigned ones. */
const UNSPEAKABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Format characters that belong to writing: joiners of Persian, Indic scripts and emoji. */
const JOINERS = new Set(['\u200c', '\u200d']);

/**
 * The text as it is spoken: control and invisible characters are spaces. Markup stays what it is, since the speech engines read it as
 * text. @returns undefined when nothing is left that could be spoken.
 */
export function speakableText(text: string): string | undefined {
  const clean = text.replace(UNSPEAKABLE, (character) => (JOINERS.has(character) ? character : ' ')).trim();
  return clean === '' ? undefined : clean;
}

/**
 * Passes a sequence on while up to `depth` of its next elements are already being made, so that the gap between two sentences is not the
 * time that the second one takes. The source is closed when the reader stops, and its error comes where it belongs in the order.
 */
export async function* readAhead<T>(source: AsyncIterable<T>, depth: number): AsyncGenerator<T, void, void> {
  const iterator = source[Symbol.asyncIterator]();
  const coming: Promise<IteratorResult<T>>[] = [];
  const ask = () => {
    const next = iterator.next();
    // Read in its turn; until then a failure must not count as unhandled.
    next.catch(() => undefined);
    coming.push(next);
  };
  try {
    while (coming.length < depth) ask();
    for (;;) {
      ask();
      const next = await coming.shift();
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
