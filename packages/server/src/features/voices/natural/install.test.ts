import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createSpeech,
  installedRecognisers,
  type NaturalVoiceModel,
  parseNaturalVoice,
  parseRecogniser,
  SpeechRecogniser,
} from '@figurehead/media';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasSherpa, naturalVoice } from '../../../../../../tests/support/natural-voice.js';
import { recogniserModel, tone } from '../../../../../../tests/support/recogniser.js';
import type { Kernel } from '../../../kernel/contract.js';
import { createLifecycle } from '../../../kernel/lifecycle.js';
import { OperatorError } from '../../../kernel/operator-error.js';
import { checkAddresses } from './check.js';
import { installModel } from './install.js';
import { createNaturalVoices } from './natural-voices.js';

const FIXTURES = join(import.meta.dirname, '../../../../../../tests/support/natural-voice');

/** Behaviour of the server, and its received requests. */
const host = { breakAfter: Number.POSITIVE_INFINITY, ranges: [] as string[], files: new Map<string, Buffer>() };
let server: Server;
let url: string;
let folder: string;

beforeAll(async () => {
  for (const name of ['hum', 'evil', 'hello'])
    host.files.set(`/${name}.tar.bz2`, await readFile(join(FIXTURES, `${name}.tar.bz2`)));
  server = createServer((request, response) => {
    const file = host.files.get(request.url ?? '');
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (request.headers.range) host.ranges.push(request.headers.range);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': file.length - from });
    const end = Math.min(file.length, host.breakAfter);
    host.breakAfter = Number.POSITIVE_INFINITY;
    if (end === file.length) response.end(file.subarray(from));
    else response.write(file.subarray(from, end), () => void partArrives(end).then(() => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-'));
  host.ranges.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

/** Resolves once the download has `bytes` bytes, because a connection reset discards unread data. */
async function partArrives(bytes: number): Promise<void> {
  await expect
    .poll(async () => {
      const [part] = await readdir(join(folder, '.downloads'));
      return part === undefined ? 0 : (await stat(join(folder, '.downloads', part))).size;
    })
    .toBe(bytes);
}

/** A voice of the catalogue with its archive at these addresses. */
function voiceAt(urls: string[], archive = 'hum', change: { sha256?: string } = {}): NaturalVoiceModel {
  const file = host.files.get(`/${archive}.tar.bz2`)!;
  const sha256 = createHash('sha256').update(file).digest('hex');
  return parseNaturalVoice(naturalVoice('hum', { urls, bytes: file.length, sha256, ...change }));
}

const install = (voice: NaturalVoiceModel, mirror?: string): Promise<string> =>
  installModel(voice, { folder, mirror, onProgress: () => undefined });

describe('installing a natural voice', () => {
  it.skipIf(!hasSherpa('speaking with an installed voice'))(
    'fetches, checks and unpacks it; then it speaks',
    async () => {
      const seen: number[] = [];
      const voice = voiceAt([`${url}/hum.tar.bz2`]);
      await installModel(voice, { folder, onProgress: (received) => seen.push(received) });
      expect(seen.at(-1)).toBe(voice.archive.bytes);
      const speech = createSpeech({ natural: { folder }, cacheBytes: 0, threads: 1 });
      try {
        const { samples } = await speech.utter('sherpa', 'Good morning.', { voice: 'hum.hum' });
        expect(samples.length).toBeGreaterThan(20_000);
      } finally {
        await speech.close();
      }
    },
  );

  it('continues an interrupted download', async () => {
    const voice = voiceAt([`${url}/hum.tar.bz2`]);
    host.breakAfter = 300;
    await expect(install(voice)).rejects.toThrow('broke off');
    await install(voice);
    expect(host.ranges).toEqual(['bytes=300-']);
    expect((await readdir(join(folder, 'hum'))).sort()).toEqual(['model.onnx', 'tokens.txt', 'voice.json']);
    expect(await readdir(join(folder, '.downloads'))).toEqual([]);
  });

  it('uses the next address when one fails, and a mirror folder instead of all', async () => {
    await install(voiceAt([`${url}/gone.tar.bz2`, `${url}/hum.tar.bz2`]));
    await rm(join(folder, 'hum'), { recursive: true });
    await install(voiceAt([`${url}/gone.tar.bz2`]), pathToFileURL(FIXTURES).href);
    expect(await readdir(join(folder, 'hum'))).toContain('voice.json');
  });

  it('refuses an archive with a wrong checksum, or with paths outside its folder', async () => {
    await expect(install(voiceAt([`${url}/hum.tar.bz2`], 'hum', { sha256: 'a'.repeat(64) }))).rejects.toThrow(
      'damaged',
    );
    await expect(install(voiceAt([`${url}/evil.tar.bz2`], 'evil'))).rejects.toThrow('does not belong to a model');
    expect(await readdir(folder)).toEqual(['.downloads']);
    await expect(stat(join(folder, '..', 'evil.txt'))).rejects.toThrow('ENOENT');
  });

  it('reports a missing network, and what to do', async () => {
    const failure: unknown = await install(voiceAt(['https://voices.invalid/hum.tar.bz2'])).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(OperatorError);
    expect((failure as Error).message).toMatch(/no network.*file:.*FIGUREHEAD_VOICES_MIRROR \(or --mirror\)/u);
  });
});

it.skipIf(!hasSherpa('recognition with an installed model'))(
  'installs a speech recogniser in the same way; then it recognises speech',
  async () => {
    const file = host.files.get('/hello.tar.bz2')!;
    const sha256 = createHash('sha256').update(file).digest('hex');
    const archive = { urls: [`${url}/hello.tar.bz2`], bytes: file.length, sha256 };
    const model = parseRecogniser(recogniserModel('hello', archive));
    await installModel(model, { folder, mirror: undefined, onProgress: () => undefined });
    expect(await installedRecognisers(folder)).toEqual([model]);
    const recogniser = new SpeechRecogniser(folder);
    try {
      expect(await recogniser.transcribe(tone(1), 'de', new AbortController().signal)).toBe('Hallo.');
    } finally {
      await recogniser.close();
    }
    const lacking = { ...model, name: 'lacking', files: { ...model.files, joiner: 'joiner.onnx' } };
    await expect(installModel(lacking, { folder, mirror: undefined, onProgress: () => undefined })).rejects.toThrow(
      'the archive of lacking lacks joiner.onnx',
    );
    expect(await readdir(folder)).toEqual(['.downloads', 'hello']);
  },
);

it('finds addresses that no longer have the catalogued file', async () => {
  const right = voiceAt([`${url}/hum.tar.bz2`]);
  const gone = voiceAt([`${url}/gone.tar.bz2`]);
  const other = { ...right, archive: { ...right.archive, bytes: 5 } };
  const problems = (await checkAddresses([right, gone, other])).map(({ problem }) => problem);
  expect(problems).toEqual([undefined, expect.stringContaining('404'), expect.stringContaining('expected 5')]);
});

it('adds voices for the console in the background, and reports progress and failures', async () => {
  const lifecycle = createLifecycle(() => undefined);
  const right = voiceAt([`${url}/hum.tar.bz2`]);
  // Downloads are identified by the archive's checksum.
  const missing = voiceAt([`${url}/gone.tar.bz2`]);
  const gone = { ...missing, name: 'gone', archive: { ...missing.archive, sha256: '0'.repeat(64) } };
  const config = { dataDir: folder } as Kernel['config'];
  const voices = createNaturalVoices({ config, lifecycle, log: pino({ enabled: false }) }, [right, gone]);
  expect(await voices.list()).toMatchObject([{ state: 'available', received: 0 }, { state: 'available' }]);
  expect(await voices.add(right)).toMatchObject({ name: 'hum', state: 'installing', bytes: right.archive.bytes });
  // A second click during the download does nothing.
  expect(await voices.add(right)).toMatchObject({ state: 'installing' });
  await voices.add(gone);
  await expect
    .poll(() => voices.list())
    .toMatchObject([
      { state: 'installed', received: right.archive.bytes },
      { state: 'available', error: expect.stringContaining('404') },
    ]);
  await lifecycle.close();
});
