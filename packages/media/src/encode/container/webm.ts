import { samplesPerFrame } from '@figurehead/presenter/time';
import { u32 } from '../../big-endian.js';
import { splitAlpha } from '../codecs/vp9.js';
import type { EncodedPacket, EncodedSegment } from '../contract.js';
import { element, variable } from './ebml.js';
import { SpooledFile } from './output-file.js';
import { assertFollows, type OutputOptions, type OutputWriter } from './output-writer.js';
import { Id, prologue, SOUND_TRACK, TEXT_TRACK, VIDEO_TRACK, type WebmCue } from './webm-head.js';

const SAMPLES_PER_MS = 48;

/** Block flag (RFC 9559 clause 10.1) of a keyframe; only simple blocks have it. */
const KEYFRAME = 0x80;

/**
 * Starts a WebM file at `path` (replaced if it exists): VP9 or AV1, Opus, WebVTT, chapters. A cluster is a GOP; the
 * index precedes the clusters, so that players seek without reading the end first. The same input gives the same bytes.
 */
export async function openWebm(path: string, options: OutputOptions): Promise<OutputWriter> {
  return new Writer(await SpooledFile.open(path), options);
}

/** A block that waits for its cluster. */
interface Block {
  readonly atMs: number;
  readonly bytes: (clusterMs: number) => Uint8Array;
}

class Writer implements OutputWriter {
  readonly #index: WebmCue[] = [];
  readonly #text: Block[];
  #extradata: Uint8Array | undefined;
  #frames = 0;
  #soundOver = false;
  /** Sound that was encoded ahead of its pictures. */
  #sound: EncodedPacket[] = [];
  /** Time of the first packet; negative, because it only primes the decoder. */
  #soundStart: number | undefined;

  constructor(
    private readonly file: SpooledFile,
    private readonly options: OutputOptions,
  ) {
    this.#text = (options.cues ?? []).map((cue) => {
      const atMs = Math.round(cue.start * 1000);
      const durationMs = Math.max(1, Math.round(cue.end * 1000) - atMs);
      return { atMs, bytes: (clusterMs) => textBlock(cue.text, durationMs, atMs - clusterMs) };
    });
  }

  async write(segment: EncodedSegment): Promise<void> {
    this.#extradata ??= segment.extradata;
    assertFollows(this.#extradata, segment);
    const parts: Uint8Array[] = [];
    let gop: EncodedPacket[] = [];
    const start = this.#frames;
    for (const packet of segment.packets) {
      if (packet.keyframe && gop.length > 0) {
        await this.#cluster(gop, start, parts);
        gop = [];
      }
      gop.push(packet);
    }
    await this.#cluster(gop, start, parts);
    this.#frames += segment.frames;
    await this.file.append(parts);
  }

  async finish(): Promise<void> {
    try {
      if (this.#frames === 0 || !this.#extradata) throw new Error('expected at least one frame in a video');
      const facts = {
        ...this.options,
        extradata: this.#extradata,
        durationMs: this.#frameMs(this.#frames),
        clusterBytes: this.file.bytes,
      };
      await this.file.finish(prologue(facts, this.#index));
    } finally {
      await this.discard();
    }
  }

  async discard(): Promise<void> {
    this.options.audio?.close();
    await this.file.discard();
  }

  /** WebM frames are whole milliseconds; the track's default duration gives the exact value. */
  #frameMs(frame: number): number {
    return Math.round((frame * 1000) / this.options.fps);
  }

  async #cluster(gop: readonly EncodedPacket[], start: number, parts: Uint8Array[]): Promise<void> {
    const first = gop[0];
    if (!first) return;
    const startFrame = start + first.pts;
    const clusterMs = this.#frameMs(startFrame);
    const endFrame = startFrame + gop.length;
    const blocks: Block[] = gop.map((packet) => {
      const atMs = this.#frameMs(start + packet.pts);
      return { atMs, bytes: (at) => this.#videoBlock(packet, atMs - at) };
    });
    blocks.push(...(await this.#soundUntil(endFrame)), ...this.#textUntil(this.#frameMs(endFrame)));
    // Blocks of all tracks in order of time; the sort is stable, so at equal times pictures come first.
    blocks.sort((a, b) => a.atMs - b.atMs);
    const bytes = element(
      Id.Cluster,
      element(Id.Timestamp, u32(clusterMs)),
      ...blocks.map((block) => block.bytes(clusterMs)),
    );
    this.#index.push({ atMs: clusterMs, position: this.file.place(bytes, parts) });
  }

  #videoBlock(packet: EncodedPacket, relativeMs: number): Uint8Array {
    if (this.options.alpha !== true) {
      return simpleBlock(VIDEO_TRACK, relativeMs, packet.keyframe ? KEYFRAME : 0, packet.data);
    }
    const { colours, alpha } = splitAlpha(packet.data);
    const more = element(Id.BlockMore, element(Id.BlockAddId, Uint8Array.of(1)), element(Id.BlockAdditional, alpha));
    return element(
      Id.BlockGroup,
      element(Id.Block, blockBody(VIDEO_TRACK, relativeMs, 0, colours)),
      element(Id.BlockAdditions, more),
      // A packet that refers to another picture is not a keyframe.
      ...(packet.keyframe ? [] : [element(Id.ReferenceBlock, Uint8Array.of(0xff))]),
    );
  }

  /** Sound up to the end of a frame, including priming, which players subtract as `CodecDelay`. */
  async #soundUntil(endFrame: number): Promise<Block[]> {
    const { audio, fps } = this.options;
    if (!audio) return [];
    const end = endFrame * samplesPerFrame(fps);
    while (!this.#soundOver && (this.#sound.at(-1)?.pts ?? Number.NEGATIVE_INFINITY) < end) {
      const next: IteratorResult<EncodedPacket[]> = await audio.packets.next();
      if (next.done) this.#soundOver = true;
      else this.#sound.push(...next.value);
    }
    this.#soundStart ??= this.#sound[0]?.pts ?? 0;
    const due = this.#sound.filter(({ pts }) => pts < end);
    this.#sound = this.#sound.slice(due.length);
    const start = this.#soundStart;
    return due.map(({ data, pts }) => {
      const atMs = Math.round((pts - start) / SAMPLES_PER_MS);
      return { atMs, bytes: (clusterMs) => simpleBlock(SOUND_TRACK, atMs - clusterMs, KEYFRAME, data) };
    });
  }

  #textUntil(endMs: number): Block[] {
    const due = this.#text.filter(({ atMs }) => atMs < endMs);
    this.#text.splice(0, due.length);
    return due;
  }
}

function blockBody(track: number, relativeMs: number, flags: number, data: Uint8Array): Uint8Array {
  const place = Buffer.of(0, 0, flags);
  place.writeInt16BE(relativeMs);
  return Buffer.concat([variable(track), place, data]);
}

function simpleBlock(track: number, relativeMs: number, flags: number, data: Uint8Array): Uint8Array {
  return element(Id.SimpleBlock, blockBody(track, relativeMs, flags, data));
}

/** A WebVTT cue in WebM's form: name, settings and text, one line each. */
function textBlock(text: string, durationMs: number, relativeMs: number): Uint8Array {
  const body = Buffer.from(`\n\n${text}`);
  return element(
    Id.BlockGroup,
    element(Id.Block, blockBody(TEXT_TRACK, relativeMs, 0, body)),
    element(Id.BlockDuration, u32(durationMs)),
  );
}
