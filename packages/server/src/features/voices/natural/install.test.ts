import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import {
  createSpeech,
  findSherpa,
  installedRecognisers,
  type ModelFolder,
  type NaturalVoiceModel,
  naturalVoices,
  parseNaturalVoice,
  parseRecogniser,
  SpeechRecogniser,
  sherpaRuntime,
} from '@figurehead/media';
import { zipSync } from 'fflate';
import { pino } from 'pino';
import { pack } from 'tar-stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasSherpa, naturalVoice } from '../../../../../../tests/support/natural-voice.js';
import { writePiperVoice } from '../../../../../../tests/support/piper-voice.js';
import { installRecogniser, recogniserModel, tone } from '../../../../../../tests/support/recogniser.js';
import type { Kernel } from '../../../kernel/contract.js';
import { createLifecycle } from '../../../kernel/lifecycle.js';
import { OperatorError } from '../../../kernel/operator-error.js';
import { checkAddresses } from './check.js';
import { installModel } from './install.js';
import { createNaturalVoices } from './natural-voices.js';

const FIXTURES = join(import.meta.dirname, '../../../../../../tests/support/natural-voice');

/** Behaviour of the server, and its received requests; with `hold`, answers stop in the middle until it resolves. */
const host = {
  breakAfter: Number.POSITIVE_INFINITY,
  hold: undefined as Promise<void> | undefined,
  ranges: [] as string[],
  paths: [] as string[],
  files: new Map<string, Buffer>(),
};
let server: Server;
let url: string;
let folder: string;

