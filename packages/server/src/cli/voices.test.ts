import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasSherpa } from '../../../../tests/support/natural-voice.js';
import { writePiperVoice } from '../../../../tests/support/piper-voice.js';
import { OperatorError } from '../kernel/operator-error.js';
import { registerVoices } from './voices.js';

const NAME = 'en_US-hum-low';
const PLACE = 'en/en_US/hum/low';
const CARD = '# Model card for hum (low)\n\n* Language: en_US\n* License: CC BY 4.0\n';

/** Behaviour of the mirror in a test, and the requests it received. */
const mirror = {
  files: new Map<string, Buffer>(),
  /** Disconnects once after this many bytes of the model. */
  breakAfter: Number.POSITIVE_INFINITY,
  ranges: [] as string[],
};

let server: Server;
let url: string;
let root: string;
let folder: string;

/** Waits until the file in the voices folder is not empty. */
async function arrived(name: string): Promise<void> {
  const size = () =>
    stat(join(folder, name)).then(
      (found) => found.size,
      () => 0,
    );
  while ((await size()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'voices-'));
  const source = join(root, 'source');
  await mkdir(source);
  await writePiperVoice(source, NAME);
  const model = await readFile(join(source, `${NAME}.onnx`));
  const description = await readFile(join(source, `${NAME}.onnx.json`));
  await writeFile(join(source, 'MODEL_CARD'), CARD);
  const listed = (bytes: Buffer) => ({ size_bytes: bytes.length, md5_digest: digest(bytes, 'md5') });
  const voice = {
    key: NAME,
    language: { code: 'en_US', name_english: 'English' },
    files: {
      [`${PLACE}/${NAME}.onnx`]: { ...listed(model), sha256_digest: digest(model, 'sha256') },
      [`${PLACE}/${NAME}.onnx.json`]: listed(description),
      [`${PLACE}/MODEL_CARD`]: listed(Buffer.from(CARD)),
    },
  };
  mirror.files.set('/voices.json', Buffer.from(JSON.stringify({ [NAME]: voice })));
  mirror.files.set(`/${PLACE}/${NAME}.onnx`, model);
  mirror.files.set(`/${PLACE}/${NAME}.onnx.json`, description);
  mirror.files.set(`/${PLACE}/MODEL_CARD`, Buffer.from(CARD));
  server = createServer((request, response) => {
    const file = mirror.files.get(request.url ?? '');
    if (!file) {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (request.headers.range) mirror.ranges.push(request.headers.range);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': file.length - from });
    if (file === model && mirror.breakAfter < file.length) {
      response.write(file.subarray(from, mirror.breakAfter));
      mirror.breakAfter = Number.POSITIVE_INFINITY;
      // A reset can overtake sent data, so it disconnects once something has arrived.
      void arrived(`${NAME}.onnx.part`).then(() => response.destroy());
      return;
    }
    response.end(file.subarray(from));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(root, { recursive: true });
});

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'added-'));
  vi.stubEnv('FIGUREHEAD_PIPER_DIR', folder);
  mirror.ranges.length = 0;
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function digest(bytes: Buffer, algorithm: string): string {
  return createHash(algorithm).update(bytes).digest('hex');
}

/** Runs the program and returns its output. */
async function figurehead(...args: string[]): Promise<{ out: string; notices: string }> {
  const out: string[] = [];
  const notices: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => notices.push(String(text)) > 0);
  const program = new Command();
  registerVoices(program.command('voices'));
  await program.parseAsync(['voices', ...args], { from: 'user' });
  return { out: out.join(''), notices: notices.join('') };
}

