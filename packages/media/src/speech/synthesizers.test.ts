import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasSherpa } from '../../../../tests/support/natural-voice.js';
import { ownShare } from '../../../../tests/support/own-share.js';
import { writePiperVoice } from '../../../../tests/support/piper-voice.js';
import {
  PROVIDER_KEY,
  type SpeechProviders,
  startSpeechProviders,
} from '../../../../tests/support/speech-providers.js';
import { integratedLoudness, truePeak } from '../loudness.js';
import { createSpeech, type Speech } from './catalogue.js';
import { type CatalogueVoice, type ProviderName, type SpeechChunk, SpeechError, type SpokenText } from './contract.js';
import { EspeakProgram } from './engines/espeak/program.js';
import { espeakVoices } from './engines/espeak/voices.js';
import { sherpaRuntime } from './engines/sherpa/runtime.js';
import { sampleSentence } from './sample-sentences.js';

const withPiper = hasSherpa('the voices of Piper');

/** A provider and its representative voices. */
interface Candidate {
  readonly provider: ProviderName;
  readonly voices: readonly string[];
}

/** Providers that give identical samples for the same text and settings; all of them have `stability`. */
const REPEATABLE: readonly ProviderName[] = ['flite', 'espeak'];

const CANDIDATES: readonly Candidate[] = [
  { provider: 'flite', voices: ['rms', 'slt', 'kal16'] },
  { provider: 'espeak', voices: ['de+f2', 'ru', 'cmn'] },
  ...(withPiper ? [{ provider: 'piper', voices: ['en_US-hum-low'] } as const] : []),
  { provider: 'elevenlabs', voices: ['v0ice1d'] },
  { provider: 'azure', voices: ['en-US-JennyNeural'] },
  { provider: 'openai', voices: ['onyx'] },
];

const TEXT =
  'Welcome to the quarterly review. Today we look at revenue, costs and the outlook for the coming year! ' +
  'Are there any questions before we begin?';

const HOSTILE =
  'Plain & simple <voice name="x">words</voice> [[h@l]] {a} \\b “quoted” — naïve 漢字 привет 😀 https://example.com/a?b=c ' +
  '$5.20 on 3/4/2025 at 10:30, 1,000,000 times. -o x.wav %s';

function assertMarks(text: string, { samples, marks }: SpokenText): void {
  for (const tier of [marks.phonemes, marks.words]) {
    let last = 0;
    for (const mark of tier) {
      expect(mark.start).toBeGreaterThanOrEqual(last);
      expect(mark.end).toBeGreaterThanOrEqual(mark.start);
      last = mark.end;
    }
    expect(last).toBeLessThanOrEqual(samples.length);
  }
  for (const phone of marks.phonemes) expect(phone.end).toBeGreaterThan(phone.start);
  let at = 0;
  for (const word of marks.words) {
    expect(text.slice(word.textStart, word.textEnd)).toBe(word.text);
    expect(word.textStart).toBeGreaterThanOrEqual(at);
    at = word.textEnd;
  }
}

let local: Speech;
let providers: SpeechProviders;
let speech: Speech;
let piperFolder: string;
beforeAll(async () => {
  local = createSpeech({ threads: 1 });
  providers = await startSpeechProviders((text, speed) => local.utter('flite', text, { voice: 'slt', speed }));
  piperFolder = await mkdtemp(join(tmpdir(), 'piper-'));
  if (withPiper) await writePiperVoice(piperFolder, 'en_US-hum-low');
  const access = { apiKey: PROVIDER_KEY, baseUrl: providers.url };
  speech = createSpeech({
    piper: { folder: piperFolder },
    natural: { folder: join(piperFolder, 'natural'), runtime: sherpaRuntime(piperFolder) },
    threads: 2,
    cacheBytes: 0,
    elevenlabs: access,
    azure: { ...access, region: 'test' },
    openai: access,
  });
});
afterAll(async () => {
  await speech.close();
  await local.close();
  await providers.close();
  await rm(piperFolder, { recursive: true });
});

