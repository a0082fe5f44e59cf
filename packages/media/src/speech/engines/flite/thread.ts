import { workerData } from 'node:worker_threads';
import { SAMPLE_RATE, secondsToSamples } from '@figurehead/presenter/time';
import { LRUCache } from 'lru-cache';
import { gainOf, SPEECH_LUFS } from '../../../loudness.js';
import { endingOf } from '../../prosody/melody.js';
import { shaped, withProsody } from '../../prosody/shape.js';
import { resampled } from '../../resample.js';
import { assignTokens } from '../alignment.js';
import { HEAD_MARGIN_SECONDS, headBefore } from '../head.js';
import { master } from '../master.js';
import type { SentenceOrder, SpokenPhone, SpokenSentence } from '../sentence.js';
import { serveJobs } from '../thread-jobs.js';
import { FLITE_RATE, type GrowingWave, speakGrowing } from './growing-wave.js';
import { withHeardOnsets } from './onsets.js';
import { ipaOf, isVowel, stressOf, type TimedPhone } from './phones.js';
import { MemoryProgram } from './program.js';
import { ADDENDA, spellSounds } from './sounds.js';
import { FLITE_VOICES, type FliteVoice, liveliness } from './voices.js';
import type { TappedProgram } from './wave-tap.js';

/** Sound kept before the first and after the last phone, in seconds at speed 1: the attack of a stop, the decay of a vowel. */
const LEAD_SECONDS = 0.012;
const TAIL_SECONDS = 0.06;

/** Runs of a sentence: the sentence, and its tokens alone. */
const RUNS = 2;

/** Tokens whose phones a thread caches, because texts repeat words. */
const MAX_CACHED_TOKENS = 4000;

/** Minimum length of a head, in seconds. */
const HEAD_SECONDS = 0.2;

/**
 * Minimum share of a sentence in its head, so that the rest is ready in time even if it takes ten times as long to compute as
 * measured (0.01 s per second).
 */
const HEAD_SHARE = 0.1;

/**
 * An utterance with at least this share of the tokens' phones counts as the whole sentence. Flite may split a sentence into several
 * utterances, and at the time of the head only the first is known. Connected speech drops few phones.
 */
const WHOLE_SHARE = 0.8;

/** The thread's job: speaks a sentence; with a head, returns the first words as a part before the whole. */
export interface FliteJob {
  readonly order: SentenceOrder;
  readonly withHead: boolean;
}

/** Files of a run by name. */
type Files = Readonly<Record<string, Uint8Array>>;

/** A run with its tokens in the form for Flite. */
interface FliteRun {
  readonly order: SentenceOrder;
  readonly voice: FliteVoice;
  readonly files: Files;
}

class FliteSpeaker {
  readonly #phonesOf = new LRUCache<string, readonly string[]>({ max: MAX_CACHED_TOKENS });
  #ready: MemoryProgram[] = [];
  #used: MemoryProgram[] = [];

  constructor(private readonly flite: TappedProgram) {}