describe.skipIf(!hasSherpa('adding Piper voices'))('figurehead voices', () => {
  it('adds a voice from a mirror, shows its licence, and lists it', async () => {
    const { out, notices } = await figurehead('add', NAME, '--mirror', url, '--yes');
    expect(notices).toContain('License: CC BY 4.0');
    expect(notices).not.toContain('cannot be used');
    expect(out).toContain(digest(mirror.files.get(`/${PLACE}/${NAME}.onnx`)!, 'sha256'));
    expect((await readdir(folder)).sort()).toEqual([`${NAME}.onnx`, `${NAME}.onnx.json`]);
    const listed = await figurehead('list', '--provider', 'piper', '--json');
    expect(JSON.parse(listed.out)).toMatchObject([{ provider: 'piper', voice: NAME, locale: 'en-US' }]);
  });

  it('adds nothing before the licence is accepted', async () => {
    await expect(figurehead('add', NAME, '--mirror', url)).rejects.toThrow('--yes');
    expect(await readdir(folder)).toEqual([]);
  });

  it('continues a broken download', async () => {
    mirror.breakAfter = 200;
    await expect(figurehead('add', NAME, '--mirror', url, '--yes')).rejects.toThrow(OperatorError);
    const [part] = await readdir(folder);
    expect(part).toBe(`${NAME}.onnx.part`);
    const received = (await readFile(join(folder, part!))).length;
    await figurehead('add', NAME, '--mirror', url, '--yes');
    expect(mirror.ranges).toEqual([`bytes=${received}-`]);
    expect(await readFile(join(folder, `${NAME}.onnx`))).toEqual(mirror.files.get(`/${PLACE}/${NAME}.onnx`));
  });

  it('refuses a file that differs from the catalogue, and starts over the next time', async () => {
    const path = `/${PLACE}/${NAME}.onnx`;
    const right = mirror.files.get(path)!;
    mirror.files.set(path, Buffer.alloc(right.length));
    await expect(figurehead('add', NAME, '--mirror', url, '--yes')).rejects.toThrow('damaged');
    expect(await readdir(folder)).toEqual([]);
    mirror.files.set(path, right);
    await figurehead('add', NAME, '--mirror', url, '--yes');
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('suggests alternatives when a voice or a mirror is missing', async () => {
    await expect(figurehead('add', 'en_US-none-low', '--mirror', url, '--yes')).rejects.toThrow(NAME);
    await expect(figurehead('add', NAME, '--mirror', `${url}/nowhere`, '--yes')).rejects.toThrow('404');
    await expect(figurehead('add', '../x', '--yes')).rejects.toThrow('cannot be read');
  });

  it('adds the voices of a folder', async () => {
    const { out, notices } = await figurehead('add', join(root, 'source'), '--yes', '--json');
    expect(notices).toContain('License: CC BY 4.0');
    expect(JSON.parse(out)).toMatchObject([{ voice: NAME }]);
    expect((await readdir(folder)).sort()).toEqual([`${NAME}.onnx`, `${NAME}.onnx.json`]);
  });
});

describe('figurehead voices available', () => {
  it('lists natural voices and speech recognisers with size and licence, and says which are installed', async () => {
    const data = await mkdtemp(join(root, 'data-'));
    vi.stubEnv('FIGUREHEAD_DATA', data);
    await mkdir(join(data, 'recognisers', 'whisper-base'), { recursive: true });
    await writeFile(join(data, 'recognisers', 'whisper-base', 'recogniser.json'), '{}');
    const { out } = await figurehead('available');
    expect(out).toMatch(/^whisper-base +208 MB {2}MIT +Whisper, base: 99 languages, recogniser, installed$/mu);
    expect(out).toMatch(/^whisper-tiny +116 MB {2}MIT +Whisper, tiny: 99 languages, recogniser$/mu);
    expect(out).toMatch(/^kokoro +90 MB {2}Apache-2.0 +Kokoro: English, French, .*Hindi, 38 voices$/mu);
    expect(out).toMatch(/^kokoro-en-small +103 MB {2}Apache-2.0 +Kokoro, small: English, 10 voices$/mu);
  });

  it('does not add a recogniser before its licence is accepted', async () => {
    const data = await mkdtemp(join(root, 'data-'));
    vi.stubEnv('FIGUREHEAD_DATA', data);
    await expect(figurehead('add', 'whisper-base')).rejects.toThrow('--yes');
    expect(await readdir(data)).toEqual([]);
  });
});
