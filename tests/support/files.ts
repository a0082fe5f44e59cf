import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allocateYuv, openAac, openMp4, openSegmentEncoder } from '@figurehead/media';
import type { Http } from '../../packages/server/src/kernel/http/contract.js';
import { wavOf } from './recorded.js';

/** Posts `file` and text fields as multipart/form-data. */
export async function upload(
  http: Http,
  request: {
    path: string;
    token: string;
    file?: { name: string; bytes: Uint8Array; type?: string };
    fields?: Record<string, string>;
  },
): Promise<{ status: number; body: Record<string, unknown> & { _id: string; url: string; message: string } }> {
  const boundary = 'figurehead-test-boundary';
  const parts = Object.entries(request.fields ?? {}).map(([name, value]) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  );
  const { file } = request;
  if (file !== undefined) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: ${file.type ?? 'application/octet-stream'}\r\n\r\n`;
    parts.push(Buffer.from(head), Buffer.from(file.bytes), Buffer.from('\r\n'));
  }
  const answer = await http.app.inject({
    method: 'POST',
    url: `/api/v1${request.path}`,
    headers: {
      authorization: `Bearer ${request.token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    payload: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  });
  return { status: answer.statusCode, body: JSON.parse(answer.body) };
}

/** What a signed link of the server answers. */
export async function download(http: Http, link: string): Promise<{ status: number; type: unknown; bytes: Buffer }> {
  const { pathname, search } = new URL(link);
  const answer = await http.app.inject({ method: 'GET', url: `${pathname}${search}` });
  return { status: answer.statusCode, type: answer.headers['content-type'], bytes: answer.rawPayload };
}

/** A tone of `seconds` as a WAV file, mono, 16 bit. */
export function toneWav(seconds: number, sampleRate = 22_050): Buffer {
  const tone = (_: unknown, n: number): number => 0.24 * Math.sin((n / sampleRate) * 2764);
  return wavOf(Float32Array.from({ length: Math.round(seconds * sampleRate) }, tone), sampleRate);
}

/** A clip of `seconds` that turns from dark to bright, with or without a tone, as an MP4 file. */
export async function clipMp4(options: {
  seconds: number;
  width: number;
  height: number;
  sound: boolean;
}): Promise<Buffer> {
  const { seconds, width, height } = options;
  const settings = { width, height, fps: 25, preset: 'veryfast', crf: 28, gopFrames: 50 } as const;
  const frames = Math.round(seconds * 25);
  const encoder = openSegmentEncoder(settings);
  const packets = [];
  for (let index = 0; index < frames; index++) {
    const frame = allocateYuv(width, height);
    frame.y.fill(40 + Math.round((150 * index) / frames));
    frame.u.fill(128);
    frame.v.fill(128);
    packets.push(...encoder.encode(frame));
  }
  packets.push(...encoder.finish());
  const { extradata } = encoder;
  encoder.close();
  const tone = Float32Array.from({ length: seconds * 48_000 }, (_, i) => 0.2 * Math.sin(i / 17));
  const file = join(tmpdir(), `fh-clip-${process.pid}-${Math.random().toString(36).slice(2)}.mp4`);
  const writer = await openMp4(file, { ...settings, ...(options.sound ? { audio: openAac(tone) } : {}) });
  try {
    await writer.write({ frames, extradata, packets });
    await writer.finish();
    return await readFile(file);
  } finally {
    await writer.discard();
    await rm(file, { force: true });
  }
}

/** A real font of the media package: Lato, Latin, 400. */
export async function latoFont(format: 'woff' | 'woff2'): Promise<Buffer> {
  const require = createRequire(import.meta.url);
  return readFile(require.resolve(`@fontsource/lato/files/lato-latin-400-normal.${format}`));
}
