import type { PresenterState, SpokenStretch } from './contract.js';
import { ms, smoothstep, upperBound } from './easing.js';
import type { Accent, MouthPart, Phrase } from './movement.js';
import { compileStretch, type Score } from './score.js';

/** States cross-fade in this time. */
const FADE = ms(300);
/** A speaker settles a moment after the last word, and gathers a moment before the first. */
const SPEECH_TAIL = ms(100);
const SPEECH_HEAD = ms(200);
/** Movements outside a stretch that still belong to it (inhalation, settling of the head) end within this. */
const STRETCH_REACH = ms(2500);
/** Mean time between blinks; talking people blink more. */
const BLINK_GAP = { idle: ms(3500), speaking: ms(2300) } as const;

/** How much of each state shows; sums to 1. */
export type StateWeights = Readonly<Record<PresenterState, number>>;

interface StateChange {
  readonly at: number;
  readonly state: PresenterState;
}

/** From `at` on the blink clock runs `rate` blinks a sample; it showed `phase` there. */
interface BlinkKnot {
  readonly at: number;
  readonly phase: number;
  readonly rate: number;
}

/** All that is known of a presenter's doings: compiled speech, states, and the blink clock that runs faster in speech. */
export class Timeline {
  private scores: Score[] = [];
  private states: StateChange[] = [{ at: -FADE, state: 'idle' }];
  private blinks: BlinkKnot[] = [{ at: 0, phase: 0, rate: 1 / BLINK_GAP.idle }];

  constructor(private readonly seed: number) {}

  /** Adds a stretch; stretches come in order of time. `knownAt`: nothing of it shows before that sample. */
  append(stretch: SpokenStretch, knownAt = -Infinity): Score {
    const score = compileStretch(stretch, this.seed, knownAt);
    this.scores.push(score);
    this.runBlinks(score.start, BLINK_GAP.speaking);
    this.runBlinks(score.end, BLINK_GAP.idle);
    return score;
  }

  /** Breaks off all speech at `sample`: what sounds fades, what has not begun is forgotten. */
  cut(sample: number): void {
    this.scores = this.scores.filter((score) => score.start < sample);
    for (const score of this.scores) {
      if (score.end > sample) score.lifetime.cutAt = Math.min(score.lifetime.cutAt, sample);
    }
    const speaking = this.scores.some((score) => score.lifetime.cutAt === sample);
    this.blinks = this.blinks.filter((knot, i) => i === 0 || knot.at < sample);
    if (speaking) this.runBlinks(sample, BLINK_GAP.idle);
  }

  /** The state from `sample` on; changes come in order of time. */
  setState(state: PresenterState, sample: number): void {
    this.states = this.states.filter((change, i) => i === 0 || change.at <= sample);
    if (this.states.at(-1)?.state !== state) this.states.push({ at: sample, state });
  }

  /** Forgets what cannot be seen from `sample` on. */
  forget(sample: number): void {
    const seen = sample - STRETCH_REACH;
    const keep = this.scores.findIndex((score) => score.end > seen);
    if (keep !== 0) this.scores.splice(0, keep < 0 ? this.scores.length : keep);
    const past = upperBound(this.blinks, seen, (knot) => knot.at) - 1;
    if (past > 0) this.blinks.splice(0, past);
    const changes = upperBound(this.states, seen, (change) => change.at) - 1;
    if (changes > 0) this.states.splice(0, changes);
  }

  /** Parts of phones that touch a span of samples, in order. */
  partsBetween(from: number, to: number): MouthPart[] {
    const found: MouthPart[] = [];
    for (const score of this.scoresNear(from, to)) {
      const low = upperBound(score.parts, from, (part) => part.end);
      const high = upperBound(score.parts, to, (part) => part.start);
      for (let i = low; i < high; i++) {
        const part = score.parts[i];
        if (part !== undefined) found.push(part);
      }
    }
    return found;
  }

  /** Phrases whose attitude or breath may show at `sample`. */
  phrasesNear(sample: number): Phrase[] {
    return this.scoresNear(sample - ms(2000), sample + ms(600)).flatMap((score) => {
      const low = upperBound(score.phrases, sample - ms(2000), (phrase) => phrase.end);
      const high = upperBound(score.phrases, sample + ms(600), (phrase) => phrase.start);
      return score.phrases.slice(low, high);
    });
  }

  /** Nods and brow movements of the last and next second. */
  accentsNear(kind: 'nods' | 'brows', sample: number): Accent[] {
    return this.scoresNear(sample - ms(1000), sample + ms(1000)).flatMap((score) => {
      const low = upperBound(score[kind], sample - ms(1000), (accent) => accent.at);
      const high = upperBound(score[kind], sample + ms(1000), (accent) => accent.at);
      return score[kind].slice(low, high);
    });
  }

  /** Weights of the states at a sample. Speech makes a speaker of any state for as long as it lasts. */
  statesAt(sample: number): StateWeights {
    const weights: Record<PresenterState, number> = { idle: 0, listening: 0, thinking: 0, speaking: 0 };
    const next = upperBound(this.states, sample, (change) => change.at);
    for (const change of this.states.slice(Math.max(0, next - 4), next)) {
      shift(weights, change.state, smoothstep(change.at, change.at + FADE, sample));
    }
    // The oldest change kept may still be fading; what it came from is taken for idle.
    const rest = 1 - (weights.idle + weights.listening + weights.thinking + weights.speaking);
    weights.idle += Math.max(0, rest);
    shift(weights, 'speaking', this.speechAt(sample));
    return weights;
  }

  /** Reading of the blink clock at a sample: its whole unit is the mean time between two blinks. */
  blinkPhase(sample: number): number {
    const knot = this.blinks[Math.max(0, upperBound(this.blinks, sample, (item) => item.at) - 1)];
    return knot === undefined ? 0 : knot.phase + (sample - knot.at) * knot.rate;
  }

  /** Sample at which the blink clock reads `phase`. */
  blinkSample(phase: number): number {
    const knot = this.blinks[Math.max(0, upperBound(this.blinks, phase, (item) => item.phase) - 1)];
    return knot === undefined ? 0 : knot.at + (phase - knot.phase) / knot.rate;
  }

  private speechAt(sample: number): number {
    let silent = 1;
    for (const { start, end, lifetime } of this.scoresNear(sample - ms(1000), sample + ms(1000))) {
      const from = Math.max(start - SPEECH_HEAD, lifetime.knownAt);
      const to = Math.min(end, lifetime.cutAt) + SPEECH_TAIL;
      silent *= 1 - smoothstep(from, from + FADE, sample) * (1 - smoothstep(to, to + FADE, sample));
    }
    return 1 - silent;
  }

  private scoresNear(from: number, to: number): Score[] {
    const high = upperBound(this.scores, to, (score) => score.start);
    let low = high;
    while (low > 0 && (this.scores[low - 1]?.end ?? 0) >= from) low--;
    return this.scores.slice(low, high);
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
