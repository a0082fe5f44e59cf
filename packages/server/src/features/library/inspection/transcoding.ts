import { type FileHandle, open } from 'node:fs/promises';
import { containerOf } from '@figurehead/contract/document/codec';
import {
  decodeAudio,
  type EncodedSegment,
  type FrameRate,
  MediaError,
  openAac,
  openOpus,
  openOutput,
  openSegmentEncoder,
  openVideo,
  type Pcm,
  probe,
  SAMPLE_RATE,
  type VideoReader,
  type VideoSettings,
} from '@figurehead/media';
import { refuseDamaged } from './clip-inspection.js';
import type { Transcoded } from './media-files.js';
import { RefusedFile } from './refused-file.js';

/** Maximum width of clips on slides; larger ones would only cost time. */
const MAX_SIDE = 1920;
const MAX_SECONDS = 1800;
/** A GOP of two seconds, as in finished videos: clips are cut and looped in slides. */
const GOP_SECONDS = 2;
const SEGMENT_GOPS = 5;
const CRF = 20;

/**
 * Converts an uploaded clip to H.264 and AAC in MP4, an uploaded sound to AAC: formats that slides and browsers can
 * play, in bytes written only by this program. Runs in a separate process. Throws {@link RefusedFile}.
 */
export async function transcode(job: { file: string; out: string; type: 'video' | 'audio' }): Promise<Transcoded> {
  const transcoded = job.type === 'video' ? transcodeVideo(job) : transcodeAudio(job);
  return transcoded.catch(refuseDamaged);
}

async function transcodeVideo({ file, out }: { file: string; out: string }): Promise<Transcoded> {
  const info = await probe(file);
  if (info.video === undefined) throw new RefusedFile('the file has no pictures');
  const shrink = Math.min(1, MAX_SIDE / Math.max(info.video.width, info.video.height));
  const even = (side: number): number => Math.max(2, Math.round((side * shrink) / 2) * 2);
  const fps = frameRateFor(info.video.fps);
  const settings: VideoSettings = {
    // H.264 has no transparency.
    ...(info.video.alpha && { codec: 'vp9', alpha: true }),
    width: even(info.video.width),
    height: even(info.video.height),
    fps,
    preset: 'veryfast',
    crf: CRF,
    gopFrames: GOP_SECONDS * fps,
  };
  const reader = await openVideo(file, settings);
  try {
    const seconds = lengthOf(reader.durationSeconds, info.durationSeconds) || (await measure(file));
    const frames = Math.max(1, Math.round(Math.min(seconds, MAX_SECONDS) * fps));
    const sound = info.audio === undefined ? undefined : await soundOf(file);
    const audio = sound && (info.video.alpha ? openOpus(sound) : openAac(sound));
    const writer = await openOutput(out, { ...settings, ...(audio && { audio }) });
    try {
      const run = settings.gopFrames * SEGMENT_GOPS;
      for (let first = 0; first < frames; first += run) {
        await writer.write(await encodeRun(reader, settings, { first, frames: Math.min(run, frames - first) }));
      }
      await writer.finish();
    } finally {
      await writer.discard();
    }
    const { width, height } = settings;
    const { mediaType: contentType, extension } = containerOf(settings.codec);
    return { contentType, extension, durationSeconds: frames / fps, width, height };
  } finally {
    await reader.close();
  }
}

/** To the end of a sound that goes on after the pictures; a tenth of a second is an encoder's padding. */
function lengthOf(pictures: number, whole: number): number {
  return whole > pictures + 0.1 ? whole : pictures;
}

async function encodeRun(
  reader: VideoReader,
  settings: VideoSettings,
  { first, frames }: { first: number; frames: number },
): Promise<EncodedSegment> {
  const encoder = openSegmentEncoder(settings);
  try {
    const packets = [];
    for (let index = 0; index < frames; index++) {
      packets.push(...encoder.encode(await reader.frameAt((first + index) / settings.fps)));
    }
    packets.push(...encoder.finish());
    return { frames, extradata: encoder.extradata, packets };
  } finally {
    encoder.close();
  }
}

/** The lowest supported rate that shows every picture. */
function frameRateFor(fps: number): FrameRate {
  const rates = [25, 30, 50, 60] as const;
  return rates.find((rate) => rate >= fps - 0.5) ?? 60;
}

/** Time of the last picture of a file without a duration (a browser's recording), seconds. */
async function measure(file: string): Promise<number> {
  const reader = await openVideo(file, { width: 16, height: 16 });
  try {
    let last = 0;
    for (let next = await reader.next(); next && last < MAX_SECONDS; next = await reader.next()) last = next.seconds;
    return last;
  } finally {
    await reader.close();
  }
}

/** A clip whose sound cannot be decoded is a silent clip, not a broken one. */
async function soundOf(file: string): Promise<Pcm | undefined> {
  try {
    return await decodeAudio(file, { maxSeconds: MAX_SECONDS });
  } catch (error) {
    if (error instanceof MediaError) return undefined;
    throw error;
  }
}

async function transcodeAudio({ file, out }: { file: string; out: string }): Promise<Transcoded> {
  const sound = await decodeAudio(file, { maxSeconds: MAX_SECONDS });
  const handle = await open(out, 'w');
  try {
    await writeAdts(handle, sound);
  } finally {
    await handle.close();
  }
  return { contentType: 'audio/aac', extension: 'aac', durationSeconds: sound.length / SAMPLE_RATE };
}

const ADTS_HEADER_BYTES = 7;
/** Index of 48 kHz among the sampling frequencies of ISO/IEC 14496-3. */
const ADTS_48_KHZ = 3;

/** AAC packets with an ADTS header each (ISO/IEC 14496-3, 1.A.2), which players accept without a container. */
async function writeAdts(handle: FileHandle, sound: Pcm): Promise<void> {
  const stream = openAac(sound);
  for await (const packets of stream.packets) {
    const parts = packets.flatMap(({ data }) => [adtsHeader(data.length, stream.channels), data]);
    await handle.appendFile(Buffer.concat(parts));
  }
}

function adtsHeader(payload: number, channels: number): Buffer {
  const length = payload + ADTS_HEADER_BYTES;
  // Syncword, MPEG-4, no CRC; AAC LC is profile 1; buffer fullness 0x7ff means variable rate.
  return Buffer.from([
    0xff,
    0xf1,
    (1 << 6) | (ADTS_48_KHZ << 2) | (channels >> 2),
    ((channels & 3) << 6) | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ]);
}
