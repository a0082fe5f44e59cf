import { ENERGY_HOP } from '../marks.js';
import { type ArmGesture, findArmGestures } from './arms.js';
import type { SpokenStretch } from './contract.js';
import { clamp, ms } from './easing.js';
import { findBrows, findNods, findPhrases, type GestureInput } from './gestures.js';
import type { Accent, HeldPhone, Lifetime, LoudnessCurve, MouthPart, Phrase } from './movement.js';
import { type Articulation, articulate } from './visemes.js';

/** A stretch of speech turned into movements, each list sorted by time. */
export interface CompiledStretch {
  readonly start: number;
  readonly end: number;
  readonly lifetime: Lifetime;
  readonly parts: readonly MouthPart[];
  readonly phrases: readonly Phrase[];
  readonly nods: readonly Accent[];
  readonly brows: readonly Accent[];
  readonly arms: readonly ArmGesture[];
}

/** Silence shorter than this holds the mouth as it is; longer silence closes it. */
const HOLD = ms(120);
/** How far a sound's flanks reach into its neighbours, as a share of their duration. */
const NEIGHBOUR_REACH = 0.7;
/** Duration of a close vowel for which its articulation gives the opening. */
const CLOSE_VOWEL = ms(120);
/** Maximum opening of the jaw in speech; only shouting opens it wider. */
const WIDEST = 0.82;
const REST: Articulation = { viseme: 'sil', kind: 'silence', open: 0, width: 0, jaw: 1.5, lips: 1 };

/**
 * Converts speech to movements. `knownAt` is −Infinity in rendered videos, where all speech is known from the start; `restedAt` the end of
 * the arms' last gesture, `undefined` if they stay at rest.
 */
export function compileStretch(
  stretch: SpokenStretch,
  options: { readonly seed: number; readonly knownAt: number; readonly restedAt: number | undefined },
): CompiledStretch {
  const { seed, knownAt, restedAt } = options;
  const lifetime: Lifetime = { knownAt, cutAt: Infinity };
  const phones = spokenPhones(stretch);
  const input: GestureInput = { stretch, phones, seed, lifetime };
  const phrases = findPhrases(input);
  return {
    start: stretch.start,
    end: stretch.start + stretch.samples,
    lifetime,
    parts: mouthParts(stretch, phones, lifetime),
    phrases,
    nods: findNods(input),
    brows: findBrows(input),
    arms: restedAt === undefined ? [] : findArmGestures(input, phrases, restedAt),
  };
}

/** Phones without silence, on the track's clock; short silences extend the phone before them. */
function spokenPhones(stretch: SpokenStretch): HeldPhone[] {
  const spoken: HeldPhone[] = [];
  for (const mark of stretch.marks.phonemes) {
    const parts = articulate(mark.phone);
    if (parts[0]?.articulation.kind === 'silence' || mark.end <= mark.start) continue;
    const start = stretch.start + mark.start;
    const last = spoken.at(-1);
    if (last !== undefined && start > last.end && start - last.end < HOLD) {
      spoken[spoken.length - 1] = { ...last, end: start };
    }
    const end = stretch.start + mark.end;
    spoken.push({ phone: mark.phone, stress: mark.stress, start, end, soundEnd: end });
  }
  return spoken;
}

/** Mean loudness (0…1) of the stretch between two samples of the track; `undefined` outside its values. */
function loudness(stretch: SpokenStretch, start: number, end: number): number | undefined {
  const from = Math.max(0, Math.floor((start - stretch.start) / ENERGY_HOP));
  const to = Math.min(stretch.energy.length, Math.max(from + 1, Math.ceil((end - stretch.start) / ENERGY_HOP)));
  if (to <= from) return undefined;
  let sum = 0;
  for (let i = from; i < to; i++) sum += stretch.energy[i] ?? 0;
  return sum / (to - from);
}

/**
 * Jaw goal of a vowel: louder and stressed syllables open wider. Close vowels open in proportion to the opening that the jaw reaches in
 * an open vowel of their duration, so that i and a differ in fast speech as in slow speech.
 */
function openFor(articulation: Articulation, stress: number, loud: number | undefined, duration: number): number {
  if (articulation.kind !== 'vowel') return articulation.open;
  if (articulation.jawLimit !== undefined) {
    return articulation.open * clamp(0.35 + (0.65 * duration) / CLOSE_VOWEL, 0.75, 1.45);
  }
  const emphasis = stress === 1 ? 1.08 : stress === 2 ? 1 : 0.88;
  const volume = loud === undefined ? 1 : clamp(0.7 + 0.4 * loud, 0.75, 1.1);
  return clamp(articulation.open * emphasis * volume, 0.1, WIDEST);
}

/** Rise and fall time of a sound: short after a vowel, long for rounded lips. */
function flanks(articulation: Articulation, before: Articulation | undefined): { rise: number; fall: number } {
  // Closures have separate curves; in the blend they must not override the neighbouring vowel.
  if (articulation.contact !== undefined) return { rise: ms(60), fall: ms(60) };
  const rounds = articulation.lips >= 1.2;
  return { rise: ms(before?.kind === 'vowel' ? 60 : rounds ? 150 : 120), fall: ms(rounds ? 150 : 120) };
}

function mouthParts(stretch: SpokenStretch, phones: readonly HeldPhone[], lifetime: Lifetime): MouthPart[] {
  const parts: MouthPart[] = [];
  const voice: LoudnessCurve = { start: stretch.start, energy: stretch.energy };
  const add = (span: Pick<MouthPart, 'start' | 'end' | 'soundEnd'>, articulation: Articulation, open: number): void => {
    const { rise, fall } = flanks(articulation, parts.at(-1)?.articulation);
    parts.push({ ...span, articulation, open, rise, fall, voice, lifetime });
  };
  let previousEnd: number | undefined;
  for (const phone of phones) {
    if (previousEnd !== undefined && phone.start - previousEnd >= HOLD) {
      parts.push({
        start: previousEnd + Math.min(ms(70), (phone.start - previousEnd) / 2 - ms(15)),
        end: phone.start - Math.min(ms(70), (phone.start - previousEnd) / 2 - ms(15)),
        soundEnd: phone.start,
        articulation: REST,
        open: 0,
        rise: ms(80),
        fall: ms(80),
        voice,
        lifetime,
      });
    }
    let start = phone.start;
    for (const { articulation, share } of articulate(phone.phone)) {
      const end = start + (phone.end - phone.start) * share;
      const soundEnd = Math.max(start, Math.min(end, phone.soundEnd) - ms(20));
      add(
        { start, end, soundEnd },
        articulation,
        openFor(articulation, phone.stress, loudness(stretch, start, Math.min(end, phone.soundEnd)), end - start),
      );
      start = end;
    }
    previousEnd = phone.end;
  }
  return parts.map((part, i) => yieldTo(part, parts[i - 1], parts[i + 1]));
}

/** Shortens the flanks in fast speech, so that a sound hardly extends across its neighbours and their shapes remain visible. */
function yieldTo(part: MouthPart, before: MouthPart | undefined, after: MouthPart | undefined): MouthPart {
  const reach = (neighbour: MouthPart | undefined): number =>
    neighbour === undefined ? Infinity : Math.max(ms(50), NEIGHBOUR_REACH * (neighbour.end - neighbour.start));
  return { ...part, rise: Math.min(part.rise, reach(before)), fall: Math.min(part.fall, reach(after)) };
}
