import type { PhonemeMark } from '../marks.js';
import type { SpokenStretch } from './contract.js';
import { ms } from './easing.js';
import type { Accent, HeldPhone, Lifetime, Phrase } from './movement.js';
import { CHANCE, signed, uniform } from './random.js';
import { articulate } from './visemes.js';

/** Silence that ends a phrase. */
const PHRASE_GAP = ms(250);
/** Minimum time between two nods; more frequent ones look mechanical. */
const NOD_GAP = ms(700);
const NOD_RADIANS = 0.02;

/** Turned phrases: their share, and radians of the turn. */
const TURN = { share: 0.16, least: 0.08, most: 0.16 } as const;

/** Input for the gestures of a stretch. */
export interface GestureInput {
  readonly stretch: SpokenStretch;
  readonly phones: readonly HeldPhone[];
  readonly seed: number;
  readonly lifetime: Lifetime;
}

/** The phrases of a stretch, each with its own head attitude. */
export function findPhrases({ phones, seed, lifetime }: GestureInput): Phrase[] {
  const spans: { start: number; end: number }[] = [];
  for (const phone of phones) {
    const last = spans.at(-1);
    if (last !== undefined && phone.start - last.end < PHRASE_GAP) last.end = phone.end;
    else spans.push({ start: phone.start, end: phone.end });
  }
  return spans.map(({ start, end }) => ({
    start,
    end,
    // The start is the counter of the draws: it does not depend on how much of the track has been pruned.
    yaw: 0.042 * signed(seed, CHANCE.phraseYaw, start) + turnAt(seed, start),
    pitch: 0.02 * signed(seed, CHANCE.phrasePitch, start),
    roll: 0.024 * signed(seed, CHANCE.phraseRoll, start),
    lifetime,
  }));
}

/** Now and then a phrase is spoken with the head turned to one side. */
function turnAt(seed: number, start: number): number {
  const side = signed(seed, CHANCE.turn, start);
  const size = (Math.abs(side) - (1 - TURN.share)) / TURN.share;
  return size <= 0 ? 0 : Math.sign(side) * (TURN.least + (TURN.most - TURN.least) * size);
}

/** Vowels with the main stress of a word. */
export const isStressedVowel = (phone: PhonemeMark): boolean =>
  phone.stress === 1 && articulate(phone.phone)[0]?.articulation.kind === 'vowel';

/** Final punctuation of a word, which engines keep in the word's text. */
export function ending(text: string): 'statement' | 'question' | undefined {
  if (/[?？؟]["'”’»)\]]*$/u.test(text)) return 'question';
  return /[.!…。！।]["'”’»)\]]*$/u.test(text) ? 'statement' : undefined;
}

/**
 * Occasional nods on stressed vowels, and one on the last stress of a sentence: down for a statement, slightly up for a
 * question.
 */
export function findNods({ stretch, phones, seed, lifetime }: GestureInput): Accent[] {
  const nods: Accent[] = [];
  const stressed = phones.filter(isStressedVowel);
  const ends = stretch.marks.words.filter((word) => ending(word.text) !== undefined);
  stressed.forEach((phone, i) => {
    const next = stressed[i + 1];
    const until = (next?.start ?? Infinity) - stretch.start;
    const end = ends.find((word) => word.end > phone.start - stretch.start && word.end <= until);
    const closing = end !== undefined || next === undefined;
    const last = nods.at(-1);
    if (last !== undefined && phone.start - last.at < NOD_GAP) return;
    const chance = uniform(seed, CHANCE.nod, phone.start);
    if (!closing && chance > 0.55) return;
    const lifts = end !== undefined && ending(end.text) === 'question';
    const amount = NOD_RADIANS * (0.5 + 0.9 * chance) * (lifts ? -0.7 : 1);
    nods.push({ at: phone.start + ms(40), amount, lifetime });
  });
  return nods;
}

/** Brows rise on some stressed words and in questions. */
export function findBrows({ stretch, phones, seed, lifetime }: GestureInput): Accent[] {
  const brows: Accent[] = [];
  let phone = 0;
  for (const word of stretch.marks.words) {
    const start = stretch.start + word.start;
    const end = stretch.start + word.end;
    while (phone < phones.length && (phones[phone]?.start ?? 0) < start) phone++;
    let peak: number | undefined;
    for (let i = phone; i < phones.length; i++) {
      const candidate = phones[i];
      if (candidate === undefined || candidate.start >= end) break;
      if (isStressedVowel(candidate)) peak ??= candidate.start;
    }
    const chance = uniform(seed, CHANCE.brow, start);
    if (ending(word.text) === 'question') brows.push({ at: peak ?? start, amount: 0.55, lifetime });
    else if (peak !== undefined && chance < 0.3 && end - start > ms(220)) {
      brows.push({ at: peak, amount: 0.2 + chance, lifetime });
    }
  }
  return brows;
}
