import { workerData } from 'node:worker_threads';
import { gainOf, SPEECH_LUFS } from '../../../loudness.js';
import { SAMPLE_RATE, secondsToSamples } from '../../../time.js';
import { Resampler } from '../../resample.js';
import { assignTokens } from '../alignment.js';
import { master } from '../master.js';
import type { SentenceOrder, SpokenPhone, SpokenSentence } from '../sentence.js';
import { serveJobs } from '../thread-jobs.js';
import { ipaOf, isVowel, parseTimedPhones, stressOf, type TimedPhone } from './phones.js';
import { MemoryProgram } from './program.js';
import { FLITE_VOICES, pitchDeviation } from './voices.js';

/** Samples a second of every Flite voice on offer. */
const RATE = 16_000;

/** Sound kept before the first and after the last phone, in seconds at speed 1: the attack of a stop, the decay of a vowel. */
const LEAD_SECONDS = 0.012;
const TAIL_SECONDS = 0.06;

/** Tokens whose phones are remembered by a thread; running text repeats itself. */
const REMEMBERED = 4000;

/** What the thread is started with. */
export interface FliteThreadData {
  readonly module: WebAssembly.Module;
}

class FliteSpeaker {
  readonly #module: WebAssembly.Module;
  readonly #resampler = new Resampler(RATE, SAMPLE_RATE);
  readonly #phonesOf = new Map<string, readonly string[]>();
  readonly #ready: MemoryProgram[] = [];

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Makes the programs of the next sentence while nobody waits for it: 10 ms for each of its two runs. */
  prepare(): void {
    while (this.#ready.length < 2) this.#ready.push(new MemoryProgram(this.#module));
  }

  speak(order: SentenceOrder): SpokenSentence {
    const voice = FLITE_VOICES.find(({ voice }) => voice === order.voice);
    if (!voice) throw new Error(`expected a Flite voice, got ${order.voice}`);
    const args = ['flite', '-voice', voice.voice, '--setf', `duration_stretch=${1 / order.speed}`];
    const deviation = pitchDeviation(voice, order.stability);
    if (deviation !== undefined) args.push('--setf', `int_f0_target_stddev=${deviation}`);
    const text = order.tokens.join(' ');
    const { stdout, files } = this.#program().run([...args, '-psdur', '-t', text, '-o', 'speech.wav']);
    const phones = parseTimedPhones(stdout);
    const sounds = phones.filter(({ phone }) => phone !== 'pau');
    if (sounds.length === 0) return { samples: new Float32Array(0), phones: [] };

    const from = Math.round(RATE * Math.max(0, sounds[0]!.start - LEAD_SECONDS / order.speed));
    const to = Math.round(RATE * (sounds.at(-1)!.end + TAIL_SECONDS / order.speed));
    const sound = this.#resampler.process(samplesOfWav(files.get('speech.wav')).subarray(from, to));
    const samples = master(sound, { from: 0, to: sound.length }, gainOf(SPEECH_LUFS - voice.rawLufs));
    const start = (from * SAMPLE_RATE) / RATE;
    return { samples, phones: this.#placePhones(order.tokens, phones, { start, length: samples.length }) };
  }

  #placePhones(
    tokens: readonly string[],
    phones: readonly TimedPhone[],
    cut: { start: number; length: number },
  ): SpokenPhone[] {
    const spoken = phones.filter(({ phone }) => phone !== 'pau').map(({ phone }) => phone);
    const owners = assignTokens({ spoken, tokens: this.#tokenPhones(tokens), isVowel });
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

  /** Phones of each token said alone: one utterance each, separated by empty lines, with the voice that computes fastest. */
  #tokenPhones(tokens: readonly string[]): (readonly string[])[] {
    const unknown = [...new Set(tokens)].filter((token) => token !== '' && !this.#phonesOf.has(token));
    if (this.#phonesOf.size > REMEMBERED) this.#phonesOf.clear();
    const lines = unknown.length > 0 ? this.#phoneLines(unknown) : [];
    const found = new Map(unknown.map((token, index) => [token, lines[index] ?? []]));
    const out = tokens.map((token) => found.get(token) ?? this.#phonesOf.get(token) ?? []);
    for (const [token, phones] of found) this.#phonesOf.set(token, phones);
    return out;
  }

  #phoneLines(tokens: readonly string[]): string[][] {
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
    ];
    const { stdout } = this.#program().run(args, { 'tokens.txt': text });
    const lines = stdout.split('\n').slice(0, -1);
    // A token such as `a. b` is more than one utterance to Flite; then each is asked for by itself.
    if (lines.length !== tokens.length && tokens.length > 1)
      return tokens.flatMap((token) => this.#phoneLines([token]));
    const phones = (line: string): string[] => line.split(' ').filter((phone) => phone !== '' && phone !== 'pau');
    return tokens.length === 1 ? [lines.flatMap(phones)] : lines.map(phones);
  }

  #program(): MemoryProgram {
    return this.#ready.pop() ?? new MemoryProgram(this.#module);
  }
}

/** Samples of a RIFF file with 16-bit mono PCM as Flite writes it: a header of 44 bytes, whatever its length fields say. */
function samplesOfWav(file: Uint8Array | undefined): Float32Array {
  if (!file || file.length < 44) throw new Error('expected Flite to write a RIFF file');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const rate = view.getUint32(24, true);
  if (rate !== RATE) throw new Error(`expected ${RATE} samples a second from Flite, got ${rate}`);
  const samples = new Float32Array((file.length - 44) >> 1);
  for (let n = 0; n < samples.length; n++) samples[n] = view.getInt16(44 + 2 * n, true) / 32_768;
  return samples;
}

const speaker = new FliteSpeaker((workerData as FliteThreadData).module);
speaker.prepare();
serveJobs(
  (order: SentenceOrder) => {
    setImmediate(() => speaker.prepare());
    return speaker.speak(order);
  },
  ({ samples }) => [samples.buffer as ArrayBuffer],
);
