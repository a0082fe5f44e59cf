import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLONING_MODEL, writeCloningModel } from '../../../../../../tests/support/cloning-model.js';
import {
  hasKokoro,
  hasSherpa,
  naturalVoice,
  REAL_VOICES,
  writeNaturalVoice,
} from '../../../../../../tests/support/natural-voice.js';
import { writePiperVoice } from '../../../../../../tests/support/piper-voice.js';
import { integratedLoudness } from '../../../loudness.js';
import { createSpeech, type Speech } from '../../catalogue.js';
import { periodsOf } from '../../prosody/pitch.js';
import { naturalVoices, parseNaturalVoice, speakersOf, VOICE_FILE } from './natural-voice.js';
import { han } from './phones.js';
import { preparePiperVoice, readPiperVoices } from './piper.js';
import { findSherpa, sherpaPackages, sherpaRuntime } from './runtime.js';

const NO_ARCHIVE = { urls: [], bytes: 1, sha256: '0'.repeat(64) };
const RUNTIME = sherpaRuntime(join(tmpdir(), 'no-sherpa'));

describe('sherpa-onnx', () => {
  it('has two pinned packages for each supported platform, and none for others', () => {
    const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win-ia32', 'win-x64'];
    const names = platforms.map((platform) => sherpaRuntime('/data', platform).packages.map(({ name }) => name));
    expect(names).toEqual(platforms.map((platform) => ['sherpa-onnx-node', `sherpa-onnx-${platform}`]));
    expect(sherpaPackages().length).toBe(platforms.length + 1);
    for (const { name, archive } of sherpaPackages()) {
      expect(archive.urls).toEqual([
        expect.stringMatching(`^https://registry.npmjs.org/${name}/-/${name}-[0-9.]+tgz$`),
      ]);
      expect(archive.sha256).toMatch(/^[0-9a-f]{64}$/u);
      expect(archive.bytes).toBeGreaterThan(10_000);
    }
    expect(sherpaRuntime('/data', 'sunos-sparc').packages).toEqual([]);
  });

  it('is taken from the package next to Figurehead before a download', () => {
    // Any two modules that are installed here.
    expect(findSherpa({ modules: ['no-such-package', 'sharp', 'saxes'] })).toBe('sharp');
    expect(findSherpa({ modules: ['no-such-package', join(tmpdir(), 'no-such-folder')] })).toBeUndefined();
    expect(RUNTIME.modules).toEqual(['sherpa-onnx-node', join(RUNTIME.place, 'node_modules', 'sherpa-onnx-node')]);
  });
});

