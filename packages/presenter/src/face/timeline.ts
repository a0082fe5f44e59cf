import { type ArmGesture, REST_LEAST } from './arms.js';
import { type CompiledStretch, compileStretch } from './compiled-stretch.js';
import type { PresenterState, SpokenStretch } from './contract.js';
import { ms, overlapping, smoothstep, upperBound } from './easing.js';
import type { Accent, MouthPart, Phrase } from './movement.js';

/** States cross-fade in this time. */
const FADE = ms(300);
/** The speaking state starts this long before the first word and ends this long after the last. */
const SPEECH_TAIL = ms(100);
const SPEECH_HEAD = ms(200);
/** Time by which movements of a stretch (inhalation, the head's return) extend beyond it. */
const STRETCH_REACH = ms(2500);
/** Mean time between blinks; people blink more while they speak. */
const BLINK_GAP = { idle: ms(3500), speaking: ms(2300) } as const;

/** Weight of each state; sums to 1. */
export type StateWeights = Readonly<Record<PresenterState, number>>;

interface StateChange {
  readonly at: number;
  readonly state: PresenterState;
}

/** At sample `at` the blink clock has the value `phase`; from there it runs at `rate` blinks per sample. */
interface BlinkKnot {
  readonly at: number;
  readonly phase: number;
  readonly rate: number;
}

/** The schedule of a presenter: compiled speech, states, and a blink clock that runs faster during speech. */
export class PresenterSchedule {
  private stretches: CompiledStretch[] = [];
  private states: StateChange[] = [{ at: -FADE, state: 'idle' }];
  private blinks: BlinkKnot[] = [{ at: 0, phase: 0, rate: 1 / BLINK_GAP.idle }];

  /** @param gestures whether arms move */
  constructor(
    private readonly seed: number,
    private readonly gestures = true,
  ) {}

  /** Adds a stretch; stretches come in order of time. Its movements start at `knownAt` at the earliest. */
  append(stretch: SpokenStretch, knownAt = -Infinity): CompiledStretch {
    const last = this.stretches.flatMap(({ arms }) => arms).at(-1);
    const restedAt = this.gestures ? (last === undefined ? -Infinity : last.end + REST_LEAST) : undefined;
    const compiled = compileStretch(stretch, { seed: this.seed, knownAt, restedAt });
    this.stretches.push(compiled);
    this.runBlinks(compiled.start, BLINK_GAP.speaking);
    this.runBlinks(compiled.end, BLINK_GAP.idle);
    return compiled;
  }

  /** Interrupts all speech at `sample`: current movements fade out, later stretches are removed. */
  cut(sample: number): void {
    this.stretches = this.stretches.filter((stretch) => stretch.start < sample);
    for (const stretch of this.stretches) {
      if (stretch.end > sample) stretch.lifetime.cutAt = Math.min(stretch.lifetime.cutAt, sample);
    }
    const speaking = this.stretches.some((stretch) => stretch.lifetime.cutAt === sample);
    this.blinks = this.blinks.filter((knot, i) => i === 0 || knot.at < sample);
    if (speaking) this.runBlinks(sample, BLINK_GAP.idle);
  }

  /** The state from `sample` on; changes come in order of time. */
  setState(state: PresenterState, sample: number): void {
    this.states = this.states.filter((change, i) => i === 0 || change.at <= sample);
    if (this.states.at(-1)?.state !== state) this.states.push({ at: sample, state });
  }

  /** Removes everything that does not affect poses from `sample` on. */
  prune(sample: number): void {
    const seen = sample - STRETCH_REACH;
    const keep = this.stretches.findIndex((stretch) => stretch.end > seen);
    if (keep !== 0) this.stretches.splice(0, keep < 0 ? this.stretches.length : keep);
    const past = upperBound(this.blinks, seen, (knot) => knot.at) - 1;
    if (past > 0) this.blinks.splice(0, past);
    const changes = upperBound(this.states, seen, (change) => change.at) - 1;
    if (changes > 0) this.states.splice(0, changes);
  }