beforeAll(async () => {
  for (const name of ['hum', 'evil', 'hello'])
    host.files.set(`/${name}.tar.bz2`, await readFile(join(FIXTURES, `${name}.tar.bz2`)));
  server = createServer((request, response) => {
    const file = host.files.get(request.url ?? '');
    host.paths.push(request.url ?? '');
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (request.headers.range) host.ranges.push(request.headers.range);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': file.length - from });
    const end = Math.min(file.length, host.breakAfter);
    host.breakAfter = Number.POSITIVE_INFINITY;
    const half = Math.floor((from + end) / 2);
    if (host.hold) {
      response.write(file.subarray(from, half));
      void host.hold.then(() => response.end(file.subarray(half)));
    } else if (end === file.length) response.end(file.subarray(from));
    else response.write(file.subarray(from, end), () => void partArrives(end).then(() => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-'));
  host.hold = undefined;
  host.ranges.length = 0;
  host.paths.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

/** Resolves once the download has `bytes` bytes, because a connection reset discards unread data. */
async function partArrives(bytes: number): Promise<void> {
  await expect
    .poll(async () => {
      const part = (await readdir(folder, { recursive: true })).find((path) => path.endsWith('.part'));
      return part === undefined ? 0 : (await stat(join(folder, part))).size;
    })
    .toBe(bytes);
}

/** A voice of the catalogue with its archive at these addresses. */
function voiceAt(urls: string[], archive = 'hum', change: { sha256?: string } = {}): NaturalVoiceModel {
  const file = host.files.get(`/${archive}.tar.bz2`)!;
  const sha256 = createHash('sha256').update(file).digest('hex');
  return parseNaturalVoice(naturalVoice('hum', { urls, bytes: file.length, sha256, ...change }));
}

/** A folder of models on a machine with sherpa-onnx: any installed module, until one speaks. */
const here = () => ({ folder, runtime: { ...sherpaRuntime(folder), modules: ['sherpa-onnx-node', 'sharp'] } });

const install = (voice: NaturalVoiceModel, mirror?: string): Promise<string> =>
  installModel(voice, { ...here(), mirror, onProgress: () => undefined });

describe('installing a natural voice', () => {
  it.skipIf(!hasSherpa('speaking with an installed voice'))(
    'fetches, checks and unpacks it; then it speaks',
    async () => {
      const seen: number[] = [];
      const voice = voiceAt([`${url}/hum.tar.bz2`]);
      await installModel(voice, { ...here(), onProgress: (received) => seen.push(received) });
      expect(seen.at(-1)).toBe(voice.archive.bytes);
      const speech = createSpeech({ natural: here(), cacheBytes: 0, threads: 1 });
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
    await install(voiceAt([`${url}/gone/hum.tar.bz2`]), pathToFileURL(FIXTURES).href);
    expect(await readdir(join(folder, 'hum'))).toContain('voice.json');
  });

  it('refuses an archive with a wrong checksum, or with paths outside its folder', async () => {
    await expect(install(voiceAt([`${url}/hum.tar.bz2`], 'hum', { sha256: 'a'.repeat(64) }))).rejects.toThrow(
      'damaged',
    );
    await expect(install(voiceAt([`${url}/evil.tar.bz2`], 'evil'))).rejects.toThrow('does not belong there');
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
    await installModel(model, { ...here(), onProgress: () => undefined });
    expect(await installedRecognisers(here())).toEqual([model]);
    const recogniser = new SpeechRecogniser(here());
    try {
      expect(await recogniser.transcribe(tone(1), 'de', new AbortController().signal)).toBe('Hallo.');
    } finally {
      await recogniser.close();
    }
    const lacking = { ...model, name: 'lacking', files: { ...model.files, joiner: 'joiner.onnx' } };
    await expect(installModel(lacking, { ...here(), onProgress: () => undefined })).rejects.toThrow(
      'the archive of lacking lacks joiner.onnx',
    );
    expect(await readdir(folder)).toEqual(['.downloads', 'hello']);
  },
);

/** Puts a zip archive on the server. */
function wheelOf(name: string, files: Record<string, Uint8Array>) {
  const file = Buffer.from(zipSync(files));
  host.files.set(`/${name}.whl`, file);
  const sha256 = createHash('sha256').update(file).digest('hex');
  return { root: '', urls: [`${url}/gone/${name}.whl`, `${url}/${name}.whl`], bytes: file.length, sha256 };
}

/** A voice in two archives, of which its network and its tables are made. */
async function voiceInParts(): Promise<NaturalVoiceModel> {
  await writePiperVoice(folder, 'whole');
  const network = await readFile(join(folder, 'whole.onnx'));
  const { phoneme_id_map: ids } = JSON.parse(await readFile(join(folder, 'whole.onnx.json'), 'utf8'));
  const tokens = Object.entries(ids).filter(([symbol]) => !'_^$.'.includes(symbol));
  const [start, end] = [network.subarray(0, 300), network.subarray(300)];
  return parseNaturalVoice({
    ...naturalVoice('parts', wheelOf('one', { 'one/part.bin': start, 'one/unused.txt': start })),
    phones: 'piper',
    more: [wheelOf('two', { 'two/part.bin': end })],
    made: {
      'model.onnx': {
        parts: ['one/part.bin', 'two/part.bin'],
        properties: {
          ...{ model_type: 'vits', comment: 'piper', frontend: 'characters', language: 'English', sample_rate: 22_050 },
          ...{ n_speakers: 1, add_blank: 1, use_eos_bos: 1, blank_id: 0, bos_id: 1, eos_id: 2 },
        },
      },
      'tokens.txt': { text: tokens.map(([symbol, id]) => `${symbol} ${id}\n`).join('') },
      'tables/phontab': { espeak: 'phontab' },
    },
  });
}

it('makes a voice of several archives, each from the first of its addresses that has it, and keeps nothing else', async () => {
  const voice = await voiceInParts();
  const seen: number[] = [];
  const place = await installModel(voice, { ...here(), onProgress: (received) => seen.push(received) });
  expect(host.paths).toEqual(['/gone/one.whl', '/one.whl', '/gone/two.whl', '/two.whl']);
  expect(seen.at(-1)).toBe(voice.archive.bytes + voice.more![0]!.bytes);
  expect((await readdir(place, { recursive: true })).sort()).toEqual(
    ['model.onnx', 'tables', 'tables/phontab', 'tokens.txt', 'voice.json'].map((path) => join(path)),
  );
  expect((await stat(join(place, 'tables/phontab'))).size).toBeGreaterThan(10_000);
  if (!hasSherpa('speaking with a voice in parts')) return;
  const speech = createSpeech({ natural: here(), cacheBytes: 0, threads: 1 });
  try {
    const { samples } = await speech.utter('sherpa', 'Good morning.', { voice: 'parts.hum' });
    expect(samples.length).toBeGreaterThan(10_000);
  } finally {
    await speech.close();
  }
});

it('installs a Piper voice of the catalogue as its two files, with the sex of the catalogue', async () => {
  const source = await mkdtemp(join(tmpdir(), 'piper-'));
  await writePiperVoice(source, 'en_US-norman-medium');
  const file = async (name: string) => {
    const bytes = await readFile(join(source, name));
    host.files.set(`/${name}`, bytes);
    const md5 = createHash('md5').update(bytes).digest('hex');
    return { root: '', urls: [`${url}/gone/${name}`, `${url}/${name}`], bytes: bytes.length, md5 };
  };
  const listed = naturalVoices().find(({ name }) => name === 'en_US-norman-medium')!;
  const archive = await file('en_US-norman-medium.onnx');
  const voice = { ...listed, archive, more: [await file('en_US-norman-medium.onnx.json')] };
  await expect(install({ ...voice, archive: { ...archive, md5: '0'.repeat(32) } })).rejects.toThrow('damaged');
  await install(voice);
  const speech = createSpeech({ piper: { folder: join(source, 'none') }, natural: here(), cacheBytes: 0 });
  const own = (await speech.voices()).filter(({ provider }) => provider === 'piper' || provider === 'sherpa');
  expect(own).toMatchObject([{ provider: 'piper', voice: 'en_US-norman-medium', gender: 'male', locale: 'en-US' }]);
  await speech.close();
  await rm(source, { recursive: true });
});

it('refuses a part with a wrong checksum, and paths outside the folder', async () => {
  const voice = await voiceInParts();
  const [two] = voice.more!;
  await expect(install({ ...voice, more: [{ ...two!, sha256: 'a'.repeat(64) }] })).rejects.toThrow('damaged');
  const evil = wheelOf('evil', { '../../evil.txt': Buffer.from('evil') });
  await expect(install({ ...voice, more: [evil] })).rejects.toThrow(
    'the archive cannot be unpacked: invalid relative path: ../../evil.txt',
  );
  await expect(stat(join(folder, '..', 'evil.txt'))).rejects.toThrow('ENOENT');
  expect((await readdir(folder)).sort()).toEqual(['.downloads', 'whole.onnx', 'whole.onnx.json']);
});

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
  const voices = createNaturalVoices({ config, lifecycle, log: pino({ enabled: false }) }, [right, gone], here());
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

it('adds the first voice of the language of the machine by itself, once, unless the configuration prevents it', async () => {
  const lifecycle = createLifecycle(() => undefined);
  const english = voiceAt([`${url}/hum.tar.bz2`]);
  const german = { ...english, name: 'brumm', speakers: [{ ...english.speakers[0]!, locale: 'de-DE' }] };
  const finetuned = { ...german, name: 'kind', ancestor: 'lessac' };
  const config = { dataDir: folder, naturalVoices: true } as Kernel['config'];
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const open = (change: Partial<Kernel['config']> = {}) =>
    createNaturalVoices({ config: { ...config, ...change }, lifecycle, log }, [finetuned, english, german], here());
  await open({ naturalVoices: false }).addFirst('de-AT');
  await open().addFirst('xx');
  expect(lines).toEqual([]);
  expect(host.paths).toEqual([]);
  const voices = open();
  await voices.addFirst('de-AT');
  await voices.addFirst('de-AT');
  await expect
    .poll(voices.list)
    .toMatchObject([...[{ state: 'available' }, { state: 'available' }, { state: 'installed' }]]);
  await open().addFirst('en-US');
  expect(host.paths).toEqual(['/hum.tar.bz2']);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { voice: 'brumm', msg: expect.stringContaining('FIGUREHEAD_NATURAL_VOICES=off') },
  ]);
  await lifecycle.close();
});

/** Installs the voice of the tests. */
const installAt = (at: ModelFolder): Promise<string> =>
  installModel(voiceAt([`${url}/hum.tar.bz2`]), { ...at, onProgress: () => undefined });

/** A data folder without sherpa-onnx, not even next to Figurehead; its packages have the contents of these folders, by their names. */
async function lacking(
  packages: Record<string, Record<string, string | Buffer>>,
  platform?: string,
): Promise<ModelFolder> {
  const runtime = sherpaRuntime(join(folder, 'sherpa-onnx'), platform);
  const archives = runtime.packages.map(async ({ name }) => {
    const tar = pack();
    for (const [path, content] of Object.entries(packages[name] ?? {})) tar.entry({ name: `package/${path}` }, content);
    tar.finalize();
    const file = gzipSync(await buffer(tar), { level: 1 });
    host.files.set(`/${name}.tgz`, file);
    const sha256 = createHash('sha256').update(file).digest('hex');
    return { name, archive: { root: 'package', urls: [`${url}/${name}.tgz`], bytes: file.length, sha256 } };
  });
  return { folder, runtime: { ...runtime, modules: runtime.modules.slice(1), packages: await Promise.all(archives) } };
}

/** The smallest packages with which sherpa-onnx is complete. */
const SMALL = {
  'sherpa-onnx-node': {
    'package.json': JSON.stringify({ name: 'sherpa-onnx-node', main: 'sherpa-onnx.js' }),
    'sherpa-onnx.js': "module.exports = require('../sherpa-onnx-linux-x64');",
  },
  'sherpa-onnx-linux-x64': { 'index.js': 'module.exports = { isSherpa: true };' },
};

/** As {@link lacking}, with small packages, on any platform. */
const lackingSmall = (more: Record<string, string> = {}): Promise<ModelFolder> =>
  lacking({ ...SMALL, 'sherpa-onnx-linux-x64': { ...SMALL['sherpa-onnx-linux-x64'], ...more } }, 'linux-x64');

/** As {@link lacking}, with the installed packages. */
async function lackingReal(): Promise<ModelFolder> {
  const own = dirname(createRequire(import.meta.url).resolve('sherpa-onnx-node/package.json'));
  const { packages } = sherpaRuntime(folder);
  const contents = packages.map(async ({ name }) => {
    const place = join(own, '..', name);
    const files = (await readdir(place)).map(async (file) => [file, await readFile(join(place, file))] as const);
    return [name, Object.fromEntries(await Promise.all(files))] as const;
  });
  return lacking(Object.fromEntries(await Promise.all(contents)));
}

describe('sherpa-onnx', () => {
  it('comes with the first voice, other processes find it at once, and the next voice is downloaded alone', async () => {
    const at = await lackingSmall();
    const seen: (readonly number[])[] = [];
    const voice = voiceAt([`${url}/hum.tar.bz2`]);
    expect(findSherpa(at.runtime)).toBeUndefined();
    await installModel(voice, { ...at, onProgress: (...progress) => seen.push(progress) });
    const total = voice.archive.bytes + at.runtime.packages.reduce((sum, { archive }) => sum + archive.bytes, 0);
    expect(seen.at(-1)).toEqual([total, total]);
    expect(seen.map(([received = 0]) => received)).toEqual(
      seen.map(([received = 0]) => received).toSorted((a, b) => a - b),
    );
    expect(createRequire(import.meta.url)(findSherpa(at.runtime) ?? '')).toEqual({ isSherpa: true });
    expect(await readdir(join(at.runtime.place, 'node_modules'))).toEqual(
      at.runtime.packages.map(({ name }) => name).sort(),
    );
    expect(await readdir(join(dirname(at.runtime.place), '.downloads'))).toEqual([]);
    host.paths.length = 0;
    await installModel({ ...voice, name: 'next' }, { ...at, onProgress: () => undefined });
    expect(host.paths).toEqual(['/hum.tar.bz2']);
  });

  it('alone is downloaded for a voice that is already there', async () => {
    const at = await lackingSmall();
    const voice = voiceAt([`${url}/hum.tar.bz2`]);
    await installModel(voice, { ...here(), onProgress: () => undefined });
    host.paths.length = 0;
    await installModel(voice, { ...at, onProgress: () => undefined });
    expect(host.paths.sort()).toEqual(at.runtime.packages.map(({ name }) => `/${name}.tgz`).sort());
    expect(findSherpa(at.runtime)).toBeDefined();
  });

  it('is never unpacked when its bytes are not the pinned ones, nor outside its folder', async () => {
    const { runtime } = await lackingSmall();
    const forged = runtime.packages.map((each) => ({ ...each, archive: { ...each.archive, sha256: 'a'.repeat(64) } }));
    for (const packages of [[runtime.packages[0]!, forged[1]!], forged])
      await expect(installAt({ folder, runtime: { ...runtime, packages } })).rejects.toThrow('damaged');
    const evil = await lackingSmall({ '../../evil.txt': 'evil' });
    await expect(installAt(evil)).rejects.toThrow('holds package/../../evil.txt, which does not belong there');
    expect(findSherpa(evil.runtime)).toBeUndefined();
    expect(await readdir(dirname(evil.runtime.place))).toEqual(['.downloads']);
    expect((await readdir(folder, { recursive: true })).filter((path) => path.includes('evil'))).toEqual([]);
  });

  it('continues an interrupted download', async () => {
    const at = await lackingSmall();
    host.breakAfter = 100;
    await expect(installAt(at)).rejects.toThrow('broke off');
    await installAt(at);
    expect(host.ranges).toEqual(['bytes=100-']);
    expect(findSherpa(at.runtime)).toBeDefined();
  });

  it('and a voice are installed by several processes at once, also when one ends in the middle of the download of another', async () => {
    const at = await lackingSmall();
    let goOn = (): void => undefined;
    host.hold = new Promise((resolve) => {
      goOn = resolve;
    });
    const slow = [installAt(at), installAt(at)];
    await expect.poll(() => host.paths.length).toBe(2);
    host.hold = undefined;
    // What a killed process has left.
    const left = join(dirname(at.runtime.place), '.downloads', 'left');
    await mkdir(join(left, 'new'), { recursive: true });
    await utimes(left, 0, 0);
    await Promise.all([installAt(at), installAt(at)]);
    expect(findSherpa(at.runtime)).toBeDefined();
    goOn();
    await Promise.all(slow);
    expect(createRequire(import.meta.url)(findSherpa(at.runtime) ?? '')).toEqual({ isSherpa: true });
    expect((await readdir(join(folder, 'hum'))).sort()).toEqual(['model.onnx', 'tokens.txt', 'voice.json']);
    expect(await readdir(dirname(at.runtime.place))).toEqual(['.downloads', at.runtime.platform]);
    expect(await readdir(join(dirname(at.runtime.place), '.downloads'))).toEqual([]);
  });

  it('is refused where it has no package, before anything is downloaded, and the console says so', async () => {
    const runtime = { ...sherpaRuntime(join(folder, 'sherpa-onnx'), 'sunos-sparc'), modules: ['no-such-package'] };
    const voice = voiceAt([`${url}/hum.tar.bz2`]);
    await expect(installAt({ folder, runtime })).rejects.toThrow(
      'hum needs sherpa-onnx, which has no package for sunos-sparc',
    );
    expect(host.paths).toEqual([]);
    const lifecycle = createLifecycle(() => undefined);
    const kernel = { config: {} as Kernel['config'], lifecycle, log: pino({ enabled: false }) };
    expect(await createNaturalVoices(kernel, [voice], { folder, runtime }).list()).toMatchObject([
      { state: 'available', missing: 'A natural voice needs sherpa-onnx, which has no package for sunos-sparc.' },
    ]);
    await lifecycle.close();
  });

  it('counts in the console while it is missing: for each voice, and for one that only lacks it', async () => {
    const at = await lackingSmall();
    const engineBytes = at.runtime.packages.reduce((sum, { archive }) => sum + archive.bytes, 0);
    const voice = voiceAt([`${url}/hum.tar.bz2`]);
    const old = { ...voice, name: 'old' };
    await installModel(old, { ...here(), onProgress: () => undefined });
    const lifecycle = createLifecycle(() => undefined);
    const kernel = { config: {} as Kernel['config'], lifecycle, log: pino({ enabled: false }) };
    const voices = createNaturalVoices(kernel, [voice, old], at);
    const both = voice.archive.bytes + engineBytes;
    expect(await voices.list()).toMatchObject([
      { state: 'available', received: 0, bytes: both, engineBytes },
      { state: 'available', received: 0, bytes: engineBytes, engineBytes },
    ]);
    expect(await voices.add(voice)).toMatchObject({ state: 'installing', bytes: both });
    await expect.poll(async () => (await voices.list()).map(({ state }) => state)).toEqual(['installed', 'installed']);
    for (const listed of await voices.list())
      expect(listed).toMatchObject({ received: voice.archive.bytes, bytes: voice.archive.bytes });
    expect((await voices.list())[0]).not.toHaveProperty('engineBytes');
    await lifecycle.close();
  });

  it.skipIf(!hasSherpa('speaking with a downloaded sherpa-onnx'))(
    'speaks and recognises from the data folder',
    async () => {
      const at = await lackingReal();
      const speech = createSpeech({ natural: at, cacheBytes: 0, threads: 1 });
      const recogniser = new SpeechRecogniser(at);
      try {
        await installRecogniser(folder, 'hello');
        const hear = () => recogniser.transcribe(tone(1), 'de', new AbortController().signal);
        await expect(hear()).rejects.toThrow('hello needs sherpa-onnx, which is missing');
        await installAt(at);
        const { samples } = await speech.utter('sherpa', 'Good morning.', { voice: 'hum.hum' });
        expect(samples.length).toBeGreaterThan(20_000);
        expect(await hear()).toBe('Hallo.');
      } finally {
        await Promise.all([speech.close(), recogniser.close()]);
      }
    },
  );
});
