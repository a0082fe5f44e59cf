import { SAMPLE_RATE } from '../time.js';
import { armsAt } from './arms.js';
import type { Expression, OwnMotion, Pose, PresenterState } from './contract.js';
import { clamp, ms, smoothstep } from './easing.js';
import { CHANCE, eventsAround, signed, uniform } from './random.js';
import { EXPRESSION_STYLES, type ExpressionStyle, STATE_STYLES, type StateStyle } from './styles.js';
import type { PresenterSchedule, StateWeights } from './timeline.js';

const STATES: readonly PresenterState[] = ['idle', 'listening', 'thinking', 'speaking'];

/**
 * A blink: 80 ms down, 40 closed, 200 up (Bentivoglio et al. 1997, VanderWerf et al. 2003); 15 % come in pairs; generated
 * ones per minute of speech.
 */
const BLINK = {
  down: ms(80),
  closed: ms(40),
  up: ms(200),
  pair: ms(390),
  pairShare: 0.15,
  sigma: 0.45,
  perMinute: 17,
} as const;
/** Fixations and the saccades between them (main sequence: 20–30 ms plus 2.4 ms per degree). */
const FIXATION = { gap: ms(900), sigma: 0.5, base: ms(25), perDegree: ms(2.4) } as const;
/** Slow drift of the head: amplitude weights, and periods without a short common multiple. */
const DRIFT = [
  { weight: 1.5, period: ms(6500) },
  { weight: 1, period: ms(3500) },
  { weight: 0.8, period: ms(5500) },
] as const;
/** Radians of drift per axis for a weight of 1: most in yaw, least in roll. */
const DRIFT_RADIANS = { yaw: 0.0105, pitch: 0.007, roll: 0.0068 } as const;
/** Breath: 15 per minute. */
const BREATH = { period: ms(4000), px: 2.2, inhalePx: 2.4, inhale: ms(450), exhale: ms(1800) } as const;
/** Nod and brow: rise before the accent, decay after it. */
const NOD = { rise: ms(150), fall: ms(420) } as const;
const BROW = { rise: ms(140), hold: ms(120), fall: ms(380) } as const;
/** Nodding while listening: two small nods. */
const ASSENT = { gap: ms(5500), sigma: 0.5, beat: ms(420), radians: 0.014 } as const;
/** Degrees by which the eyes counter-rotate per radian of the head, so that they stay on the camera. */
const EYES_AGAINST = { yaw: 40, pitch: 30 } as const;

/** A pose without the mouth. */
export interface LifePose extends Omit<Pose, 'mouth'> {
  /** 0…1, before it is reduced by consonants. */
  readonly smile: number;
  /** Share of speaking, 0…1. */
  readonly speaking: number;
}

/** Eyes, head, brows and breath at a sample; pure. */
export function lifeAt(
  timeline: PresenterSchedule,
  options: { seed: number; expression: Expression; motion: OwnMotion | undefined },
  sample: number,
): LifePose {
  const { seed, motion } = options;
  const style = EXPRESSION_STYLES[options.expression];
  const states = timeline.statesAt(sample);
  const head = headAt(timeline, seed, { sample, states, style, motion });
  const eyes = gazeAt(seed, sample, states);
  const { rest, speaking } = style.smile;
  const arms = armsAt(timeline.armsNear(sample), sample);
  return {
    lids: Math.max(style.lids, lidsAt(timeline, { seed, motion }, sample)),
    gaze: {
      x: clamp(eyes.x - EYES_AGAINST.yaw * head.yaw, -8, 8),
      y: clamp(eyes.y + EYES_AGAINST.pitch * head.pitch, -8, 8),
    },
    head,
    breath: breathAt(timeline, seed, sample, states),
    sway: 2.6 * wave(seed, 21, ms(11_100), sample),
    brow: clamp(style.brow + weigh(states, (style) => style.brow) + browAccents(timeline, sample), -0.5, 1),
    ...(arms && { arms }),
    smile: rest + (speaking - rest) * states.speaking,
    speaking: states.speaking,
  };
}