describe('the catalogue of natural voices', () => {
  it('contains language, size, licence, sample, address and checksum of each', () => {
    const voices = naturalVoices();
    expect(new Set(voices.map(({ name }) => name)).size).toBe(voices.length);
    for (const { archive, engine, licence, licenceUrl, samples, languages, speakers } of voices) {
      expect(archive.urls[0]).toMatch(/^https:\/\/.*\.(tar\.bz2|tgz|onnx)$/u);
      expect(archive.bytes).toBeGreaterThan(1e6);
      expect([licenceUrl, samples].every((url) => url.startsWith('https://'))).toBe(true);
      expect(licence).not.toBe('');
      expect(languages.length).toBeGreaterThan(0);
      expect(speakers.length > 0).toBe(engine !== 'pocket');
    }
  });

  it('has Kokoro in seven locales, and a character in its lexicon for each symbol of the network', () => {
    const { speakers, made = {}, more = [] } = naturalVoices().find(({ name }) => name === 'kokoro')!;
    expect(new Set(speakers.map(({ locale, gender }) => `${locale} ${gender}`)).size).toBe(13);
    expect(speakers.map(({ id }) => id)).toEqual(speakers.map((_, index) => index));
    expect(made['voices.bin']).toEqual({ parts: speakers.map(({ voice }) => `voices/${voice}.bin`) });
    expect(more.every(({ urls }) => urls.length > 1)).toBe(true);
    const linesOf = (file: string) => (made[file] as { text: string }).text.trim().split('\n');
    const symbols = linesOf('tokens.txt').flatMap((line) => ('$␠'.includes(line[0]!) ? [] : [line[0]!]));
    expect(linesOf('lexicon.txt')).toEqual(symbols.map((symbol) => `${han(symbol)} ${symbol === ' ' ? '␠' : symbol}`));
  });

  it('has Piper voices in 30 languages with their sex, two addresses and a checksum, and names what they were finetuned from', () => {
    const voices = naturalVoices().filter(({ engine }) => engine === 'piper');
    expect(new Set(voices.flatMap(({ languages }) => languages)).size).toBe(30);
    for (const { name, archive, more = [], speakers, licence, ancestor } of voices) {
      for (const { urls, md5 } of [archive, ...more]) {
        expect(urls.length).toBe(2);
        expect(md5).toMatch(/^[0-9a-f]{32}$/u);
      }
      expect([archive.urls[0], more[0]?.urls[0]].map((url) => decodeURI(url!).split('/').at(-1))).toEqual([
        `${name}.onnx`,
        `${name}.onnx.json`,
      ]);
      expect(licence.includes('finetuned')).toBe(ancestor !== undefined);
      expect(speakers).toMatchObject([{ voice: name, locale: expect.stringMatching(/^[a-z]{2}-[A-Z]{2}$/u) }]);
    }
    const sex = Object.fromEntries(voices.map(({ name, speakers }) => [name.split('-')[1], speakers[0]?.gender]));
    expect(sex).toMatchObject({ thorsten: 'male', kerstin: 'female', norman: 'male', kristin: 'female', pim: 'male' });
    expect(voices.find(({ name }) => name === 'de_DE-thorsten-medium')?.licence).toContain('for research only');
  });

  it('speaks each language of Supertonic with two voices of its own, and clones none', () => {
    const supertonic = naturalVoices().find(({ engine }) => engine === 'supertonic')!;
    const voices = speakersOf(supertonic);
    expect(voices).toHaveLength(31 * 10);
    expect(new Set(voices.map(({ voice }) => voice)).size).toBe(voices.length);
    expect(voices.find(({ voice }) => voice === 'm2-de')).toMatchObject({ id: 6, locale: 'de-DE', gender: 'male' });
  });

  it('rejects a description with paths outside its folder', () => {
    const voice = naturalVoice('hum', NO_ARCHIVE);
    for (const model of ['../model.onnx', '/etc/passwd', 'c:\\x'])
      expect(() => parseNaturalVoice({ ...voice, files: { model } })).toThrow('files inside its folder');
    expect(() => parseNaturalVoice({ ...voice, name: '../x' })).toThrow('a name of letters');
  });

  it('rejects settings that are not words or numbers, and unknown notations of phones', () => {
    const voice = naturalVoice('hum', NO_ARCHIVE);
    expect(
      parseNaturalVoice({ ...voice, settings: { lang: 'fr', lengthScale: 1.1 }, phones: 'misaki' }).settings,
    ).toEqual({
      lang: 'fr',
      lengthScale: 1.1,
    });
    for (const settings of [{ lang: ['fr'] }, 'fr'])
      expect(() => parseNaturalVoice({ ...voice, settings })).toThrow('settings of words and numbers');
    expect(() => parseNaturalVoice({ ...voice, phones: 'x-sampa' })).toThrow('phones of piper or misaki');
  });
});

