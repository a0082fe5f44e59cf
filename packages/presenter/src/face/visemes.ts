import type { ConsonantShape } from './contract.js';

/** The fifteen visemes of the OpenXR / Oculus set, in its order. */
export const VISEMES = ['sil', 'PP', 'FF', 'TH', 'DD', 'kk', 'CH', 'SS', 'nn', 'RR', 'aa', 'E', 'I', 'O', 'U'] as const;

export type Viseme = (typeof VISEMES)[number];

/**
 * Articulation of one sound: a goal in the pack's basis and its dominance.
 * Dominance: Cohen and Massaro, "Modeling coarticulation in synthetic visual speech" (1993).
 */
export interface Articulation {
  readonly viseme: Viseme;
  readonly kind: 'vowel' | 'consonant' | 'nasal' | 'silence';
  /** Goal of the jaw, 0…1 ({@link MouthPose.open}). */
  readonly open: number;
  /** Goal of the lips, −1…1 ({@link MouthPose.width}). */
  readonly width: number;
  /** Dominance of the jaw goal over the neighbours', ≥ 0. */
  readonly jaw: number;
  /** Dominance of the lip goal, ≥ 0. */
  readonly lips: number;
  /** Separate picture of the sound, with its full weight. */
  readonly shape?: { readonly name: ConsonantShape; readonly weight: number };
  /** `shut`: the lips must meet. `tuck`: the lower lip must reach the upper teeth. */
  readonly contact?: 'shut' | 'tuck';
  /** The jaw may not open wider than this during the sound; a vowel with a limit not wider than its own goal. */
  readonly jawLimit?: number;
}

/** An {@link Articulation} with its share (0…1) of the phone's duration. */
export interface PhonePart {
  readonly articulation: Articulation;
  readonly share: number;
}

const SILENCE: Articulation = { viseme: 'sil', kind: 'silence', open: 0, width: 0, jaw: 1, lips: 1 };

/** Fallback for unknown sounds: half open with low dominance, so that it neither stands out nor freezes the mouth. */
const UNKNOWN: Articulation = { viseme: 'E', kind: 'consonant', open: 0.22, width: 0, jaw: 0.3, lips: 0.1 };

function vowel(viseme: Viseme, open: number, width: number): Articulation {
  // Rounding dominates neighbours; spread lips have less dominance.
  return { viseme, kind: 'vowel', open, width, jaw: 1.6, lips: width < -0.4 ? 1.4 : 0.8 };
}

/** A close vowel stays close beside open sounds. */
function closeVowel(viseme: Viseme, open: number, width: number): Articulation {
  return { ...vowel(viseme, open, width), jawLimit: open };
}

function consonant(viseme: Viseme, goal: Partial<Articulation>): Articulation {
  return { viseme, kind: 'consonant', open: 0.2, width: 0, jaw: 1, lips: 0.25, ...goal };
}

