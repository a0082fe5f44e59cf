import type { SpelledSymbol } from '../espeak/speaker.js';
import type { PiperVoice } from './voices.js';

/** A Piper model's input for a sentence: ids, and for each id the index of its symbol in the spelling, −1 for none. */
interface PiperInput {
  readonly ids: readonly number[];
  readonly symbols: readonly number[];
}

/**
 * Ids in Piper's order `^ _ p _ p _ … $`: each code point of the IPA is a separate phone with a pad after it; words are separated by a
 * space. Unknown code points are skipped, as in Piper.
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
