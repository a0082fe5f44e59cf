import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writePiperVoice } from '../../../../../../tests/support/piper-voice.js';
import type { Kernel } from '../../../kernel/contract.js';
import { uploadPiperVoice } from './upload.js';

const NAME = 'en_US-own-medium';
let root: string;
let kernel: Pick<Kernel, 'config' | 'log' | 'temporary'>;
const upload = async (filename: string, description: string) =>
  uploadPiperVoice(kernel, { path: join(root, `${NAME}.onnx`), filename }, description);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'upload-'));
  await writePiperVoice(root, NAME);
  const within: Kernel['temporary']['within'] = async (stem, work) => work(await mkdtemp(join(root, stem)));
  kernel = {
    config: { dataDir: join(root, 'data'), voicesMirror: 'file:///nowhere' } as Kernel['config'],
    log: pino({ enabled: false }),
    temporary: { within } as Kernel['temporary'],
  };
});
afterAll(() => rm(root, { recursive: true }));

it('adds an uploaded Piper voice as its two files', async () => {
  const description = await readFile(join(root, `${NAME}.onnx.json`), 'utf8');
  expect(await upload('mine.onnx', description)).toBe('mine');
  const folder = join(root, 'data', 'piper');
  expect((await readdir(folder)).sort()).toEqual(['mine.onnx', 'mine.onnx.json']);
  expect(await readFile(join(folder, 'mine.onnx'))).toEqual(await readFile(join(root, `${NAME}.onnx`)));
});

it('refuses other files by the field that is wrong, and keeps nothing of them', async () => {
  await mkdir(join(root, 'data', 'piper'), { recursive: true });
  const before = await readdir(join(root, 'data', 'piper'));
  for (const [filename, description, field] of [
    ['voice.bin', '{}', 'file'],
    ['../up.onnx', '{}', 'file'],
    ['other.onnx', 'no JSON', 'description'],
    ['other.onnx', '{"phoneme_id_map": {}}', 'description'],
  ] as const)
    await expect(upload(filename, description)).rejects.toMatchObject({
      status: 400,
      details: { errors: [{ field }] },
    });
  expect(await readdir(join(root, 'data', 'piper'))).toEqual(before);
});