describe.each(CANDIDATES.flatMap(({ provider, voices }) => voices.map((voice) => [provider, voice] as const)))(
  '%s:%s',
  (provider, voice) => {
    let entry: CatalogueVoice;
    let plain: SpokenText;
    let said: string;
    beforeAll(async () => {
      entry = (await speech.voices()).find((each) => each.provider === provider && each.voice === voice)!;
      said = entry.language === 'English' ? TEXT : `${sampleSentence(entry.locale)} `.repeat(2).trim();
      plain = await speech.utter(provider, said, { voice });
    });

    it('is in the catalogue', () => {
      expect(entry).toMatchObject({ provider, voice });
    });

    it('speaks every word of the text, with marks in order and inside the audio', () => {
      assertMarks(said, plain);
      expect(plain.marks.words.map((word) => word.text).join('')).toBe(said.replaceAll(' ', ''));
      expect(plain.marks.words.length).toBeGreaterThan(9);
      for (const word of plain.marks.words) expect(word.end).toBeGreaterThan(word.start);
    });

    it('is at −18 LUFS ± 1 with a true peak of at most −1 dBTP', () => {
      expect(Math.abs(integratedLoudness([plain.samples]) + 18)).toBeLessThan(1);
      expect(20 * Math.log10(truePeak(plain.samples))).toBeLessThanOrEqual(-1);
    });

    it('starts within 60 ms and ends without a click', () => {
      const onset = plain.samples.findIndex((sample) => Math.abs(sample) > 0.01);
      expect(onset).toBeLessThan(0.06 * SAMPLE_RATE);
      expect(Math.abs(plain.samples[0]!)).toBeLessThan(0.001);
      expect(Math.abs(plain.samples.at(-1)!)).toBeLessThan(0.001);
    });

    it('yields consecutive chunks that join without clicks', async () => {
      let start = 0;
      let last = 0;
      let slope = 0;
      for await (const chunk of speech.synthesize(provider, said, { voice })) {
        expect(chunk.start).toBe(start);
        // The sound continues where the previous chunk ended: at zero, or within a sentence with the same slope.
        expect(Math.abs(chunk.samples[0]! - last - slope)).toBeLessThan(0.02);
        last = chunk.samples.at(-1)!;
        slope = last - chunk.samples.at(-2)!;
        start += chunk.samples.length;
      }
      expect(start).toBe(plain.samples.length);
    });

    it('follows speed within 3 %', async () => {
      for (const speed of [0.7, 1.2]) {
        const { samples } = await speech.utter(provider, said, { voice, speed });
        expect((samples.length * speed) / plain.samples.length).toBeGreaterThan(0.97);
        expect((samples.length * speed) / plain.samples.length).toBeLessThan(1.03);
      }
    });

    it('changes with stability, and is repeatable, exactly as its provider and its entry say', async () => {
      const text = 'Are you sure?';
      const say = async (stability?: number): Promise<Buffer> => {
        const { samples } = await speech.utter(provider, text, {
          voice,
          ...(stability === undefined ? {} : { stability }),
        });
        return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
      };
      if (!REPEATABLE.includes(provider)) return;
      expect((await say()).equals(await say())).toBe(true);
      expect((await say(0)).equals(await say(1))).toBe(entry.hasOwnMelody ?? false);
    });

    it('speaks any input as text', async () => {
      const hostile = await speech.utter(provider, HOSTILE, { voice });
      assertMarks(HOSTILE, hostile);
      expect(hostile.samples.length).toBeGreaterThan(5 * SAMPLE_RATE);
      expect(hostile.samples.length).toBeLessThan(60 * SAMPLE_RATE);
      for (const text of ['a', '.', '!!!', '😀', '漢字', '7', '-', ' \n ok \t']) {
        const spoken = speech.utter(provider, text, { voice });
        if (provider === 'piper' && text === '漢字')
          await expect(spoken).rejects.toThrow('cannot speak a sentence in Han script');
        else assertMarks(text, await spoken);
      }
    });

    it('stops when aborted, and gives no more chunks', async () => {
      const abort = new AbortController();
      const reason = new Error('enough');
      let given = 0;
      const chunks = speech.synthesize(provider, 'All work and no play makes Jack a dull boy '.repeat(40), {
        voice,
        signal: abort.signal,
      });
      const ended = (async () => {
        for await (const chunk of chunks) {
          expect(chunk.start).toBe(0);
          given++;
          abort.abort(reason);
        }
      })();
      await expect(ended).rejects.toBe(reason);
      expect(given).toBe(1);
    });
  },
);

