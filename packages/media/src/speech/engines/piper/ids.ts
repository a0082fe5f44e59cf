import type { SpelledSymbol } from '../espeak/thread.js';
import type { PiperVoice } from './voices.js';

/** A sentence as a Piper model takes it: ids, and for each id the symbol (index into the spelling) it was made for; −1 for none. */
interface PiperInput {
  readonly ids: readonly number[];
  readonly symbols: readonly number[];
}

/**
 * Ids in Piper's order `^ _ p _ p _ … $`: each code point of the IPA is a phone of its own, with a pad after it; words are
 * parted by a space. Code points that the voice does not know are left out, as Piper does.
 */
export function piperInput(spelling: readonly SpelledSymbol[], { phonemeIds }: PiperVoice): PiperInput {
  const ids: number[] = [];
  const symbols: number[] = [];
  const pad = phonemeIds._ ?? [];
  const push = (character: string, symbol: number): void => {
    const own = phonemeIds[character];
    if (!own) return;
    for (const id of [...own, ...(character === '$' ? [] : pad)]) {
      ids.push(id);
      symbols.push(symbol);
    }
  };
  push('^', -1);
  spelling.forEach(({ symbol, token }, index) => {
    if (index > 0 && token !== spelling[index - 1]!.token) push(' ', -1);
    if (symbol === '' && index > 0 && index + 1 < spelling.length) push(',', index);
    for (const character of symbol.normalize('NFD')) push(character, index);
  });
  push('.', -1);
  push('$', -1);
  return { ids, symbols };
}
