import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSherpa } from '../../../../../../tests/support/natural-voice.js';
import { installRecogniser, recogniserModel, tone } from '../../../../../../tests/support/recogniser.js';
import { naturalVoices } from './natural-voice.js';
import { PIPER_ENGINE } from './piper-catalogue.js';
import { installedRecognisers, SpeechRecogniser } from './recogniser.js';
import { codeOf, parseRecogniser, RECOGNISER_FILE, recogniserModels } from './recogniser-model.js';
import { sherpaRuntime } from './runtime.js';

/** More utterances than the recogniser has processes. */
const MANY = 12;

/** Recognisers in a folder. */
const at = (folder: string) => ({ folder, runtime: sherpaRuntime(join(folder, 'sherpa-onnx')) });

/** A signal that never aborts. */
const never = () => new AbortController().signal;

describe('the catalogue of speech recognisers', () => {
  it('contains languages, size, licence, address and checksum of each, and every row is a voice or a recogniser', async () => {
    const models = recogniserModels();
    const rows: unknown[] = JSON.parse(
      await readFile(join(import.meta.dirname, '../../../../data/sherpa-models.json'), 'utf8'),
    );
    // Piper's voices have a table of their own.
    const voices = naturalVoices().filter(({ engine }) => engine !== PIPER_ENGINE);
    expect(models.length + voices.length).toBe(rows.length);
    expect(new Set(rows.map((row) => (row as { name: string }).name)).size).toBe(rows.length);
    for (const { archive, licence, licenceUrl, languages, files } of models) {
      expect(archive.urls[0]).toMatch(/^https:\/\/.*\.tar\.bz2$/u);
      expect(archive.bytes).toBeGreaterThan(1e6);
      expect(licenceUrl).toMatch(/^https:\/\//u);
      expect(licence).not.toBe('');
      expect(languages.length).toBeGreaterThan(0);
      expect(files.tokens).toMatch(/tokens\.txt$/u);
    }
  });

  it('finds the code of a language, also where the model has another one, and none for unknown ones', () => {
    const model = parseRecogniser({ ...recogniserModel('hello'), codes: 'en no yue' });
    expect(['en', 'nb', 'yue', 'de', 'e'].map((language) => codeOf(model, language))).toEqual([
      'en',
      'no',
      'yue',
      undefined,
      undefined,
    ]);
  });

  it('rejects a description without languages, of another engine, or with paths outside its folder', () => {
    const model = recogniserModel('hello');
    for (const codes of [undefined, '', 'en, de', 'English'])
      expect(() => parseRecogniser({ ...model, codes })).toThrow('expected codes of languages');
    expect(() => parseRecogniser({ ...model, engine: 'kokoro' })).toThrow('expected an engine of whisper');
    expect(() => parseRecogniser({ ...model, files: { encoder: '../x.onnx' } })).toThrow('files inside its folder');
  });
});

describe.skipIf(!hasSherpa('speech recognition'))('a speech recogniser', () => {
  let folder: string;
  let recogniser: SpeechRecogniser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'recogniser-'));
    recogniser = new SpeechRecogniser(at(folder));
  });
  afterAll(async () => {
    await recogniser.close();
    await rm(folder, { recursive: true });
  });
  const hear = (seconds: number, { level = 0.5, language = 'en' } = {}) =>
    recogniser.transcribe(tone(seconds, level), language, never());

  it('says which command installs one when there is none', async () => {
    expect(await installedRecognisers(at(folder))).toEqual([]);
    await expect(hear(1)).rejects.toThrow('run: figurehead voices add whisper-base');
  });

  it('recognises words in the language of the speaker, once a model is installed', async () => {
    await installRecogniser(folder, 'hello');
    expect(await installedRecognisers(at(folder))).toMatchObject([{ name: 'hello', codes: 'en de' }]);
    expect(await hear(1)).toBe('Hello.');
    expect(await hear(1, { language: 'de' })).toBe('Hallo.');
    await expect(hear(1, { language: 'fr' })).rejects.toThrow('knows the language fr');
  });

  it('finds no words in silence, in noise, and in sounds that are shorter than a word', async () => {
    expect(await hear(1, { level: 0 })).toBe('');
    expect(await hear(1, { level: 0.001 })).toBe('');
    expect(await hear(0.01)).toBe('');
    expect(await hear(0)).toBe('');
  });

  it('takes half a minute, other sample rates, and clipped sound', async () => {
    expect(await hear(30)).toBe('Hello.');
    const { samples } = tone(1, 4);
    expect(await recogniser.transcribe({ samples, sampleRate: 8000 }, 'en', never())).toBe('Hello.');
    expect(await recogniser.transcribe({ samples, sampleRate: 48_000 }, 'en', never())).toBe('Hello.');
  });

  it(`answers ${MANY} speakers at once, in the order in which they spoke`, async () => {
    const order: number[] = [];
    const words = await Promise.all(
      Array.from({ length: MANY }, async (_, index) => {
        const text = await hear(1, { language: index % 2 === 0 ? 'en' : 'de' });
        order.push(index);
        return text;
      }),
    );
    expect(words).toEqual(Array.from({ length: MANY }, (_, index) => (index % 2 === 0 ? 'Hello.' : 'Hallo.')));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('gives up when it is told to, and answers the next speaker', async () => {
    const leave = new AbortController();
    const given = recogniser.transcribe(tone(1), 'en', leave.signal);
    leave.abort(new Error('left'));
    await expect(given).rejects.toThrow('left');
    expect(await hear(1)).toBe('Hello.');
  });

  it('fails for missing and damaged files and for wrong descriptions; this process goes on, and the next model works', async () => {
    const broken = await mkdtemp(join(tmpdir(), 'recogniser-'));
    const other = new SpeechRecogniser(at(broken));
    const place = join(broken, 'hello');
    try {
      for (const damage of [
        () => rm(join(place, 'decoder.onnx')),
        () => truncate(join(place, 'encoder.onnx'), 200),
        () => writeFile(join(place, 'encoder.onnx'), 'not a network'),
        () => rm(join(place, 'tokens.txt')),
        // A network without the description that sherpa-onnx expects in it.
        () => copyFile(join(place, 'decoder.onnx'), join(place, 'encoder.onnx')),
      ]) {
        await installRecogniser(broken, 'hello');
        await damage();
        await expect(other.transcribe(tone(1), 'en', never())).rejects.toThrow('the speech recogniser hello failed');
      }
      await installRecogniser(broken, 'hello');
      expect(await other.transcribe(tone(1), 'en', never())).toBe('Hello.');
      await writeFile(join(place, RECOGNISER_FILE), '{');
      await expect(installedRecognisers(at(broken))).rejects.toThrow('the description of hello cannot be used');
    } finally {
      await other.close();
      await rm(broken, { recursive: true });
    }
  });
});