describe('the catalogue', () => {
  it('turns breaks into pauses and keeps the ranges of the words', async () => {
    const text = 'One. <break time="2s"/> Two. <break time="500ms"/>';
    const { samples, marks } = await speech.utter('flite', text, { voice: 'rms' });
    assertMarks(text, { samples, marks });
    expect(marks.words.map((word) => word.text)).toEqual(['One.', 'Two.']);
    expect(marks.words[1]!.start - marks.words[0]!.end).toBeGreaterThan(2 * SAMPLE_RATE);
  });

  it('refuses unspeakable text with an error code', async () => {
    const code = async (promise: Promise<unknown>): Promise<string> => {
      const error = await promise.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(SpeechError);
      return (error as SpeechError).code;
    };
    expect(await code(speech.utter('flite', 'Hi', { voice: 'nobody' }))).toBe('unknown_voice');
    expect(await code(local.utter('elevenlabs', 'Hi', { voice: 'x' }))).toBe('not_configured');
    expect(await code(speech.utter('flite', 'Hi', { voice: 'rms', speed: 2 }))).toBe('bad_option');
    expect(await code(speech.utter('flite', 'Hi', { voice: 'rms', stability: -1 }))).toBe('bad_option');
    expect(await code(speech.utter('flite', ' ', { voice: 'rms' }))).toBe('bad_option');
    expect(await code(speech.utter('flite', 'x'.repeat(20_001), { voice: 'rms' }))).toBe('bad_option');
  });

  it.each([
    ['flite', 'rms'],
    ['flite', 'kal16'],
    ['espeak', 'en-us+klatt4'],
  ] as const)(
    'returns the first words of %s:%s before the whole sentence, with the same sound',
    async (provider, voice) => {
      const text = 'Thank you for calling us this morning.';
      const chunks = async (said: string): Promise<SpeechChunk[]> => {
        const out: SpeechChunk[] = [];
        for await (const chunk of speech.synthesize(provider, said, { voice })) out.push(chunk);
        return out;
      };
      const [head, rest, ...more] = await chunks(text);
      expect(more).toEqual([]);
      expect(head!.samples.length).toBeLessThan(rest!.samples.length / 2);
      expect([...head!.marks.words, ...rest!.marks.words].map((word) => word.text)).toEqual(text.split(' '));
      // A sentence after the first is not split.
      const whole = (await chunks(`Yes. ${text}`)).at(-1)!.samples;
      const bytes = (samples: Float32Array): Buffer => Buffer.from(Float32Array.from(samples).buffer);
      expect(Buffer.concat([bytes(head!.samples), bytes(rest!.samples)]).equals(bytes(whole))).toBe(true);
    },
  );

  it('stresses the syllable of an English word that the lexicon marks', async () => {
    const stressed = async (word: string): Promise<number> => {
      const { marks } = await speech.utter('flite', word, { voice: 'kal16' });
      const vowels = marks.phonemes.filter(({ phone }) => /^[aeiouæɑɔəɚɛɪʊʌ]/u.test(phone));
      return vowels.findIndex(({ stress }) => stress === 1);
    };
    const found = [];
    for (const word of ['photograph', 'photographer', 'understanding', 'economics', 'university', 'available', 'below'])
      found.push(await stressed(word));
    expect(found).toEqual([0, 1, 2, 2, 2, 1, 1]);
  });

  it('lists each voice of eSpeak NG under a name that the program knows, so that none uses another one’s sounds', async () => {
    const program = await EspeakProgram.load();
    const symbols = (voice: string): string =>
      program
        .speak('bon', { voice, rate: 175, range: 50 })
        .phones.map(({ symbol }) => symbol)
        .join('');
    for (const { voice, gender } of espeakVoices()) if (gender === 'female') expect(() => symbols(voice)).not.toThrow();
    expect(symbols('fr-fr')).toContain('ɔ̃');
    expect(symbols('en-gb+f2')).toContain('ɒ');
    expect(() => symbols('xx')).toThrow(/expected a voice/u);
  });

  it('gets the same samples from eSpeak NG in each process, whenever that began', async () => {
    const now = vi.spyOn(Date, 'now');
    const spoken = [];
    for (const began of [1e12, 2e12]) {
      now.mockReturnValue(began);
      const program = await EspeakProgram.load();
      spoken.push(program.speak('Six fish.', { voice: 'en-us+f2', rate: 175, range: 50 }).samples);
    }
    now.mockRestore();
    expect(spoken[0]).toEqual(spoken[1]);
  });

  it('starts an utterance although others are long, and speaks figures, signs and spelled words in short pieces', async () => {
    const leave = new AbortController();
    const heard = new Set<string>();
    const texts = ['x²³', '5%…', '😀', 'XKCD'].map((text) => text.repeat(200));
    let chunks = 0;
    const others = texts.map(async (text) => {
      for await (const { samples } of local.synthesize('flite', text, { voice: 'rms', signal: leave.signal })) {
        expect(samples.length / SAMPLE_RATE).toBeLessThan(40);
        heard.add(text);
        chunks += 1;
      }
    });
    const ends = others.map((other) => expect(other).rejects.toThrow('heard'));
    while (heard.size < texts.length) await new Promise(setImmediate);
    const before = chunks;
    const { samples } = await local.utter('flite', 'Hi there.', { voice: 'slt' });
    expect(samples.length).toBeGreaterThan(0);
    expect(chunks - before).toBeLessThanOrEqual(3);
    leave.abort(new Error('heard'));
    await Promise.all(ends);
  });

  it('does not block the event loop while an engine computes', async () => {
    expect(await ownShare(() => speech.utter('flite', TEXT.repeat(10), { voice: 'rms' }))).toBeLessThan(0.5);
  });
});