describe.skipIf(!hasSherpa('natural voices'))('a natural voice', () => {
  let folder: string;
  let speech: Speech;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'natural-'));
    await writeNaturalVoice(join(folder, 'hum'));
    speech = createSpeech({ threads: 1, cacheBytes: 0, natural: { folder, runtime: RUNTIME } });
  });
  afterAll(async () => {
    await speech.close();
    await rm(folder, { recursive: true });
  });

  it('is listed once its description exists, and its word times match its speech', async () => {
    const own = async () => (await speech.voices()).filter(({ provider }) => provider === 'sherpa');
    expect(await own()).toEqual([]);
    await writeFile(join(folder, 'hum', VOICE_FILE), JSON.stringify(naturalVoice('hum', NO_ARCHIVE)));
    await expect.poll(own).toMatchObject([{ voice: 'hum.hum', locale: 'en-US', gender: 'female', name: 'Hum' }]);
    const text = 'Good morning to all of you.';
    const { samples, marks } = await speech.utter('sherpa', text, { voice: 'hum.hum' });
    expect(samples.length / 48_000).toBeCloseTo((text.length * 1500) / 22_050, 0);
    expect(integratedLoudness([samples])).toBeCloseTo(-18, 0);
    expect(marks.words.map((word) => word.text)).toEqual(text.split(' '));
    const fast = await speech.utter('sherpa', text, { voice: 'hum.hum', speed: 1.2 });
    expect(samples.length / fast.samples.length).toBeCloseTo(1.2, 1);
  });

  it('gets settings of its description that are not files', async () => {
    await writeNaturalVoice(join(folder, 'slow'));
    const slow = { ...naturalVoice('slow', NO_ARCHIVE), settings: { lengthScale: 1.5 } };
    await writeFile(join(folder, 'slow', VOICE_FILE), JSON.stringify(slow));
    await expect.poll(async () => (await speech.voices()).map(({ voice }) => voice)).toContain('slow.hum');
    const [plain, longer] = await Promise.all(
      ['hum.hum', 'slow.hum'].map((voice) => speech.utter('sherpa', 'Hello to all of you.', { voice })),
    );
    expect((longer?.samples.length ?? 0) / (plain?.samples.length ?? 1)).toBeCloseTo(1.5, 1);
  });

  it('begins with a few words of a long sentence, and has all of them', async () => {
    const text =
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen.';
    const chunks = [];
    for await (const chunk of speech.synthesize('sherpa', text, { voice: 'hum.hum' })) chunks.push(chunk);
    expect(chunks.map(({ marks }) => marks.words.length)).toEqual([7, 7, 3]);
    expect(chunks.flatMap(({ marks }) => marks.words.map((word) => word.text)).join(' ')).toBe(text);
    let end = 0;
    for (const { start, samples } of chunks) {
      expect(start).toBe(end);
      end += samples.length;
    }
  });

  it('refuses a sentence in a script that it cannot read, by name, and reads foreign names', async () => {
    for (const text of ['Привет, как дела?', 'これは日本語です。', 'Hello. これは日本語です。'])
      await expect(speech.utter('sherpa', text, { voice: 'hum.hum' })).rejects.toThrow(
        /^the voice sherpa:hum\.hum reads American English, and cannot speak a sentence in \w+ script: “/u,
      );
    const mixed = await speech.utter('sherpa', 'My friend Михаил says hello.', { voice: 'hum.hum' });
    expect(mixed.samples.length).toBeGreaterThan(5000);
  });

  it('is measured in the background, and the measure is kept for this machine', async () => {
    const hum = async (from: Speech) => (await from.voices()).find(({ voice }) => voice === 'hum.hum')?.natural;
    await rm(join(folder, 'hum', 'load.json'), { force: true });
    const first = createSpeech({ threads: 1, natural: { folder, runtime: RUNTIME } });
    await first.warm();
    await expect.poll(() => hum(first)).toMatchObject({ isMeasured: true });
    const measured = await hum(first);
    await first.close();
    expect(measured?.load).toBeLessThan(0.5);
    expect(await hum(speech)).toEqual(measured);
    const elsewhere = { machine: 'another', load: 0.01 };
    await writeFile(join(folder, 'hum', 'load.json'), JSON.stringify(elsewhere));
    const second = createSpeech({ threads: 1, natural: { folder, runtime: RUNTIME } });
    expect(await hum(second)).toMatchObject({ isMeasured: false });
    await second.close();
  });

  it('fails alone when its model is damaged: this process goes on, and other voices speak', async () => {
    await writeNaturalVoice(join(folder, 'torn'));
    await truncate(join(folder, 'torn', 'model.onnx'), 200);
    await writeFile(join(folder, 'torn', VOICE_FILE), JSON.stringify(naturalVoice('torn', NO_ARCHIVE)));
    await expect.poll(async () => (await speech.voices()).map(({ voice }) => voice)).toContain('torn.hum');
    await expect(speech.utter('sherpa', 'Hello.', { voice: 'torn.hum' })).rejects.toThrow(
      'the voice sherpa:torn.hum cannot speak, because the speech engine failed: it ended unexpectedly',
    );
    expect((await speech.utter('sherpa', 'Hello.', { voice: 'hum.hum' })).samples.length).toBeGreaterThan(5000);
  });
});

describe.skipIf(!hasKokoro('the voices of Kokoro'))('Kokoro', () => {
  let speech: Speech;
  beforeAll(() => {
    speech = createSpeech({ threads: 1, cacheBytes: 0, natural: { folder: REAL_VOICES, runtime: RUNTIME } });
  });
  afterAll(() => speech.close());

  it.each([
    ['kokoro.af_heart', 'Good morning to all of you.', 150, 330],
    ['kokoro.am_michael', 'Good morning to all of you.', 80, 160],
    ['kokoro.ff_siwis', 'Bonjour à toutes et à tous.', 150, 330],
  ])('speaks as %s, at the pace and the pitch of a person', async (voice, text, lowest, highest) => {
    const { samples, marks } = await speech.utter('sherpa', text, { voice });
    const seconds = samples.length / 48_000;
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(4);
    expect(marks.words.map((word) => word.text)).toEqual(text.split(' '));
    for (const { start, end } of marks.words) expect(end - start).toBeGreaterThan(0.03 * 48_000);
    const periods = [...periodsOf(samples)].filter((each) => each > 0).sort((a, b) => a - b);
    const hertz = 48_000 / (periods[Math.floor(periods.length / 2)] ?? 1);
    expect(hertz).toBeGreaterThan(lowest);
    expect(hertz).toBeLessThan(highest);
  });

  it('refuses Japanese, and speaks a marked part of another language with its phones', async () => {
    const voice = 'kokoro.af_heart';
    await expect(speech.utter('sherpa', 'これは日本語です。', { voice })).rejects.toThrow(
      'choose a voice of its language',
    );
    const marked = '<speak>She said <lang xml:lang="ru-RU">добрый день</lang> to us.</speak>';
    const { samples } = await speech.utter('sherpa', marked, { voice });
    expect(samples.length).toBeGreaterThan(48_000);
  });
});