const PRESS = consonant('PP', {
  open: 0,
  width: -0.08,
  jaw: 0.8,
  lips: 0.3,
  shape: { name: 'PP', weight: 1 },
  contact: 'shut',
});
/** Bilabial fricatives and approximants: the lips come close without touching. */
const NEAR_PRESS = consonant('PP', {
  open: 0.05,
  width: -0.15,
  jaw: 1.3,
  lips: 0.5,
  shape: { name: 'PP', weight: 0.6 },
});
const TUCK = consonant('FF', {
  open: 0.08,
  jaw: 0.8,
  lips: 0.3,
  shape: { name: 'FF', weight: 0.95 },
  contact: 'tuck',
});
const DENTAL = consonant('TH', { open: 0.1, width: 0.08, jaw: 1, lips: 0.4, shape: { name: 'TH', weight: 0.62 } });
const ALVEOLAR = consonant('DD', { open: 0.08, width: 0.12, shape: { name: 'DD', weight: 0.35 } });
const TAP = consonant('DD', { open: 0.1, width: 0.05, jaw: 0.35, lips: 0.1, shape: { name: 'DD', weight: 0.3 } });
const LATERAL = consonant('nn', { open: 0.1, width: 0.1, shape: { name: 'nn', weight: 0.35 } });
const VELAR = consonant('kk', { open: 0.12, width: 0.05, jaw: 0.7, lips: 0.15 });
const SIBILANT = consonant('SS', {
  open: 0.06,
  width: 0.35,
  jaw: 1.1,
  lips: 0.6,
  shape: { name: 'SS', weight: 0.62 },
  jawLimit: 0.35,
});
const HUSH = consonant('CH', {
  open: 0.08,
  width: -0.5,
  jaw: 1.1,
  lips: 1.3,
  shape: { name: 'CH', weight: 0.48 },
  jawLimit: 0.35,
});
/** ɕ ʑ: sibilants with spread lips. */
const PALATAL_HUSH = consonant('CH', { ...HUSH, width: 0.05, lips: 0.7, shape: { name: 'SS', weight: 0.55 } });
const RHOTIC = consonant('RR', { open: 0.08, width: -0.4, jaw: 1, lips: 0.9, shape: { name: 'RR', weight: 0.45 } });
const TRILL = consonant('RR', { open: 0.13, width: -0.05, jaw: 0.6, lips: 0.3, shape: { name: 'DD', weight: 0.35 } });
const GLIDE_I = consonant('I', { open: 0.14, width: 0.65, jaw: 0.9, lips: 0.7 });
const GLIDE_U = consonant('U', { open: 0.08, width: -1, jaw: 1.4, lips: 1.6 });
/** Articulated in the throat: the mouth already has the shape of the next sound. */
const GLOTTAL = consonant('kk', { open: 0.3, jaw: 0.1, lips: 0.04 });
const nasal = (base: Articulation): Articulation => ({ ...base, kind: 'nasal' });

/** Letters of the IPA (and other symbols of espeak-ng) by articulation. Rounded lips are parted by themselves, so they need less jaw. */
const GROUPS: readonly (readonly [letters: string, articulation: Articulation])[] = [
  ['i', closeVowel('I', 0.2, 0.8)],
  ['ɪᵻ', vowel('I', 0.42, 0.45)],
  ['ɨ', vowel('I', 0.34, 0.3)],
  ['ɯ', vowel('I', 0.32, 0.2)],
  ['e', vowel('E', 0.55, 0.55)],
  ['ɛɘ', vowel('E', 0.62, 0.38)],
  ['əᵊ', vowel('E', 0.51, 0)],
  ['ɜɝɤ', vowel('E', 0.55, -0.08)],
  ['ɚ', vowel('RR', 0.45, -0.3)],
  ['æ', vowel('aa', 0.71, 0.32)],
  ['a', vowel('aa', 0.74, 0.12)],
  ['ɑA', vowel('aa', 0.76, -0.02)],
  ['ʌɐ', vowel('aa', 0.64, 0.03)],
  ['ɒ', vowel('O', 0.58, -0.45)],
  ['ɔ', vowel('O', 0.54, -0.55)],
  ['oɞ', vowel('O', 0.43, -0.7)],
  ['øɵ', vowel('O', 0.4, -0.65)],
  ['œɶ', vowel('O', 0.49, -0.5)],
  ['ʊ', vowel('U', 0.28, -0.65)],
  ['ʏ', vowel('U', 0.24, -0.65)],
  ['u', closeVowel('U', 0.12, -0.95)],
  ['yʉ', closeVowel('U', 0.12, -0.85)],
  ['pbɓʙʘƥ', PRESS],
  ['mᵐ', nasal(PRESS)],
  ['ɸβ', NEAR_PRESS],
  ['fvʋⱱ', TUCK],
  ['ɱ', nasal(TUCK)],
  ['θð', DENTAL],
  ['tdʈɖɗᶑǀǃ', ALVEOLAR],
  ['ɾɽɺ', TAP],
  ['nɳⁿ', nasal(LATERAL)],
  ['lɭɫɬɮǁʎ', LATERAL],
  ['ɲ', nasal(consonant('nn', { open: 0.18, width: 0.3, shape: { name: 'nn', weight: 0.4 } }))],
  ['kɡgqXɢɠʛxɣχʁʀcɟʄʝɰʟǂ', VELAR],
  ['ŋɴᵑN', nasal(VELAR)],
  ['sz', SIBILANT],
  ['ʃʒʂʐɧSZ', HUSH],
  ['ɕʑ', PALATAL_HUSH],
  ['ɹɻ', RHOTIC],
  ['r', TRILL],
  ['jʲ', GLIDE_I],
  ['wʍɥʷ', GLIDE_U],
  ['hɦʔ?ħʕʡʢʰʱ', GLOTTAL],
];

