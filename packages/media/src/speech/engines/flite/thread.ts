import { workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { gainOf, SPEECH_LUFS } from '../../../loudness.js';
import { SAMPLE_RATE, secondsToSamples } from '../../../time.js';
import { endingOf } from '../../prosody/melody.js';
import { shaped, withProsody } from '../../prosody/shape.js';
import { Resampler } from '../../resample.js';
import { assignTokens } from '../alignment.js';
import { HEAD_MARGIN_SECONDS, HEAD_SECONDS, headBefore } from '../head.js';
import { master } from '../master.js';
import type { SentenceOrder, SpokenPhone, SpokenSentence } from '../sentence.js';
import { serveJobs } from '../thread-jobs.js';
import { FLITE_RATE, type GrowingWave, speakGrowing } from './growing-wave.js';
import { withHeardOnsets } from './onsets.js';
import { ipaOf, isVowel, stressOf, type TimedPhone } from './phones.js';
import { MemoryProgram } from './program.js';
import { ADDENDA, spellSounds } from './sounds.js';
import { FLITE_VOICES, type FliteVoice, liveliness } from './voices.js';

/** Sound kept before the first and after the last phone, in seconds at speed 1: the attack of a stop, the decay of a vowel. */
const LEAD_SECONDS = 0.012;
const TAIL_SECONDS = 0.06;

/** Tokens whose phones are remembered by a thread; running text repeats itself. */
const REMEMBERED = 4000;

/**
 * Share of a sentence that its head has at least, so that the rest is there in time even if its sound takes ten times as
 * long to compute as was measured (0.01 s a second).
 */
const HEAD_SHARE = 0.1;

/**
 * Share of the tokens' own phones from which on the phones of an utterance are taken for all of the sentence: Flite may cut it into
 * several, and only those so far are known with the head. Connected speech loses few phones.
 */
const WHOLE_SHARE = 0.8;

/** What the thread is started with. */
export interface FliteThreadData {
  /** Flite as `tapWaves` gives it. */
  readonly module: WebAssembly.Module;
}

/** What the thread does: speaks a sentence; with a head, its first words are given as a part before the whole. */
export interface FliteJob {
  readonly order: SentenceOrder;
  readonly withHead: boolean;
}

/** Files of a run by name. */
type Files = Readonly<Record<string, Uint8Array>>;

/** What a run says, its tokens as Flite gets them. */
interface Said {
  readonly order: SentenceOrder;
  readonly voice: FliteVoice;
  readonly files: Files;
}

class FliteSpeaker {
  readonly #module: WebAssembly.Module;
  readonly #resampler = new Resampler(FLITE_RATE, SAMPLE_RATE);
  readonly #phonesOf = new LRUCache<string, readonly string[]>({ max: REMEMBERED });
  readonly #ready: MemoryProgram[] = [];

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Makes the programs of the next sentence while nobody waits for it: 10 ms for each of its two runs. */
  prepare(): void {
    while (this.#ready.length < 2) this.#ready.push(new MemoryProgram(this.#module));
  }

  /** @param onHead gets the first words while the sound of the others is still computed. */
  speak(order: SentenceOrder, onHead?: (head: SpokenSentence) => void): SpokenSentence {
    const voice = FLITE_VOICES.find(({ voice }) => voice === order.voice);
    if (!voice) throw new Error(`expected a Flite voice, got ${order.voice}`);
    const args = ['flite', '-voice', voice.voice, '--setf', `duration_stretch=${1 / order.speed}`];
    // A voice whose melody cannot be set keeps its question rise too.
    const lively = voice.pitchDeviationHz === undefined ? 1 : liveliness(order.stability);
    if (voice.pitchDeviationHz !== undefined) {
      args.push('--setf', `int_f0_target_stddev=${voice.pitchDeviationHz * lively}`);
    }
    const { tokens, addenda } = spellSounds(order);
    const files = addenda === undefined ? {} : { [ADDENDA]: Buffer.from(addenda) };
    if (addenda !== undefined) args.push('-add_lex', ADDENDA);
    const said: Said = { order: { ...order, tokens }, voice, files };
    const finish = (samples: Int16Array, phones: readonly TimedPhone[]): SpokenSentence =>
      this.#finish(samples, phones, said);
    const onGrown = onHead && this.#headGiver({ said, finish, onHead });
    const { samples, phones } = speakGrowing(this.#program(), [...args, '-t', tokens.join(' ')], { onGrown, files });
    const spoken = finish(samples, phones);
    const ending = endingOf(spoken, { tokens: order.tokens, fall: voice.finalFall, liveliness: lively });
    return withProsody(shaped(spoken, ending), order.prosody);
  }

  /** What hears the sound grow until it is enough for a head, where the sentence is long enough to have one. */
  #headGiver({
    said,
    finish,
    onHead,
  }: {
    readonly said: Said;
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

  /** The first token that begins after enough sound for a head, and the sound that must be there to cut before it. */
  #headOf(
    phones: readonly TimedPhone[],
    { order: { tokens, speed }, files }: Said,
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
    // After a pause, where a sound begins to be heard is known when all of it has been.
    const isOnset = phones[phones.indexOf(next) - 1]?.phone === 'pau';
    return { token: owners[at]!, seconds: isOnset ? next.end : next.start };
  }

  /** What was said, from the first sound to the last or as far as there are samples, as others hear it. */
  #finish(raw: Int16Array, spoken: readonly TimedPhone[], { order, voice, files }: Said): SpokenSentence {
    const gain = gainOf(SPEECH_LUFS - voice.rawLufs);
    const phones = withHeardOnsets(spoken, raw, gain);
    // What is too quiet for an onset is a sound nevertheless: it stays.
    const span = soundSpan(spoken, order.speed);
    if (!span) return { samples: new Float32Array(0), phones: [] };
    const [from, to] = [Math.round(FLITE_RATE * span.from), Math.round(FLITE_RATE * span.to)];
    const sound = this.#resampler.process(Float32Array.from(raw.subarray(from, to), (sample) => sample / 32_768));
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

  /** The phones that are heard, the token of each, and how many phones the tokens have alone. */
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

  /** Phones of each token said alone: one utterance each, separated by empty lines, with the voice that computes fastest. */
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
    // A token such as `a. b` is more than one utterance to Flite; then each is asked for by itself.
    if (lines.length !== tokens.length && tokens.length > 1)
      return tokens.flatMap((token) => this.#phoneLines([token], own));
    const phones = (line: string): string[] => line.split(' ').filter((phone) => phone !== '' && phone !== 'pau');
    return tokens.length === 1 ? [lines.flatMap(phones)] : lines.map(phones);
  }

  #program(): MemoryProgram {
    return this.#ready.pop() ?? new MemoryProgram(this.#module);
  }
}

/** When the sound of the phones begins and ends, in seconds, with what is kept around it; `undefined` when they are all silence. */
function soundSpan(
  phones: readonly TimedPhone[],
  speed: number,
): { readonly from: number; readonly to: number } | undefined {
  const sounds = phones.filter(({ phone }) => phone !== 'pau');
  const [first, last] = [sounds[0], sounds.at(-1)];
  if (!first || !last) return undefined;
  return { from: Math.max(0, first.start - LEAD_SECONDS / speed), to: last.end + TAIL_SECONDS / speed };
}

const speaker = new FliteSpeaker((workerData as FliteThreadData).module);
speaker.prepare();
serveJobs(
  ({ order, withHead }: FliteJob, give: (head: SpokenSentence) => void) => {
    setImmediate(() => speaker.prepare());
    return speaker.speak(order, withHead ? give : undefined);
  },
  ({ samples }) => [samples.buffer as ArrayBuffer],
);