describe.each([
  ['elevenlabs', 'v0ice1d'],
  ['azure', 'en-US-JennyNeural'],
  ['openai', 'onyx'],
] as const)('%s, on failures,', (provider, voice) => {
  const failure = async (text: string): Promise<unknown> =>
    speech.utter(provider, text, { voice }).then(
      () => undefined,
      (reason: unknown) => reason,
    );

  it('distinguishes a rate limit from a failure', async () => {
    expect(await failure('One QUOTA.')).toMatchObject({ name: 'SpeechError', code: 'rate_limited' });
    expect(await failure('One CRASH.')).toMatchObject({ name: 'SpeechError', code: 'provider_failed' });
  });

  it('treats a truncated or invalid response as a failure', async () => {
    expect(await failure('First sentence. Then BREAK off.')).toMatchObject({ code: 'provider_failed' });
    expect(await failure('ODD answer.')).toMatchObject({ code: 'provider_failed' });
  });

  it('mentions the key when it is refused', async () => {
    const access = { apiKey: 'wrong', baseUrl: providers.url };
    const refused = createSpeech({ elevenlabs: access, azure: { ...access, region: 'x' }, openai: access });
    await expect(refused.utter(provider, 'Hello.', { voice })).rejects.toMatchObject({ code: 'not_configured' });
    await refused.close();
  });

  it('stops waiting at once when aborted', async () => {
    const abort = new AbortController();
    const pending = speech.utter(provider, 'HANG on.', { voice, signal: abort.signal });
    setTimeout(() => abort.abort(new Error('enough')), 50);
    // The provider never answers.
    await expect(pending).rejects.toThrow('enough');
  });

  it('receives the text escaped, so that it cannot be read as markup', async () => {
    await speech.utter(provider, 'Tom & "Jerry" <b>win</b>.', { voice });
    const { body } = providers.requests.at(-1)!;
    expect(body).not.toContain('<b>');
    if (provider === 'azure') expect(body).toContain('Tom and &quot;Jerry&quot;');
    // Markup characters of a pronunciation are escaped too.
    await speech.utter(provider, 'Tom wins.', { voice, pronunciations: { tom: 'T & <b>o</b>' } });
    const { body: own } = providers.requests.at(-1)!;
    expect(own).not.toContain('<b>');
    if (provider === 'azure') expect(own).toContain('&amp;');
  });
});