  /** Prepares the programs for the two runs of the next sentence, between jobs. */
  prepare(): void {
    const again = this.#used.slice(0, RUNS - this.#ready.length).filter((program) => program.reset());
    this.#used = [];
    this.#ready.push(...again);
    while (this.#ready.length < RUNS) this.#ready.push(new MemoryProgram(this.flite));
  }

  /** @param onHead receives the first words while the rest is still computed. */
  speak(order: SentenceOrder, onHead?: (head: SpokenSentence) => void): SpokenSentence {
    const voice = FLITE_VOICES.find(({ voice }) => voice === order.voice);
    if (!voice) throw new Error(`expected a Flite voice, got ${order.voice}`);
    const args = ['flite', '-voice', voice.voice, '--setf', `duration_stretch=${1 / order.speed}`];
    // A voice without adjustable melody keeps its own question rise too.
    const lively = voice.pitchDeviationHz === undefined ? 1 : liveliness(order.stability);
    if (voice.pitchDeviationHz !== undefined) {
      args.push('--setf', `int_f0_target_stddev=${voice.pitchDeviationHz * lively}`);
    }
    const { tokens, addenda } = spellSounds(order);
    const files = addenda === undefined ? {} : { [ADDENDA]: Buffer.from(addenda) };
    if (addenda !== undefined) args.push('-add_lex', ADDENDA);
    const said: FliteRun = { order: { ...order, tokens }, voice, files };
    const finish = (samples: Int16Array, phones: readonly TimedPhone[]): SpokenSentence =>
      this.#finish(samples, phones, said);
    const onGrown = onHead && this.#headGiver({ said, finish, onHead });
    const { samples, phones } = speakGrowing(this.#program(), [...args, '-t', tokens.join(' ')], { onGrown, files });
    const spoken = finish(samples, phones);
    const ending = endingOf(spoken, { tokens: order.tokens, fall: voice.finalFall, liveliness: lively });
    return withProsody(shaped(spoken, ending), order.prosody);
  }

  /** A callback for the growing sound that calls `onHead` once there is enough for a head; never for short sentences. */
  #headGiver({
    said,
    finish,
    onHead,
  }: {
    readonly said: FliteRun;
    readonly finish: (samples: Int16Array, phones: readonly TimedPhone[]) => SpokenSentence;
    readonly onHead: (head: SpokenSentence) => void;
  }): (wave: GrowingWave) => void {
    let wanted = 0;
    let head: { readonly phones: readonly TimedPhone[]; readonly token: number } | undefined;
    return (wave) => {
      if (wave.samples.length < wanted) return;
      if (head === undefined) {
        const phones = [...wave.phones];
        const cut = this.#headOf(phones, said);
        wanted = cut ? FLITE_RATE * (cut.seconds + HEAD_MARGIN_SECONDS) : Number.POSITIVE_INFINITY;
        if (cut) head = { phones, token: cut.token };
        return;
      }
      wanted = Number.POSITIVE_INFINITY;
      onHead(headBefore(finish(wave.samples, head.phones), head.token));
    };
  }