/** Mean of a property of the state styles, by the states' weights. */
function weigh(states: StateWeights, of: (style: StateStyle) => number): number {
  let sum = 0;
  for (const state of STATES) if (states[state] > 0) sum += states[state] * of(STATE_STYLES[state]);
  return sum;
}

/** Sine of a period, with phase and tempo (±6 %) drawn for each seed and `index`. */
function wave(seed: number, index: number, period: number, sample: number): number {
  const tempo = 1 + 0.06 * signed(seed, CHANCE.phase, 2 * index + 1);
  // Reduced to one turn before the sine, so that the phase stays exact for hours.
  const turns = (sample / period) * tempo + uniform(seed, CHANCE.phase, 2 * index);
  return Math.sin(2 * Math.PI * (turns - Math.floor(turns)));
}

function lidsAt(
  timeline: PresenterSchedule,
  { seed, motion }: { seed: number; motion: OwnMotion | undefined },
  sample: number,
): number {
  const process = { seed, chance: CHANCE.blink, sigma: BLINK.sigma };
  const often = motion === undefined ? 1 : motion.blinksPerMinute / BLINK.perMinute;
  let lids = 0;
  for (const event of eventsAround(process, often * timeline.blinkPhase(sample), 2)) {
    const age = sample - timeline.blinkSample(event.at / often);
    lids = Math.max(lids, blinkShape(age));
    if (uniform(seed, CHANCE.doubleBlink, event.index) < BLINK.pairShare) {
      lids = Math.max(lids, blinkShape(age - BLINK.pair));
    }
  }
  return lids;
}

function blinkShape(age: number): number {
  const opens = BLINK.down + BLINK.closed;
  if (age < 0 || age > opens + BLINK.up) return 0;
  return smoothstep(0, BLINK.down, age) * (1 - smoothstep(opens, opens + BLINK.up, age));
}

function gazeAt(seed: number, sample: number, states: StateWeights): { x: number; y: number } {
  const process = { seed, chance: CHANCE.fixation, sigma: FIXATION.sigma };
  const [current, previous] = eventsAround(process, sample / FIXATION.gap, 2);
  if (current === undefined || previous === undefined) return { x: 0, y: 0 };
  let x = 0;
  let y = 0;
  for (const state of STATES) {
    if (states[state] === 0) continue;
    const from = fixation(seed, previous.index, STATE_STYLES[state]);
    const to = fixation(seed, current.index, STATE_STYLES[state]);
    const duration = FIXATION.base + FIXATION.perDegree * Math.hypot(to.x - from.x, to.y - from.y);
    const t = smoothstep(0, duration, sample - current.at * FIXATION.gap);
    x += states[state] * (from.x + (to.x - from.x) * t);
    y += states[state] * (from.y + (to.y - from.y) * t);
  }
  return { x, y };
}

/** Side of the picture that a presenter prefers for thinking and listening. */
const sideOf = (seed: number): number => (uniform(seed, CHANCE.side, 0) < 0.5 ? -1 : 1);

function fixation(seed: number, index: number, { contact, gaze }: StateStyle): { x: number; y: number } {
  const x = signed(seed, CHANCE.gazeX, index);
  const y = signed(seed, CHANCE.gazeY, index);
  // A steady gaze still moves between the viewer's eyes and mouth.
  if (uniform(seed, CHANCE.contact, index) < contact) return { x: 0.45 * x, y: 0.35 * y };
  return { x: gaze.x * sideOf(seed) + gaze.spreadX * x, y: gaze.y + gaze.spreadY * y };
}

