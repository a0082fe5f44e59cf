/** Cost of pairing two different phones of one class (both vowels or both consonants), and of an unpaired one. */
const SAME_CLASS = 0.6;
const OTHER_CLASS = 1.2;
const UNPAIRED = 1;

/** The options of {@link assignTokens}. */
interface TokenAssignment {
  /** The phones of the connected speech. */
  readonly spoken: readonly string[];
  /** For each token, its phones when it is spoken alone. */
  readonly tokens: readonly (readonly string[])[];
  readonly isVowel: (phone: string) => boolean;
}

/**
 * The token of each spoken phone, never decreasing, by the least edit distance (Wagner & Fischer 1974) between the connected
 * speech and the concatenated phones of the tokens. An extra phone gets the token of the phone before it; all are −1 when no token has phones.
 */
export function assignTokens({ spoken, tokens, isVowel }: TokenAssignment): number[] {
  const alone = tokens.flatMap((phones, token) => phones.map((phone) => ({ phone, token })));
  if (alone.length === 0) return spoken.map(() => -1);
  const columns = alone.length + 1;
  const cost = new Float64Array((spoken.length + 1) * columns);
  for (let row = 0; row <= spoken.length; row++) {
    for (let column = 0; column < columns; column++) {
      if (row === 0 || column === 0) {
        cost[row * columns + column] = (row + column) * UNPAIRED;
        continue;
      }
      const pair =
        cost[(row - 1) * columns + column - 1]! + difference(spoken[row - 1]!, alone[column - 1]!.phone, isVowel);
      const extra = cost[(row - 1) * columns + column]! + UNPAIRED;
      const missing = cost[row * columns + column - 1]! + UNPAIRED;
      cost[row * columns + column] = Math.min(pair, extra, missing);
    }
  }
  const out = new Array<number>(spoken.length).fill(0);
  let row = spoken.length;
  let column = alone.length;
  while (row > 0) {
    const here = cost[row * columns + column]!;
    const pair =
      column > 0
        ? cost[(row - 1) * columns + column - 1]! + difference(spoken[row - 1]!, alone[column - 1]!.phone, isVowel)
        : Number.POSITIVE_INFINITY;
    if (column > 0 && pair <= here) {
      out[row - 1] = alone[column - 1]!.token;
      row--;
      column--;
    } else if (column > 0 && cost[row * columns + column - 1]! + UNPAIRED <= here) {
      column--;
    } else {
      out[row - 1] = alone[Math.max(0, column - 1)]!.token;
      row--;
    }
  }
  return out;
}

function difference(a: string, b: string, isVowel: (phone: string) => boolean): number {
  if (a === b) return 0;
  return isVowel(a) === isVowel(b) ? SAME_CLASS : OTHER_CLASS;
}
