import { CODECS } from '@figurehead/contract/document/codec';
import { SAMPLE_RATE, samplesPerFrame } from '@figurehead/presenter/time';
import { u16, u32 } from '../../big-endian.js';
import { AAC_FRAME } from '../codecs/aac.js';
import type { EncodedPacket, EncodedSegment } from '../contract.js';
import {
  aacDescription,
  box,
  clipUtf8,
  fileType,
  MOVIE_TIMESCALE,
  movie,
  type TrackTables,
  textDescription,
  videoDescription,
} from './mp4-boxes.js';
import { SpooledFile } from './output-file.js';
import { assertFollows, type OutputOptions, type OutputWriter } from './output-writer.js';
import { SampleTable } from './sample-table.js';

/** Ticks per frame in the video track: fine enough for players that round. */
const TICKS_PER_FRAME = 512;

const TEXT_TIMESCALE = 1000;

const MDAT_HEADER_BYTES = 16;

/**
 * Starts an MP4 file at `path` (replaced if it exists): H.264 or H.265, AAC, `mov_text`, chapters. Samples are
 * collected in a temporary file; `finish` puts the index first, so that playback starts before the file is loaded. Our
 * own muxer, because node-av cannot write chapters and its muxer hides the system's errors. The same input gives the
 * same bytes.
 */
export async function openMp4(path: string, options: OutputOptions): Promise<OutputWriter> {
  return new Writer(await SpooledFile.open(path), options);
}

class Writer implements OutputWriter {
  readonly #video = new SampleTable();
  readonly #sound = new SampleTable();
  #config: Uint8Array | undefined;
  #frames = 0;
  /** Frames by which decoding runs ahead of presentation, the same in all segments. */
  #reorderFrames = 0;
  #soundEnd = 0;
  #soundOver = false;

  constructor(
    private readonly file: SpooledFile,
    private readonly options: OutputOptions,
  ) {}

