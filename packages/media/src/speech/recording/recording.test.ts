import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asRecorded, noise, writeWav } from '../../../../../tests/support/recorded.js';
import { concatPcm, silence } from '../../audio.js';
import { integratedLoudness, truePeak } from '../../loudness.js';
import { createSpeech, type Speech } from '../catalogue.js';
import type { ProviderName, SpokenText } from '../contract.js';

const ENGLISH =
  'My mother bought a big black bag of plums. People may pick the best of them before supper. ' +
  'Please remember to bring both boxes back, because Bob wants them tomorrow.';
const GERMAN =
  'Meine Mutter bringt am Abend Brot und Butter mit. Peter packt die Pakete bis zum Mittag. Möchten Sie mitmachen?';

const SPEAKERS: readonly { provider: ProviderName; voice: string; language: string; text: string }[] = [
  { provider: 'flite', voice: 'slt', language: 'English', text: ENGLISH },
  { provider: 'flite', voice: 'rms', language: 'en-GB', text: ENGLISH },
  { provider: 'espeak', voice: 'de+f2', language: 'German', text: GERMAN },
];

const signal = new AbortController().signal;

describe('a recording of a slide', () => {
  let folder: string;
  let speech: Speech;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recording-'));
    speech = createSpeech({ threads: 1 });
  });
  afterAll(async () => {
    await speech.close();
    await rm(folder, { recursive: true });
  });

  const read = async (samples: Float32Array, script: string, { language = 'English', rate = 48_000 } = {}) => {
    const file = await writeWav(join(folder, `${crypto.randomUUID()}.wav`), samples, rate);
    return speech.recorded(file, { script, language, signal });
  };

  it.each([
    ['quiet', {}],
    ['noisy', { hiss: 0.004 }],
    ['too loud', { gain: 4 }],
    ['very quiet', { gain: 0.05, hiss: 0.0002 }],
  ])('is trimmed and as loud as a synthesised voice, although the microphone was %s', async (_what, how) => {
    const said = await speech.utter('flite', ENGLISH, { voice: 'slt' });
    const { samples } = await read(asRecorded(said.samples, how), '');
    expect(integratedLoudness([samples])).toBeCloseTo(-18, 0);
    expect(20 * Math.log10(truePeak(samples))).toBeLessThanOrEqual(-1);
    expect(Math.abs(samples.length - said.samples.length) / 48_000).toBeLessThan(0.3);
  });

  it.each(SPEAKERS)('is aligned with its script, including closed lips: $provider $voice', async (speaker) => {
    const { provider, voice, language, text } = speaker;
    const said = await speech.utter(provider, text, { voice });
    const heard = await read(asRecorded(said.samples), text, { language });
    expect(heard.marks.words.map((word) => word.text)).toEqual(said.marks.words.map((word) => word.text));
    expect(lateWords(said, heard)).toBeLessThanOrEqual(0.05);
    expect(closuresKept(said, heard)).toBeGreaterThanOrEqual(0.98);
  });

  it('keeps its pauses, with the mouth closed', async () => {
    const [first, second] = await Promise.all([
      speech.utter('flite', 'My mother bought a big black bag.', { voice: 'slt' }),
      speech.utter('flite', 'People may pick the best plums.', { voice: 'slt' }),
    ]);
    const samples = concatPcm([first.samples, silence(3 * 48_000), second.samples]);
    const { marks } = await read(
      asRecorded(samples),
      'My mother bought a big black bag. People may pick the best plums.',
    );
    const people = marks.words.find(({ text }) => text === 'People');
    const expected = (first.samples.length + 3 * 48_000) / 48_000;
    expect(Math.abs((people?.start ?? 0) / 48_000 - expected)).toBeLessThan(0.15);
    const middle = first.samples.length + 1.5 * 48_000;
    expect(marks.phonemes.find(({ start, end }) => start <= middle && end > middle)?.phone).toBe('');
  });

  it('accepts SSML as its script: marks are reached at their words, breaks and prosody are those of the speaker', async () => {
    const said = await speech.utter('flite', 'My mother bought a big black bag of plums.', { voice: 'slt' });
    const script =
      '<speak>My mother bought <break time="5s"/> a <mark name="bag"/><prosody rate="slow">big black bag</prosody> of plums.</speak>';
    const { marks, samples } = await read(asRecorded(said.samples), script);
    expect(Math.abs(samples.length - said.samples.length) / 48_000).toBeLessThan(0.3);
    expect(marks.named).toEqual([{ name: 'bag', at: marks.words.find(({ text }) => text === 'big')?.start }]);
  });

  it('is aligned by sentences when it is long, without drifting times', async () => {
    const said = await speech.utter('flite', `${ENGLISH}\n\n${ENGLISH}\n\n${ENGLISH}`, { voice: 'rms' });
    const heard = await read(asRecorded(said.samples), `${ENGLISH}\n\n${ENGLISH}\n\n${ENGLISH}`);
    expect(lateWords(said, heard)).toBeLessThanOrEqual(0.05);
  });

  it('may be a telephone’s, clipped', async () => {
    const said = await speech.utter('flite', ENGLISH, { voice: 'slt' });
    const telephone = said.samples.filter((_sample, n) => n % 6 === 0).map((sample) => 6 * sample);
    const heard = await read(telephone, ENGLISH, { rate: 8000 });
    expect(heard.marks.words).toHaveLength(said.marks.words.length);
    expect(closuresKept(said, heard)).toBeGreaterThanOrEqual(0.9);
  });

  it('moves the lips by its sound without a script, and has no words', async () => {
    const said = await speech.utter('flite', ENGLISH, { voice: 'slt' });
    const heard = await read(asRecorded(said.samples), '');
    expect(heard.marks.words).toEqual([]);
    expect(closuresKept(said, heard)).toBeGreaterThanOrEqual(0.8);
    const open = heard.marks.phonemes.filter(({ phone }) => phone !== '' && !/^[pbm]/u.test(phone));
    expect(open.length).toBeGreaterThan(30);
    // Noise and music are not speech, so the mouth does not move.
    const still = await read(noise(4 * 48_000, 0.1), '');
    const moving = still.marks.phonemes.filter(({ phone }) => phone !== '');
    expect(moving.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThan(0.2 * still.samples.length);
  });

  it('in a language without a voice has words estimated by their letters between pauses, and lips by its sound', async () => {
    const [first, second] = await Promise.all([
      speech.utter('espeak', 'Guten Morgen allerseits.', { voice: 'de' }),
      speech.utter('espeak', 'Wir beginnen bald.', { voice: 'de' }),
    ]);
    const samples = concatPcm([first.samples, silence(2 * 48_000), second.samples]);
    const { marks } = await read(asRecorded(samples), 'Guten Morgen allerseits. Wir beginnen bald.', {
      language: 'Klingon',
    });
    expect(marks.words.map(({ text }) => text)).toEqual(['Guten', 'Morgen', 'allerseits.', 'Wir', 'beginnen', 'bald.']);
    const wir = (first.samples.length + 2 * 48_000) / 48_000;
    expect(Math.abs((marks.words[3]?.start ?? 0) / 48_000 - wir)).toBeLessThan(0.8);
    expect(marks.phonemes.some(({ phone }) => /^[pbm]/u.test(phone))).toBe(true);
  });

  it('is refused with a message that says what was expected when it cannot be used', async () => {
    await expect(read(silence(48_000), 'Hello.')).rejects.toThrow(
      'the recording cannot be used: it is silent; expected speech',
    );
    await expect(read(new Float32Array(0), 'Hello.')).rejects.toThrow('the recording cannot be used');
    await expect(read(noise(8000 * 1201, 0.1), 'Hello.', { rate: 8000 })).rejects.toThrow(
      'expected at most 20 minutes, got more',
    );
    const said = await speech.utter('flite', 'Good morning.', { voice: 'slt' });
    await expect(read(said.samples, ENGLISH)).rejects.toThrow(
      /the script does not belong to the recording: it takes about \d+ s/u,
    );
    const text = join(folder, 'words.txt');
    await writeFile(text, 'not a sound');
    await expect(speech.recorded(text, { script: 'Hello.', language: null, signal })).rejects.toThrow(
      'the recording cannot be used: cannot be read as video or sound',
    );
  });

  it('stops immediately when it is aborted', async () => {
    const said = await speech.utter('flite', ENGLISH, { voice: 'slt' });
    const file = await writeWav(join(folder, 'aborted.wav'), said.samples);
    const stopped = new Error('stopped');
    const reading = speech.recorded(file, { script: ENGLISH, language: null, signal: AbortSignal.abort(stopped) });
    await expect(reading).rejects.toBe(stopped);
  });
});

/** Share of the words whose times are off by more than 0.1 s. */
function lateWords(said: SpokenText, heard: SpokenText): number {
  const shift = shiftOf(said, heard);
  const late = heard.marks.words.filter(
    (word, index) => Math.abs(word.start - shift - (said.marks.words[index]?.start ?? 0)) > 0.1 * 48_000,
  );
  return late.length / heard.marks.words.length;
}

/** Share of the speaker's p, b and m at which the marks of the recording close the lips as well, to 20 ms. */
function closuresKept(said: SpokenText, heard: SpokenText): number {
  const shift = shiftOf(said, heard);
  const isClosed = ({ phone }: { phone: string }): boolean => /^[pbm]/u.test(phone);
  const closures = said.marks.phonemes.filter(isClosed);
  const found = heard.marks.phonemes.filter(isClosed);
  const kept = closures.filter((closure) =>
    found.some(({ start, end }) => start - shift < closure.end + 960 && end - shift > closure.start - 960),
  );
  return kept.length / closures.length;
}

/** Silence before the speech after trimming, in samples. */
function shiftOf(said: SpokenText, heard: SpokenText): number {
  return Math.max(0, heard.samples.length - said.samples.length) / 3;
}