function headAt(
  timeline: PresenterSchedule,
  seed: number,
  at: { sample: number; states: StateWeights; style: ExpressionStyle; motion: OwnMotion | undefined },
): Pose['head'] {
  const { sample, states, style, motion } = at;
  const amount = style.head;
  const drift = (axis: number, name: keyof typeof DRIFT_RADIANS): number =>
    motion === undefined
      ? DRIFT_RADIANS[name] *
        DRIFT.reduce((sum, { weight, period }, i) => sum + weight * wave(seed, axis * 3 + i, period, sample), 0)
      : loopAt(motion, motion[name], sample);
  const scale = amount * weigh(states, (style) => style.drift);
  const side = sideOf(seed);
  let yaw = scale * drift(0, 'yaw') + side * weigh(states, (style) => style.yaw);
  let pitch = scale * drift(1, 'pitch') + style.pitch + weigh(states, (style) => style.pitch);
  let roll = scale * drift(2, 'roll') + side * (style.roll + weigh(states, (style) => style.roll));
  for (const phrase of timeline.phrasesNear(sample)) {
    if (phrase.start - ms(250) >= phrase.lifetime.cutAt) continue;
    const from = Math.max(phrase.start - ms(250), phrase.lifetime.knownAt);
    const end = Math.min(phrase.end - ms(100), phrase.lifetime.cutAt);
    const share = amount * smoothstep(from, from + ms(700), sample) * (1 - smoothstep(end, end + ms(700), sample));
    yaw += share * phrase.yaw;
    pitch += share * phrase.pitch;
    roll += share * phrase.roll;
  }
  pitch += style.nod * (nods(timeline, sample) + states.listening * assent(seed, sample));
  return {
    yaw: clamp(yaw, -0.26, 0.26),
    pitch: clamp(pitch, -0.1, 0.1),
    roll: clamp(roll, -0.07, 0.07),
    x: amount * 4 * wave(seed, 18, ms(10_000), sample),
    y: amount * 1.6 * wave(seed, 19, ms(5300), sample),
  };
}

/** A curve of a loop at a sample, smooth between its values. */
function loopAt({ rate }: OwnMotion, values: readonly number[], sample: number): number {
  const position = ((sample / SAMPLE_RATE) * rate) % values.length;
  const i = Math.floor(position);
  const f = position - i;
  const [a, b, c, d] = [-1, 0, 1, 2].map((k) => values[(i + k + values.length) % values.length]!) as [
    number,
    number,
    number,
    number,
  ];
  // Catmull-Rom: an angle between two values would turn the head in steps.
  return b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
}

/** True when a movement that starts at `start` was known by then and not interrupted. */
const happens = (lifetime: { knownAt: number; cutAt: number }, start: number): boolean =>
  start >= lifetime.knownAt && start < lifetime.cutAt;

function nods(timeline: PresenterSchedule, sample: number): number {
  let pitch = 0;
  for (const { at, amount, lifetime } of timeline.accentsNear('nods', sample)) {
    if (!happens(lifetime, at - NOD.rise)) continue;
    pitch += amount * smoothstep(at - NOD.rise, at, sample) * (1 - smoothstep(at, at + NOD.fall, sample));
  }
  return pitch;
}

function assent(seed: number, sample: number): number {
  const [event] = eventsAround({ seed, chance: CHANCE.agree, sigma: ASSENT.sigma }, sample / ASSENT.gap, 1);
  const age = event === undefined ? 0 : (sample - event.at * ASSENT.gap) / ASSENT.beat;
  if (age <= 0 || age >= 2) return 0;
  return ASSENT.radians * (1 - 0.4 * Math.floor(age)) * Math.sin(Math.PI * (age % 1)) ** 2;
}

function browAccents(timeline: PresenterSchedule, sample: number): number {
  let lift = 0;
  for (const { at, amount, lifetime } of timeline.accentsNear('brows', sample)) {
    if (!happens(lifetime, at - BROW.rise)) continue;
    const fallAt = at + BROW.hold;
    const shape = smoothstep(at - BROW.rise, at, sample) * (1 - smoothstep(fallAt, fallAt + BROW.fall, sample));
    lift = Math.max(lift, amount * shape);
  }
  return lift;
}

function breathAt(timeline: PresenterSchedule, seed: number, sample: number, states: StateWeights): number {
  let inhaled = 0;
  for (const { start, lifetime } of timeline.phrasesNear(sample)) {
    if (lifetime.cutAt <= start) continue;
    const from = Math.max(start - BREATH.inhale, lifetime.knownAt);
    const to = Math.max(start, from + BREATH.inhale / 2);
    inhaled = Math.max(inhaled, smoothstep(from, to, sample) * (1 - smoothstep(to, to + BREATH.exhale, sample)));
  }
  const calm = 1 - 0.45 * states.speaking;
  return BREATH.px * calm * wave(seed, 20, BREATH.period, sample) + BREATH.inhalePx * inhaled;
}