const BY_LETTER: ReadonlyMap<string, Articulation> = new Map(
  GROUPS.flatMap(([letters, articulation]) => [...letters].map((letter) => [letter, articulation] as const)),
);

/** Letters that modify the letter before them; alone they are sounds. */
const MODIFIERS = new Set('ʲʷʰʱⁿᵐᵑᵊ');

/** Shares of the duration for the parts of a diphthong or affricate. */
const SHARES: Readonly<Record<number, readonly number[]>> = { 1: [1], 2: [0.6, 0.4], 3: [0.4, 0.35, 0.25] };

/**
 * Articulation of an IPA phone: one part, or several for diphthongs and affricates (60/40). Never empty. Length, stress,
 * tone and unknown signs are skipped. `''`, `_` and other strings without a letter are silence; unknown letters are a weak
 * half-open mouth.
 */
export function articulate(phone: string): readonly PhonePart[] {
  // espeak-ng outputs `(en)` when the language changes inside a sentence.
  const letters = [
    ...phone
      .normalize('NFD')
      .replace(/\([^()]*\)/gu, '')
      .replaceAll('ʦ', 'ts')
      .replaceAll('ʣ', 'dz'),
  ];
  // In Mandarin and Cantonese it outputs the third tone as ɜ after the vowel.
  const sounds = letters.filter((letter, i) => BY_LETTER.has(letter) && !(letter === 'ɜ' && i > 0));
  const bare = sounds.filter((letter) => !MODIFIERS.has(letter));
  const parts: Articulation[] = [];
  for (const letter of bare.length > 0 ? bare : sounds.slice(0, 1)) {
    const articulation = BY_LETTER.get(letter);
    if (articulation !== undefined && articulation !== parts.at(-1)) parts.push(articulation);
  }
  // Aspiration and glottal onsets are not visible next to another sound.
  const seen = parts.filter((part) => part !== GLOTTAL);
  if (seen.length > 0) parts.splice(0, parts.length, ...seen);
  if (parts.length === 0) return [{ articulation: /[\p{L}\p{N}]/u.test(phone) ? UNKNOWN : SILENCE, share: 1 }];
  // Labial-velar stops (k͡p, ɡ͡b) close lips and velum at once; only the lips are visible.
  const press = parts.find((part) => part.contact === 'shut');
  if (press !== undefined && parts.some((part) => part.viseme === 'kk')) return [{ articulation: press, share: 1 }];
  const rounded = bare.length > 0 && sounds.includes('ʷ');
  const shares = SHARES[parts.length];
  return parts.map((part, i) => ({
    articulation: rounded && part.width > -0.6 ? { ...part, width: -0.6, lips: 1.2 } : part,
    share: shares?.[i] ?? 1 / parts.length,
  }));
}

/** The mouth shape of a phone, IPA: that of its first part. */
export function visemeOf(phone: string): Viseme {
  return articulate(phone)[0]?.articulation.viseme ?? 'sil';
}