  async write(segment: EncodedSegment): Promise<void> {
    this.#config ??= segment.extradata;
    assertFollows(this.#config, segment);
    this.#reorderFrames = -(segment.packets[0]?.dts ?? 0);
    const parts: Uint8Array[] = [];
    for (const packet of segment.packets) {
      this.#video.add({
        at: this.file.place(packet.data, parts),
        size: packet.data.length,
        duration: TICKS_PER_FRAME,
        shift: (packet.pts - packet.dts) * TICKS_PER_FRAME,
        keyframe: packet.keyframe,
      });
    }
    this.#frames += segment.frames;
    await this.#collectSound(parts, this.#frames * samplesPerFrame(this.options.fps));
    await this.file.append(parts);
  }

  async finish(): Promise<void> {
    try {
      if (!this.#config || this.#frames === 0) throw new Error('expected at least one frame in a video');
      const text = this.#textTracks();
      await this.file.append(text.parts);
      const tracks = [this.#videoTrack(this.#config), ...this.#soundTrack(), ...text.tracks];
      await this.file.finish(this.#head(tracks));
    } finally {
      await this.discard();
    }
  }

  async discard(): Promise<void> {
    this.options.audio?.close();
    await this.file.discard();
  }

  /** Writes sound up to sample `end`, directly behind its pictures. */
  async #collectSound(parts: Uint8Array[], end: number): Promise<void> {
    const packets = this.options.audio?.packets;
    while (packets && !this.#soundOver && this.#soundEnd < end) {
      const next: IteratorResult<EncodedPacket[]> = await packets.next();
      if (next.done) {
        this.#soundOver = true;
        return;
      }
      for (const { data, pts } of next.value) {
        const at = this.file.place(data, parts);
        this.#sound.add({ at, size: data.length, duration: AAC_FRAME, shift: 0, keyframe: true });
        this.#soundEnd = pts + AAC_FRAME;
      }
    }
  }

  #videoTrack(config: Uint8Array): TrackTables {
    const { width, height, fps, codec = 'h264', chapters, language } = this.options;
    return {
      id: 1,
      kind: 'video',
      timescale: fps * TICKS_PER_FRAME,
      language,
      description: videoDescription(CODECS[codec], { width, height, config }),
      ...this.#video.tables(),
      keyframes: this.#video.keyframes,
      mediaStart: this.#reorderFrames * TICKS_PER_FRAME,
      shown: this.#frames * samplesPerFrame(fps),
      width,
      height,
      chapterTrack: chapters?.length ? 4 : undefined,
    };
  }

  #soundTrack(): TrackTables[] {
    const { audio, fps, language } = this.options;
    if (!audio || this.#sound.sizes.length === 0) return [];
    const seconds = (this.#sound.sizes.length * AAC_FRAME) / SAMPLE_RATE;
    const bitRate = Math.round((this.#sound.sizes.reduce((sum, size) => sum + size, 0) * 8) / seconds);
    // The encoder's priming is the first frame; the edit list skips it, so that sample 0 plays with frame 0.
    const available = this.#sound.sizes.length * AAC_FRAME - AAC_FRAME;
    return [
      {
        id: 2,
        kind: 'audio',
        timescale: SAMPLE_RATE,
        language,
        description: aacDescription(audio.channels, SAMPLE_RATE, bitRate, audio.extradata),
        ...this.#sound.tables(),
        keyframes: undefined,
        mediaStart: AAC_FRAME,
        shown: Math.min(available, this.#frames * samplesPerFrame(fps)),
        width: 0,
        height: 0,
        chapterTrack: undefined,
      },
    ];
  }

  #textTracks(): { tracks: TrackTables[]; parts: Uint8Array[] } {
    const endMs = Math.round((this.#frames * 1000) / this.options.fps);
    const parts: Uint8Array[] = [];
    const track = (
      kind: 'subtitle' | 'chapters',
      lines: readonly { start: number; end: number; text: string }[],
    ): TrackTables[] => {
      if (lines.length === 0) return [];
      const table = new SampleTable();
      for (const sample of textSamples(lines, endMs, kind === 'chapters')) {
        const at = this.file.place(sample.data, parts);
        table.add({ at, size: sample.data.length, duration: sample.durationMs, shift: 0, keyframe: true });
      }
      return [
        {
          id: kind === 'subtitle' ? 3 : 4,
          kind,
          timescale: TEXT_TIMESCALE,
          language: this.options.language,
          description: textDescription(kind === 'subtitle' ? 'tx3g' : 'text'),
          ...table.tables(),
          keyframes: undefined,
          mediaStart: 0,
          shown: (endMs * MOVIE_TIMESCALE) / 1000,
          width: kind === 'subtitle' ? this.options.width : 0,
          height: kind === 'subtitle' ? Math.round(this.options.height / 6) : 0,
          chapterTrack: undefined,
        },
      ];
    };
    const chapters = (this.options.chapters ?? []).map((chapter) => ({ ...chapter, text: chapter.title }));
    return { tracks: [...track('subtitle', this.options.cues ?? []), ...track('chapters', chapters)], parts };
  }

  /** `ftyp`, `moov` and the head of the payload. */
  #head(tracks: readonly TrackTables[]): Uint8Array[] {
    const { codec = 'h264', chapters = [] } = this.options;
    const { bytes } = this.file;
    const type = fileType(CODECS[codec]);
    // The index of ten hours takes less than the 256 MB left below 4 GB.
    const wide = bytes >= 2 ** 32 - 2 ** 28;
    const payloadAt = type.length + movie(tracks, { at: 0, wide }, chapters).length + MDAT_HEADER_BYTES;
    return [type, movie(tracks, { at: payloadAt, wide }, chapters), mdatHeader(bytes)];
  }
}

/** `mdat` with a 64-bit size, so that its header has a fixed length. */
function mdatHeader(bytes: number): Uint8Array {
  const out = new Uint8Array(MDAT_HEADER_BYTES);
  const view = new DataView(out.buffer);
  out.set(box('mdat'));
  view.setUint32(0, 1);
  view.setBigUint64(8, BigInt(bytes + MDAT_HEADER_BYTES));
  return out;
}

/** Text samples without gaps: an empty one during silence. Overlapping lines are cut where the next starts. */
function textSamples(
  lines: readonly { start: number; end: number; text: string }[],
  endMs: number,
  named: boolean,
): { data: Uint8Array; durationMs: number }[] {
  const samples: { data: Uint8Array; durationMs: number }[] = [];
  let at = 0;
  const until = (ms: number, text: string): void => {
    if (ms <= at) return;
    samples.push({ data: textSample(text, named), durationMs: ms - at });
    at = ms;
  };
  lines.forEach((line, index) => {
    const next = lines[index + 1];
    const end = Math.min(line.end, next?.start ?? line.end);
    until(Math.min(endMs, Math.round(line.start * 1000)), '');
    until(Math.min(endMs, Math.round(end * 1000)), line.text);
  });
  until(endMs, '');
  return samples;
}

function textSample(text: string, named: boolean): Uint8Array {
  const bytes = clipUtf8(text, 65_535);
  // QuickTime assumes legacy encodings unless a chapter's name declares UTF-8.
  const encoding = named ? box('encd', u32(0x100)) : new Uint8Array(0);
  return Buffer.concat([u16(bytes.length), bytes, encoding]);
}
