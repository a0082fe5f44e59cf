import type { SayAs } from '@figurehead/contract/document';
import { LONGEST_BREAK_SECONDS, SAY_AS } from '@figurehead/contract/document/ssml';
import { BREAK_STRENGTHS, type Prosody } from './piece.js';

/** Error for an invalid attribute value; the message says what was expected. */
export class BadValue extends Error {}

/** Prosody that changes nothing. */
export const NEUTRAL: Prosody = { pitch: 1, range: 1, rate: 1, volume: 1 };

/** Range of each factor of a {@link Prosody}, also for nested elements. */
const RANGES: Readonly<Record<keyof Prosody, readonly [least: number, most: number]>> = {
  pitch: [0.5, 2],
  range: [0, 2],
  rate: [0.5, 2],
  volume: [0, 2],
};

const NAMED: Readonly<Record<keyof Prosody, Readonly<Record<string, number>>>> = {
  pitch: { 'x-low': 0.75, low: 0.87, medium: 1, default: 1, high: 1.15, 'x-high': 1.33 },
  range: { 'x-low': 0.2, low: 0.6, medium: 1, default: 1, high: 1.5, 'x-high': 2 },
  rate: { 'x-slow': 0.6, slow: 0.8, medium: 1, default: 1, fast: 1.2, 'x-fast': 1.5 },
  volume: { silent: 0, 'x-soft': 0.25, soft: 0.5, medium: 1, default: 1, loud: 1.5, 'x-loud': 2 },
};

const LEVELS: Readonly<Record<string, Prosody>> = {
  strong: { pitch: 1.12, range: 1.2, rate: 0.86, volume: 1.3 },
  moderate: { pitch: 1.06, range: 1.1, rate: 0.92, volume: 1.15 },
  none: NEUTRAL,
  reduced: { pitch: 0.96, range: 0.8, rate: 1.1, volume: 0.8 },
};

/** Attributes as written. */
type Written = Readonly<Record<string, string | undefined>>;

/** `<prosody pitch="+10%" rate="slow" volume="-3dB">`. */
export function prosodyOf(written: Written): Prosody {
  const factor = (name: keyof Prosody): number => factorOf(name, written[name]?.trim());
  return { pitch: factor('pitch'), range: factor('range'), rate: factor('rate'), volume: factor('volume') };
}

/** `<emphasis level="strong">`; moderate without a level. */
export function emphasisOf({ level = 'moderate' }: Written): Prosody {
  return LEVELS[level] ?? refuse('level', level, Object.keys(LEVELS).join(', '));
}

/** Multiplies both, limited to the supported ranges. */
export function combined(outer: Prosody, inner: Prosody): Prosody {
  const factor = (name: keyof Prosody): number => {
    const [least, most] = RANGES[name];
    return Math.min(most, Math.max(least, outer[name] * inner[name]));
  };
  return { pitch: factor('pitch'), range: factor('range'), rate: factor('rate'), volume: factor('volume') };
}

/** Seconds of a `<break>`. */
export function breakSeconds({ time, strength }: Written): number {
  if (time === undefined) {
    const seconds = BREAK_STRENGTHS[strength ?? 'medium'];
    return seconds ?? refuse('strength', strength ?? '', Object.keys(BREAK_STRENGTHS).join(', '));
  }
  const [, amount, unit] = /^\+?(\d{0,6}(?:\.\d{1,6})?)(ms|s)$/u.exec(time.trim()) ?? [];
  const seconds = Number(amount || Number.NaN) / (unit === 'ms' ? 1000 : 1);
  if (seconds >= 0 && seconds <= LONGEST_BREAK_SECONDS) return seconds;
  return refuse('time', time, `0s to ${LONGEST_BREAK_SECONDS}s, such as 500ms`);
}

/** Synonyms that other engines use. */
const SAME: Readonly<Record<string, SayAs>> = { 'spell-out': 'characters', verbatim: 'characters', number: 'cardinal' };

/** `<say-as interpret-as="date" format="dmy">`. */
export function sayAsOf(written: Written): { as: SayAs; format: string } {
  const { 'interpret-as': asked = '', format = '' } = written;
  const as = SAME[asked] ?? SAY_AS.find((each) => each === asked);
  if (as === undefined) return refuse('interpret-as', asked, SAY_AS.join(', '));
  if (as === 'date' && format !== '' && !/^(?:[ymd]{1,3})$/u.test(format)) {
    return refuse('format', format, 'a combination of y, m and d, such as dmy');
  }
  return { as, format };
}

/** The IPA of a `<phoneme>`. */
export function ipaOfPhoneme({ ph = '', alphabet = 'ipa' }: Written): string {
  if (alphabet !== 'ipa') return refuse('alphabet', alphabet, 'ipa');
  return /\p{L}/u.test(ph) ? ph.normalize('NFD') : refuse('ph', ph, 'sounds in IPA');
}

/** A language tag. */
export function languageTag(tag: string): string {
  try {
    return new Intl.Locale(tag).toString();
  } catch (error) {
    if (error instanceof RangeError) return refuse('xml:lang', tag, 'a BCP 47 tag, such as fr-FR');
    throw error;
  }
}

function factorOf(name: keyof Prosody, written: string | undefined): number {
  if (written === undefined) return 1;
  const named = NAMED[name];
  if (Object.hasOwn(named, written)) return named[written] ?? 1;
  const [, sign = '', amount = '', unit = ''] = /^([+-]?)(\d{1,4}(?:\.\d{1,4})?)(%|st|dB)$/u.exec(written) ?? [];
  const value = Number(`${sign}${amount || 'x'}`);
  const isRelative = sign !== '';
  const factor =
    unit === 'st' && name === 'pitch'
      ? 2 ** (value / 12)
      : unit === 'dB' && name === 'volume'
        ? 10 ** (value / 20)
        : unit === '%' && (isRelative || name === 'rate')
          ? (isRelative ? 100 + value : value) / 100
          : Number.NaN;
  const [least, most] = RANGES[name];
  // Tolerates rounding at the limits.
  if (factor >= least - 0.01 && factor <= most + 0.01) return Math.min(most, Math.max(least, factor));
  const figures = {
    pitch: '-50% to +100% or -12st to +12st',
    range: '-100% to +100%',
    rate: '50% to 200%',
    volume: '-40dB to +6dB',
  };
  return refuse(name, written, `${Object.keys(named).join(', ')}, or ${figures[name]}`);
}

function refuse(name: string, got: string, expected: string): never {
  throw new BadValue(`expected ${name} to be ${expected}, got "${got.slice(0, 60)}"`);
}