  /** The first token after the minimum length of a head, and the sound needed to cut before it. */
  #headOf(
    phones: readonly TimedPhone[],
    { order: { tokens, speed }, files }: FliteRun,
  ): { token: number; seconds: number } | undefined {
    const span = soundSpan(phones, speed);
    if (!span) return undefined;
    const { spoken, owners, known } = this.#ownersOf(tokens, phones, files);
    if (spoken.length < WHOLE_SHARE * known) return undefined;
    const earliest = span.from + Math.max(HEAD_SECONDS, HEAD_SHARE * (span.to - span.from));
    const at = spoken.findIndex(
      ({ start }, index) => index > 0 && owners[index] !== owners[index - 1] && start >= earliest,
    );
    const next = spoken[at];
    if (!next) return undefined;
    // After a pause, the audible start of a sound is known only when the whole sound has been computed.
    const isOnset = phones[phones.indexOf(next) - 1]?.phone === 'pau';
    return { token: owners[at]!, seconds: isOnset ? next.end : next.start };
  }

  /** The finished sentence from the first sound to the last, or to the end of the samples. */
  #finish(raw: Int16Array, spoken: readonly TimedPhone[], { order, voice, files }: FliteRun): SpokenSentence {
    const gain = gainOf(SPEECH_LUFS - voice.rawLufs);
    const phones = withHeardOnsets(spoken, raw, gain);
    // Uses the original phones, because a sound below the onset threshold must not be cut off.
    const span = soundSpan(spoken, order.speed);
    if (!span) return { samples: new Float32Array(0), phones: [] };
    const [from, to] = [Math.round(FLITE_RATE * span.from), Math.round(FLITE_RATE * span.to)];
    const floats = new Float32Array(raw.subarray(from, to)).map((sample) => sample / 32_768);
    const sound = resampled(floats, FLITE_RATE, SAMPLE_RATE);
    const samples = master(sound, { from: 0, to: sound.length }, gain);
    const start = (from * SAMPLE_RATE) / FLITE_RATE;
    return { samples, phones: this.#placePhones(order.tokens, phones, { start, length: samples.length, files }) };
  }

  #placePhones(
    tokens: readonly string[],
    phones: readonly TimedPhone[],
    cut: { start: number; length: number; files: Files },
  ): SpokenPhone[] {
    const { spoken, owners } = this.#ownersOf(tokens, phones, cut.files);
    const stresses = tokens.flatMap((token, index) =>
      stressOf(
        token,
        spoken.filter((_, at) => owners[at] === index),
      ),
    );
    const place = (seconds: number): number => Math.min(cut.length, Math.max(0, secondsToSamples(seconds) - cut.start));
    let sound = 0;
    const out: SpokenPhone[] = [];
    for (const { phone, start, end } of phones) {
      const isPause = phone === 'pau';
      const token = isPause ? -1 : owners[sound]!;
      const stress = isPause ? 0 : (stresses[sound] ?? 0);
      if (!isPause) sound++;
      const from = place(start);
      const to = place(end);
      if (to > from) out.push({ phone: ipaOf(phone), stress, start: from, end: to, token });
    }
    return out;
  }

  /** The token of each phone of the speech, and the number of phones that the tokens have alone. */
  #ownersOf(
    tokens: readonly string[],
    phones: readonly TimedPhone[],
    files: Files,
  ): { spoken: TimedPhone[]; owners: number[]; known: number } {
    const spoken = phones.filter(({ phone }) => phone !== 'pau');
    const alone = this.#tokenPhones(tokens, files);
    const owners = assignTokens({ spoken: spoken.map(({ phone }) => phone), tokens: alone, isVowel });
    return { spoken, owners, known: alone.reduce((sum, { length }) => sum + length, 0) };
  }

  /** Phones of each token spoken alone: one utterance each, separated by empty lines, with the fastest voice. */
  #tokenPhones(tokens: readonly string[], files: Files): (readonly string[])[] {
    const unknown = [...new Set(tokens)].filter((token) => token !== '' && !this.#phonesOf.has(token));
    const lines = unknown.length > 0 ? this.#phoneLines(unknown, files) : [];
    const found = new Map(unknown.map((token, index) => [token, lines[index] ?? []]));
    const out = tokens.map((token) => found.get(token) ?? this.#phonesOf.get(token) ?? []);
    for (const [token, phones] of found) this.#phonesOf.set(token, phones);
    return out;
  }

  #phoneLines(tokens: readonly string[], own: Files): string[][] {
    const text = new TextEncoder().encode(tokens.map((token) => `${token}\n\n`).join(''));
    const args = [
      'flite',
      '-voice',
      'kal16',
      '--setf',
      'duration_stretch=0.1',
      '-ps',
      '-f',
      'tokens.txt',
      '-o',
      'none',
      ...(Object.hasOwn(own, ADDENDA) ? ['-add_lex', ADDENDA] : []),
    ];
    const stdout = this.#program().run(args, { files: { ...own, 'tokens.txt': text } });
    const lines = stdout.split('\n').slice(0, -1);
    // Flite splits a token such as `a. b` into several utterances; then each token is processed alone.
    if (lines.length !== tokens.length && tokens.length > 1)
      return tokens.flatMap((token) => this.#phoneLines([token], own));
    const phones = (line: string): string[] => line.split(' ').filter((phone) => phone !== '' && phone !== 'pau');
    return tokens.length === 1 ? [lines.flatMap(phones)] : lines.map(phones);
  }

  #program(): MemoryProgram {
    const program = this.#ready.pop() ?? new MemoryProgram(this.flite);
    this.#used.push(program);
    return program;
  }
}

/** Start and end of the phones' sound with its margins, in seconds; `undefined` when all of them are silence. */
function soundSpan(
  phones: readonly TimedPhone[],
  speed: number,
): { readonly from: number; readonly to: number } | undefined {
  const sounds = phones.filter(({ phone }) => phone !== 'pau');
  const [first, last] = [sounds[0], sounds.at(-1)];
  if (!first || !last) return undefined;
  return { from: Math.max(0, first.start - LEAD_SECONDS / speed), to: last.end + TAIL_SECONDS / speed };
}

const speaker = new FliteSpeaker(workerData as TappedProgram);
speaker.prepare();
serveJobs(
  ({ order, withHead }: FliteJob, give: (head: SpokenSentence) => void) => {
    setImmediate(() => speaker.prepare());
    return speaker.speak(order, withHead ? give : undefined);
  },
  ({ samples }) => [samples.buffer as ArrayBuffer],
);
