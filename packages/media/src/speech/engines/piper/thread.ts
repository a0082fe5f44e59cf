import { readFile } from 'node:fs/promises';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { InferenceSession } from 'onnxruntime-common';
import { loadOnnx } from '../../../onnx.js';
import { withProsody } from '../../prosody/shape.js';
import { resampled } from '../../resample.js';
import { bareIpa, ipaPhones } from '../espeak/phones.js';
import type { SpelledSymbol } from '../espeak/speaker.js';
import { HeardLoudness } from '../gain.js';
import { master } from '../master.js';
import type { SentenceOrder, SpokenPhone, SpokenSentence } from '../sentence.js';
import { serveJobs } from '../thread-jobs.js';
import { exposeDurations } from './graph.js';
import { piperInput } from './ids.js';
import type { PiperVoice } from './voices.js';

/** A sentence for the model. */
export interface PiperJob {
  readonly voice: PiperVoice;
  readonly spelling: readonly SpelledSymbol[];
  readonly speed: number;
  readonly stability: SentenceOrder['stability'];
  readonly prosody: SentenceOrder['prosody'];
}

/** A loaded model. */
interface LoadedVoice {
  readonly session: InferenceSession;
  readonly durations: string | undefined;
  /** Mean frames of an id at speed 1 before rounding up, estimated from earlier sentences. */
  framesPerId: number;
}

/** Sound kept before the first and after the last phone, in samples at 48 kHz. */
const LEAD = 0.012 * SAMPLE_RATE;
const TAIL = 0.05 * SAMPLE_RATE;

class PiperSpeaker {
  readonly #voices = new Map<string, Promise<LoadedVoice>>();
  readonly #heard = new HeardLoudness();

  async speak({ voice, spelling, speed, stability, prosody }: PiperJob): Promise<SpokenSentence> {
    const { ids, symbols } = piperInput(spelling, voice);
    if (!spelling.some(({ symbol }) => bareIpa(symbol) !== '')) return { samples: new Float32Array(0), phones: [] };
    const loaded = await this.#load(voice);
    const liveliness = stability === undefined ? 1 : 1.9 - 1.8 * stability;
    const length = lengthFor(speed, loaded);
    const scales = [voice.noiseScale * liveliness, voice.lengthScale * length, voice.noiseWidth * liveliness];
    const { raw, frames } = await infer(loaded, { ids, scales, speakers: voice.speakers });
    loaded.framesPerId = Math.max(1, (sum(frames) / ids.length - 0.5) / length);
    const samples = resampled(raw, voice.rate, SAMPLE_RATE);
    const phones = placePhones({ spelling, symbols, frames, length: samples.length });
    const from = Math.max(0, (phones[0]?.start ?? 0) - Math.round(LEAD / speed));
    const to = Math.min(samples.length, (phones.at(-1)?.end ?? samples.length) + Math.round(TAIL / speed));
    const finished = master(samples, { from, to }, this.#heard.gain(voice.voice, samples.subarray(from, to)));
    const spoken = {
      samples: finished,
      phones: phones.map((phone) => ({
        ...phone,
        start: phone.start - from,
        end: Math.min(finished.length, phone.end - from),
      })),
    };
    return withProsody(spoken, prosody);
  }

  #load(voice: PiperVoice): Promise<LoadedVoice> {
    const known = this.#voices.get(voice.model);
    if (known) return known;
    const loading = loadVoice(voice);
    this.#voices.set(voice.model, loading);
    loading.catch(() => this.#voices.delete(voice.model));
    return loading;
  }
}

async function loadVoice(voice: PiperVoice): Promise<LoadedVoice> {
  const { model, durations } = exposeDurations(await readFile(voice.model));
  const { InferenceSession } = await loadOnnx();
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return { session, durations, framesPerId: 3 };
}

/** Length scale for a speed. Because each id's frames are rounded up, half a frame per id does not scale. */
function lengthFor(speed: number, { framesPerId }: LoadedVoice): number {
  return ((framesPerId + 0.5) / speed - 0.5) / framesPerId;
}

async function infer(
  { session, durations }: LoadedVoice,
  input: { ids: readonly number[]; scales: readonly number[]; speakers: number },
): Promise<{ raw: Float32Array; frames: number[] }> {
  const { Tensor } = await loadOnnx();
  const feeds = {
    input: new Tensor('int64', BigInt64Array.from(input.ids, BigInt), [1, input.ids.length]),
    input_lengths: new Tensor('int64', BigInt64Array.of(BigInt(input.ids.length)), [1]),
    scales: new Tensor('float32', Float32Array.from(input.scales), [3]),
    ...(input.speakers > 1 ? { sid: new Tensor('int64', BigInt64Array.of(0n), [1]) } : {}),
  };
  const outputs = await session.run(feeds);
  const sound = outputs[session.outputNames.find((name) => name !== durations) ?? '']?.data;
  if (!(sound instanceof Float32Array)) throw new Error('expected 32-bit samples from the Piper model');
  const lengths = durations === undefined ? undefined : outputs[durations]?.data;
  const frames = lengths instanceof Float32Array ? [...lengths] : input.ids.map(() => 1);
  return { raw: Float32Array.from(sound), frames };
}

/** A symbol lasts as long as its ids together; the frames share the sound evenly. */
function placePhones(spoken: {
  readonly spelling: readonly SpelledSymbol[];
  readonly symbols: readonly number[];
  readonly frames: readonly number[];
  readonly length: number;
}): SpokenPhone[] {
  const scale = spoken.length / Math.max(1, sum(spoken.frames));
  const spans = spoken.spelling.map(() => ({ start: -1, end: -1 }));
  let at = 0;
  spoken.symbols.forEach((symbol, index) => {
    const start = Math.round(at * scale);
    at += spoken.frames[index] ?? 0;
    const span = spans[symbol];
    if (!span) return;
    if (span.start < 0) span.start = start;
    span.end = Math.round(at * scale);
  });
  const ipa = ipaPhones(
    spoken.spelling.map(({ symbol }) => symbol),
    spoken.spelling.map(({ token }) => token),
  );
  return spoken.spelling.flatMap(({ token }, index) => {
    const { start, end } = spans[index]!;
    const { phone, stress } = ipa[index]!;
    return end > start && phone !== '' ? [{ phone, stress, start, end, token }] : [];
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const speaker = new PiperSpeaker();
serveJobs(
  (job: PiperJob) => speaker.speak(job),
  ({ samples }) => [samples.buffer as ArrayBuffer],
);