it('a Piper voice that reads letters is refused by name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'piper-'));
  try {
    await writePiperVoice(folder, 'uk_UA-letters-medium');
    const file = join(folder, 'uk_UA-letters-medium.onnx.json');
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), phoneme_type: 'text' }));
    const [voice] = await readPiperVoices(folder);
    await expect(preparePiperVoice(voice!, folder)).rejects.toThrow('piper:uk_UA-letters-medium reads text');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('knows the men among the voices of Piper, unless their files say otherwise', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'piper-'));
  try {
    const names = ['en_US-joe-medium', 'en_US-amy-low', 'de_DE-thorsten_emotional-medium', 'mine'];
    for (const name of names) await writePiperVoice(folder, name);
    const own = join(folder, 'mine.onnx.json');
    await writeFile(own, JSON.stringify({ ...JSON.parse(await readFile(own, 'utf8')), gender: 'male' }));
    const voices = await readPiperVoices(folder);
    expect(voices.map(({ entry }) => [entry.voice, entry.gender])).toEqual([
      ['de_DE-thorsten_emotional-medium', 'male'],
      ['en_US-amy-low', 'female'],
      ['en_US-joe-medium', 'male'],
      ['mine', 'male'],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe.skipIf(!hasSherpa('cloned voices'))('a cloned voice', () => {
  const TEXT = 'Good morning to all of you.';
  const tone = (hertz: number) =>
    Int16Array.from({ length: 6 * 48_000 }, (_, n) => 10_000 * Math.sin((2 * Math.PI * hertz * n) / 48_000));
  const recordings = new Map([
    ['low', tone(100)],
    ['high', tone(400)],
  ]);
  let folder: string;
  let speech: Speech;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clones-'));
    speech = createSpeech({
      threads: 1,
      cacheBytes: 0,
      natural: { folder, runtime: RUNTIME, recordingOf: async (id) => recordings.get(id) },
    });
  });
  afterAll(async () => {
    await speech.close();
    await rm(folder, { recursive: true });
  });

  it('needs a model that imitates recordings, and says which command adds one', async () => {
    await expect(speech.cloning()).rejects.toThrow('figurehead voices add pocket-en');
    await expect(speech.utter('sherpa', TEXT, { voice: 'clone-low' })).rejects.toThrow(
      'figurehead voices add pocket-en',
    );
    await writeCloningModel(join(folder, 'echo'));
    await writeFile(join(folder, 'echo', VOICE_FILE), JSON.stringify(CLONING_MODEL));
    expect((await speech.cloning()).provider).toBe('sherpa');
    expect(await speech.cloning('sherpa').then(({ add }) => add({ id: 'low', name: 'x', wav: Buffer.alloc(0) }))).toBe(
      'clone-low',
    );
    await expect(speech.cloning('elevenlabs')).rejects.toThrow();
    expect((await speech.voices()).filter(({ provider }) => provider === 'sherpa')).toEqual([]);
  });

  it('sounds like its recording, follows the speed, and has word times', async () => {
    const { samples, marks } = await speech.utter('sherpa', TEXT, { voice: 'clone-low' });
    const high = await speech.utter('sherpa', TEXT, { voice: 'clone-high' });
    const period = (of: Float32Array) => {
      const voiced = [...periodsOf(of)].filter((each) => each > 0).sort((a, b) => a - b);
      return voiced[Math.floor(voiced.length / 2)] ?? 0;
    };
    expect(period(samples) / period(high.samples)).toBeGreaterThan(1.5);
    expect(integratedLoudness([samples])).toBeCloseTo(-18, 0);
    expect(marks.words.map(({ text }) => text)).toEqual(TEXT.split(' '));
    const fast = await speech.utter('sherpa', TEXT, { voice: 'clone-low', speed: 1.2 });
    expect(samples.length / fast.samples.length).toBeCloseTo(1.2, 1);
    expect(marks.words.at(-1)?.end).toBeLessThanOrEqual(samples.length);
  });

  it('no longer speaks when its recording is gone', async () => {
    await expect(speech.utter('sherpa', TEXT, { voice: 'clone-gone' })).rejects.toThrow('was deleted');
  });
});