describe('azure', () => {
  const text = 'In this short video we will look at revenue, costs and the outlook for next year.';
  const voice = 'en-US-JennyNeural';
  const errors = (known: SpokenText, found: SpokenText): number[] =>
    known.marks.words.map((word, index) => Math.abs(word.start - found.marks.words[index]!.start) / 48);

  it('reports the times of words and sounds over its WebSocket, and reuses the connection for the next sentence', async () => {
    const opened = providers.sockets();
    const known = await local.utter('flite', text, { voice: 'slt' });
    const found = await speech.utter('azure', text, { voice });
    expect(Math.max(...errors(known, found))).toBeLessThan(30);
    const starts = new Set(known.marks.phonemes.map(({ start }) => Math.round(start / 48 / 5)));
    const met = found.marks.phonemes.filter(({ start }) => starts.has(Math.round(start / 48 / 5)));
    expect(met.length / found.marks.phonemes.length).toBeGreaterThan(0.5);
    await speech.utter('azure', 'One more. And another.', { voice });
    expect(providers.sockets() - opened).toBeLessThanOrEqual(2);
    expect(providers.requests.at(-1)!.path).toBe('/tts/cognitiveservices/websocket/v1');
  });

  it('speaks over HTTP when a proxy blocks WebSockets, and reports a refusal by the service', async () => {
    const access = { apiKey: PROVIDER_KEY, baseUrl: providers.url, region: 'x' };
    const open = async (status: number, use: (speech: Speech) => Promise<void>): Promise<void> => {
      const own = createSpeech({ azure: access });
      providers.socketStatus = status;
      await use(own).finally(() => {
        providers.socketStatus = 0;
      });
      await own.close();
    };
    await open(502, async (own) => {
      const { marks } = await own.utter('azure', text, { voice });
      expect(marks.words).toHaveLength(16);
      expect(providers.requests.at(-1)!.path).toBe('/cognitiveservices/v1');
    });
    await open(429, (own) =>
      expect(own.utter('azure', text, { voice })).rejects.toMatchObject({ code: 'rate_limited' }),
    );
  });
});

describe('the cache', () => {
  it('returns the same utterance without a request to the provider, until the voice is dropped from the cache', async () => {
    const cached = createSpeech({ openai: { apiKey: PROVIDER_KEY, baseUrl: providers.url } });
    const say = (options: { speed?: number; fresh?: boolean } = {}): Promise<SpokenText> =>
      cached.utter('openai', 'Say it again.', { voice: 'onyx', ...options });
    const asked = async (work: () => Promise<unknown>): Promise<number> => {
      const before = providers.requests.length;
      await work();
      return providers.requests.length - before;
    };
    expect(await asked(() => say())).toBe(1);
    expect(await asked(() => say())).toBe(0);
    expect(await asked(() => say({ speed: 1.1 }))).toBe(1);
    expect(await asked(() => say({ fresh: true }))).toBe(1);
    cached.forget('openai', 'onyx');
    expect(await asked(() => say())).toBe(1);
    await cached.close();
  });
});

describe('alignment', () => {
  it('begins p, t and k of eSpeak when the mouth closes, not with their burst', async () => {
    const { samples, marks } = await local.utter('espeak', 'We plan to keep two cats in the park.', {
      voice: 'en-us+f2',
    });
    const closed = marks.words.filter(({ text }) => ['plan', 'keep', 'two', 'cats', 'park.'].includes(text));
    expect(closed).toHaveLength(5);
    for (const { start } of closed) expect(peak(samples, start, 240)).toBeLessThan(0.1 * peak(samples, start, 9600));
  });

  it('finds 95 % of the words of a voice without times within 110 ms', async () => {
    const text = 'In this short video we will look at revenue, costs and the outlook for next year.';
    const known = await local.utter('flite', text, { voice: 'slt' });
    const found = await speech.utter('openai', text, { voice: 'onyx' });
    const errors = known.marks.words.map((word, index) => Math.abs(word.start - found.marks.words[index]!.start) / 48);
    errors.sort((a, b) => a - b);
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(30);
    expect(errors[Math.floor(errors.length * 0.95)]).toBeLessThan(80);
  });

  it('keeps the word times of a voice that reports them', async () => {
    const text = 'In this short video we will look at revenue, costs and the outlook for next year.';
    const known = await local.utter('flite', text, { voice: 'slt' });
    const found = await speech.utter('elevenlabs', text, { voice: 'v0ice1d' });
    const errors = known.marks.words.map((word, index) => Math.abs(word.start - found.marks.words[index]!.start) / 48);
    expect(Math.max(...errors)).toBeLessThan(30);
  });
});

/** The largest sample of a part. */
function peak(samples: Float32Array, from: number, length: number): number {
  return samples.subarray(from, from + length).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}