  /** Parts of phones that overlap a span of samples, in order. */
  partsBetween(from: number, to: number): MouthPart[] {
    return this.stretchesNear(from, to).flatMap(({ parts }) => overlapping(parts, from, to));
  }

  /** Phrases whose attitude or breath may affect `sample`. */
  phrasesNear(sample: number): Phrase[] {
    const [from, to] = [sample - ms(2000), sample + ms(600)];
    return this.stretchesNear(from, to).flatMap(({ phrases }) => overlapping(phrases, from, to));
  }

  /** Nods and brow movements of the last and next second. */
  accentsNear(kind: 'nods' | 'brows', sample: number): Accent[] {
    return this.stretchesNear(sample - ms(1000), sample + ms(1000)).flatMap((stretch) => {
      const low = upperBound(stretch[kind], sample - ms(1000), (accent) => accent.at);
      const high = upperBound(stretch[kind], sample + ms(1000), (accent) => accent.at);
      return stretch[kind].slice(low, high);
    });
  }

  /** Gestures of the arms that are under way at a sample. */
  armsNear(sample: number): ArmGesture[] {
    return this.stretchesNear(sample - ms(1000), sample + ms(1000)).flatMap(({ arms }) =>
      overlapping(arms, sample, sample),
    );
  }

  /** Weights of the states at a sample. During speech the state is `speaking`. */
  statesAt(sample: number): StateWeights {
    const weights: Record<PresenterState, number> = { idle: 0, listening: 0, thinking: 0, speaking: 0 };
    const next = upperBound(this.states, sample, (change) => change.at);
    for (const change of this.states.slice(Math.max(0, next - 4), next)) {
      shift(weights, change.state, smoothstep(change.at, change.at + FADE, sample));
    }
    // The oldest stored change may still be fading; the state before it is assumed to be idle.
    const rest = 1 - (weights.idle + weights.listening + weights.thinking + weights.speaking);
    weights.idle += Math.max(0, rest);
    shift(weights, 'speaking', this.speechAt(sample));
    return weights;
  }

  /** Value of the blink clock at a sample; one unit is the mean time between two blinks. */
  blinkPhase(sample: number): number {
    const knot = this.blinks[Math.max(0, upperBound(this.blinks, sample, (item) => item.at) - 1)];
    return knot === undefined ? 0 : knot.phase + (sample - knot.at) * knot.rate;
  }

  /** Sample at which the blink clock has the value `phase`. */
  blinkSample(phase: number): number {
    const knot = this.blinks[Math.max(0, upperBound(this.blinks, phase, (item) => item.phase) - 1)];
    return knot === undefined ? 0 : knot.at + (phase - knot.phase) / knot.rate;
  }

  private speechAt(sample: number): number {
    let silent = 1;
    for (const { start, end, lifetime } of this.stretchesNear(sample - ms(1000), sample + ms(1000))) {
      const from = Math.max(start - SPEECH_HEAD, lifetime.knownAt);
      const to = Math.min(end, lifetime.cutAt) + SPEECH_TAIL;
      silent *= 1 - smoothstep(from, from + FADE, sample) * (1 - smoothstep(to, to + FADE, sample));
    }
    return 1 - silent;
  }

  private stretchesNear(from: number, to: number): CompiledStretch[] {
    const high = upperBound(this.stretches, to, (stretch) => stretch.start);
    let low = high;
    while (low > 0 && (this.stretches[low - 1]?.end ?? 0) >= from) low--;
    return this.stretches.slice(low, high);
  }

  private runBlinks(sample: number, gap: number): void {
    const last = this.blinks.at(-1);
    const at = Math.max(sample, last?.at ?? 0);
    this.blinks.push({ at, phase: this.blinkPhase(at), rate: 1 / gap });
  }
}

/** Moves `amount` (0…1) of all weight to one state. */
function shift(weights: Record<PresenterState, number>, state: PresenterState, amount: number): void {
  weights.idle *= 1 - amount;
  weights.listening *= 1 - amount;
  weights.thinking *= 1 - amount;
  weights.speaking *= 1 - amount;
  weights[state] += amount;
}
