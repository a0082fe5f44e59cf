import type { SourceSentence } from './sentences.js';

/** Weight of novelty against relevance, 0 to 1. */
const NOVELTY = 0.35;
/** Bonus for the first sentences, which usually name the subject of a text. */
const LEAD_BONUS = 0.15;

/** Weight of each word by inverse document frequency: words that are rare among the sentences weigh more. */
export function weighTerms(sentences: readonly SourceSentence[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { terms } of sentences) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return new Map([...counts].map(([term, count]) => [term, Math.log(1 + sentences.length / count)]));
}

/** Similarity of two sets of words, 0 to 1: the cosine of their weighted vectors. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared += (weights.get(term) ?? 1) ** 2;
  return shared === 0 ? 0 : shared / (norm(a, weights) * norm(b, weights));
}

/**
 * Chooses `count` sentences by maximal marginal relevance (Carbonell and Goldstein 1998): close to `about`, or to the
 * whole text when it is empty, and different from each other. They are returned in the text's order.
 */
export function choose(
  sentences: readonly SourceSentence[],
  about: ReadonlySet<string>,
  count: number,
): SourceSentence[] {
  const weights = weighTerms(sentences);
  const centre = about.size > 0 ? about : frequentTerms(sentences);
  const relevance = sentences.map(({ terms }, index) => likeness(terms, centre, weights) + LEAD_BONUS / (1 + index));
  const chosen = new Set<number>();
  const nearest = sentences.map(() => 0);
  while (chosen.size < Math.min(count, sentences.length)) {
    let best = -1;
    let bestScore = Number.NEGATIVE_INFINITY;
    for (let index = 0; index < sentences.length; index++) {
      if (chosen.has(index)) continue;
      const score = (1 - NOVELTY) * (relevance[index] ?? 0) - NOVELTY * (nearest[index] ?? 0);
      if (score > bestScore) [best, bestScore] = [index, score];
    }
    chosen.add(best);
    const added = sentences[best]?.terms ?? new Set<string>();
    sentences.forEach(({ terms }, index) => {
      nearest[index] = Math.max(nearest[index] ?? 0, likeness(terms, added, weights));
    });
  }
  return sentences.filter((_, index) => chosen.has(index));
}

/** Words that occur in several sentences; all words when none repeats. */
function frequentTerms(sentences: readonly SourceSentence[]): Set<string> {
  const counts = new Map<string, number>();
  for (const { terms } of sentences) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const frequent = [...counts].filter(([, count]) => count > 1).map(([term]) => term);
  return new Set(frequent.length > 0 ? frequent : counts.keys());
}

function norm(terms: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const term of terms) sum += (weights.get(term) ?? 1) ** 2;
  return Math.sqrt(sum);
}
