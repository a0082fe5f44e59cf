import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RenderedFiles } from '@figurehead/media';
import { encodeWav } from '@figurehead/media/basic';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clipMp4 } from '../../../../../../tests/support/files.js';
import { openTestKernel, type TestKernel } from '../../../../../../tests/support/kernel.js';
import { sharedSetting } from '../../../kernel/settings.js';
import type { FrozenVideo } from '../contract.js';
import { commandSigner, operatorsIdentity } from './certificate.js';
import { createCredentials } from './credentials.js';
import { signFile } from './sign.js';
import { verifyFile } from './verify.js';

const run = promisify(execFile);
const SLIDE = { id: 1, speech: 'Hello.', avatar: { code: 'clara' } };
const video = (slides: unknown[]) =>
  ({ workspaceId: 'w', videoId: 'v', name: 'Tour', data: {}, fitTextBox: false, slides }) as unknown as FrozenVideo;

let test: TestKernel;
let folder: string;
let film: Buffer;
let picture: Buffer;

beforeAll(async () => {
  test = await openTestKernel({ FIGUREHEAD_URL: 'https://video.example.com' });
  folder = await mkdtemp(join(tmpdir(), 'fh-credentials-'));
  film = await clipMp4({ seconds: 1, width: 64, height: 48, sound: true });
  picture = await readFile(new URL('../../../../../../docs/images/presenters/clara.jpg', import.meta.url));
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

const openCredentials = (consents: string[] = [], env = {}) =>
  createCredentials(
    { db: test.kernel.db, config: { ...test.kernel.config, ...env } },
    { isBuiltIn: (code) => code === 'clara', consentsOf: async () => consents },
  );

/** Signs a film and its picture. @returns their paths. */
async function signed(slides: unknown[], consents: string[] = [], env = {}) {
  const files = { video: join(folder, 'film.mp4'), thumbnailJpeg: join(folder, 'picture.jpg') };
  await writeFile(files.video, film);
  await writeFile(files.thumbnailJpeg, picture);
  const credentials = await openCredentials(consents, env);
  const says = await credentials.sign(video(slides), files as RenderedFiles);
  return { ...files, says };
}

const KINDS = ['gif', 'webp', 'wav'] as const;

/** Signs a file of another kind than films. @returns its path, and its content before. */
async function signedFile(kind: (typeof KINDS)[number]) {
  const path = join(folder, `file.${kind}`);
  const image = sharp(picture).resize(160);
  const tone = Float32Array.from({ length: 4801 }, (_, n) => Math.sin(n / 20));
  const content = kind === 'wav' ? encodeWav(tone) : await (kind === 'gif' ? image.gif() : image.webp()).toBuffer();
  await writeFile(path, content);
  const made = { title: 'Tour', source: 'trainedAlgorithmicMedia', consents: [] } as const;
  await signFile(path, made, await commandSigner(test.kernel.config));
  return { path, content };
}

describe('content credentials', () => {
  it('say who made a film and its picture with what, and that a machine did', async () => {
    const files = await signed([SLIDE]);
    expect(files.says).toEqual({
      source: 'trainedAlgorithmicMedia',
      signer: expect.stringContaining('video.example.com'),
    });
    for (const path of [files.video, files.thumbnailJpeg]) {
      expect(await verifyFile(path)).toMatchObject({
        state: 'valid',
        title: 'Tour',
        software: expect.stringMatching(/^Figurehead \d/),
        signer: files.says?.signer,
        actions: [{ action: 'c2pa.created', source: expect.stringMatching(/\/trainedAlgorithmicMedia$/) }],
        problems: [],
      });
    }
    // The film itself is as it was.
    expect((await readFile(files.video)).subarray(0, film.length)).toEqual(film);
  });

  it.each([
    ['clara', false, 'trainedAlgorithmicMedia'],
    ['clara', true, 'compositeWithTrainedAlgorithmicMedia'],
    ['0123456789abcdef01234567', false, 'compositeWithTrainedAlgorithmicMedia'],
  ])('are in the recording of a stream with %s, foreign sound: %s', async (presenter, hasForeignSound, source) => {
    const { signRecording } = await openCredentials(['ab'.repeat(32)]);
    const stream = { workspaceId: 'w', title: 'Live', presenter, hasForeignSound };
    const [path, webm] = [join(folder, 'recording.mp4'), join(folder, 'recording.webm')];
    await writeFile(path, film);
    await writeFile(webm, film);
    for (const each of [path, webm]) await signRecording(each, stream);
    const action = { source: expect.stringContaining(`/${source}`) };
    expect(await verifyFile(path)).toMatchObject({ state: 'valid', title: 'Live', actions: [action] });
    expect((await readFile(path)).includes('ab'.repeat(32))).toBe(true);
    expect((await readFile(webm)).equals(film)).toBe(true);
  });

  it('say of films with pictures of others, and of photographed presenters, that they are composites', async () => {
    const background = { src: 'https://example.com/a.png' };
    const withPicture = {
      ...SLIDE,
      canvas: { background: 'https://example.com/a.png', objects: [{ type: 'image', ...background }] },
    };
    expect((await signed([withPicture])).says?.source).toBe('compositeWithTrainedAlgorithmicMedia');
    const files = await signed([{ ...SLIDE, avatar: { code: '0123456789abcdef01234567' } }], ['ab'.repeat(32)]);
    expect(files.says?.source).toBe('compositeWithTrainedAlgorithmicMedia');
    expect((await readFile(files.video)).includes('ab'.repeat(32))).toBe(true);
  });

  it.each([100, -100, 40_000])('do not hold once byte %i of a film was changed', async (at) => {
    const { video: path } = await signed([SLIDE]);
    const bytes = await readFile(path);
    const place = at < 0 ? bytes.length + at : at % film.length;
    bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
    await writeFile(path, bytes);
    expect((await verifyFile(path)).state).toBe('invalid');
  });

  it.each(KINDS)('are in a .%s file, which stays readable, and do not hold once a byte was changed', async (kind) => {
    const { path, content } = await signedFile(kind);
    expect(await verifyFile(path)).toMatchObject({ state: 'valid', title: 'Tour', problems: [] });
    const whole = await readFile(path);
    expect(whole.length).toBeLessThan(content.length + 6000);
    if (kind !== 'wav') {
      const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();
      expect((await pixels(whole)).equals(await pixels(content))).toBe(true);
    }
    // In what the file shows, before and after the manifest.
    for (const at of kind === 'gif' ? [20, 600, whole.length - 10] : [60, 900, content.length - 3, whole.length - 30]) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      await writeFile(path, changed);
      const { state } = await verifyFile(path);
      expect([at, state]).toEqual([at, 'invalid']);
    }
  });

  it('are absent from other films, and the check refuses other kinds of files', async () => {
    const plain = join(folder, 'plain.mp4');
    await writeFile(plain, film);
    expect(await verifyFile(plain)).toEqual({ state: 'absent', actions: [], problems: [] });
    await writeFile(plain, film.subarray(0, film.length - 10));
    await expect(verifyFile(plain)).rejects.toThrow('not a whole MP4 file');
    await writeFile(plain, 'some words');
    await expect(verifyFile(plain)).rejects.toThrow('expected an MP4, JPEG, PNG, GIF, WebP or WAV file');
  });

  it('are signed by the same certificate in every process, or by the operator’s', async () => {
    const [first, second] = [await signed([SLIDE]), await signed([SLIDE])];
    expect(first.says?.signer).toBe(second.says?.signer);
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const issued = await sharedSetting(test.kernel.db, 'credentials', async () => ({ certificates: '', key: '' }));
    await writeFile(key, issued.key);
    await writeFile(certificate, issued.certificates);
    const own = { credentialsCertificate: certificate, credentialsKey: key };
    expect((await verifyFile((await signed([SLIDE], [], own)).video)).state).toBe('valid');
    await writeFile(key, 'no key');
    await writeFile(certificate, 'no certificate');
    await expect(operatorsIdentity({ credentialsCertificate: certificate, credentialsKey: undefined })).rejects.toThrow(
      'set together',
    );
    await expect(operatorsIdentity({ credentialsCertificate: certificate, credentialsKey: key })).rejects.toThrow(
      'cannot be used',
    );
  });

  it('are read as valid by another program', async (context) => {
    const { video, thumbnailJpeg } = await signed([SLIDE]);
    const others = await Promise.all(KINDS.map(async (kind) => (await signedFile(kind)).path));
    const files = [video, thumbnailJpeg, ...others];
    const program =
      'import sys, json, c2pa\nfor path in sys.argv[1:]: print(json.loads(c2pa.Reader(path).json())["validation_state"])';
    const python = process.env['FIGUREHEAD_TEST_C2PA_PYTHON'] ?? 'python3';
    const isThere = await run(python, ['-c', 'import c2pa']).then(
      () => true,
      () => false,
    );
    if (!isThere) return context.skip('SKIPPED: install c2pa-python to check the manifests with another program');
    const statesOf = async () => (await run(python, ['-c', program, ...files])).stdout.trim().split('\n');
    expect(await statesOf()).toEqual(files.map(() => 'Valid'));
    for (const path of files) {
      const bytes = await readFile(path);
      // In the content: the manifests of JPEG and GIF files are before it, the others behind it.
      const at = /\.(jpg|gif)$/.test(path) ? bytes.length - 10 : 1000;
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      await writeFile(path, bytes);
    }
    expect(await statesOf()).toEqual(files.map(() => 'Invalid'));
  });
});
