import type { CodecRow } from '@figurehead/contract/document';
import { u16, u32 } from '../../big-endian.js';
import { trackLanguageOf } from './language.js';

/** The boxes of a plain MP4 file's `moov` (ISO/IEC 14496-12, -14, -15; 3GPP TS 26.245 for text). Pure: tables in, bytes out. */

/** Bytes, or numbers written as big-endian 32-bit words, of a box. */
type Part = Uint8Array | number;

/** A sample description with the tables of one finished track. Times in the track's own `timescale`. */
export interface TrackTables {
  readonly id: number;
  readonly kind: 'video' | 'audio' | 'subtitle' | 'chapters';
  readonly timescale: number;
  /** See `OutputOptions`. */
  readonly language: string | undefined;
  /** The entry of `stsd`. */
  readonly description: Uint8Array;
  /** Sizes of all samples in bytes. */
  readonly sizes: readonly number[];
  /** Durations of samples, run-length encoded. */
  readonly durations: readonly Run[];
  /** Presentation time minus decoding time, run-length encoded; empty when they are equal. */
  readonly shifts: readonly Run[];
  /** Sync samples, counted from 1; `undefined`: all are. */
  readonly keyframes: readonly number[] | undefined;
  /** Runs of contiguous samples in `mdat`: first byte (from the payload's start) and number of samples. */
  readonly chunks: readonly { readonly at: number; readonly samples: number }[];
  /** Media time at which presentation starts (priming, reordering), in the track's timescale. */
  readonly mediaStart: number;
  /** Presentation duration of the track, in the movie's timescale. */
  readonly shown: number;
  /** Display size in px, video only. */
  readonly width: number;
  readonly height: number;
  /** Track with the chapters of this one. */
  readonly chapterTrack: number | undefined;
}

/** `count` times the same value. */
export interface Run {
  readonly count: number;
  readonly value: number;
}

/** Units per second of `mvhd`: every frame rate of the engine and the sound divide it. */
export const MOVIE_TIMESCALE = 48_000;

const IDENTITY = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

/** A box of `type` around `parts`. */
export function box(type: string, ...parts: readonly Part[]): Uint8Array {
  const body = parts.map((part) => (typeof part === 'number' ? u32(part) : part));
  const length = body.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(length), ascii(type), ...body]);
}

/** The file type: ISO media, readable everywhere. */
export function fileType({ mark }: CodecRow): Uint8Array {
  return box('ftyp', ascii('isom'), 0x200, ascii(`isomiso2${mark}mp41`));
}

/** Position of the `mdat` payload in the file, and whether offsets need 64 bits. */
export interface PayloadPlace {
  readonly at: number;
  readonly wide: boolean;
}

/** The whole `moov`; `chapters` also go to `udta` (Nero). Its length does not depend on `place.at`. */
export function movie(
  tracks: readonly TrackTables[],
  place: PayloadPlace,
  chapters: readonly { readonly start: number; readonly title: string }[],
): Uint8Array {
  const duration = Math.max(...tracks.map((track) => track.shown));
  const header = box(
    'mvhd',
    u32(0, 0, 0, MOVIE_TIMESCALE, duration, 0x10000, 0x01000000, 0, 0),
    IDENTITY,
    u32(0, 0, 0, 0, 0, 0, Math.max(...tracks.map((track) => track.id)) + 1),
  );
  const named = chapters.length > 0 ? [box('udta', chapterList(chapters))] : [];
  return box('moov', header, ...tracks.map((track) => trackBox(track, place)), ...named);
}

/** The sample entry of a codec with its decoder configuration, BT.709 limited. Size in px. */
export function videoDescription(
  { mark, configBox = '' }: CodecRow,
  { width, height, config }: { readonly width: number; readonly height: number; readonly config: Uint8Array },
): Uint8Array {
  return box(
    mark,
    u32(0),
    u16(0, 1),
    u32(0, 0, 0, 0),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    new Uint8Array(32),
    u16(0x18, 0xffff),
    box(configBox, config),
    box('colr', ascii('nclx'), u16(1, 1, 1), Uint8Array.of(0)),
    box('pasp', 1, 1),
  );
}

/** `mp4a` with its elementary stream descriptor for AAC-LC. */
export function aacDescription(channels: number, sampleRate: number, bitRate: number, config: Uint8Array): Uint8Array {
  const specific = descriptor(5, config);
  const decoder = descriptor(4, Buffer.concat([Uint8Array.of(0x40, 0x15, 0, 0, 0), u32(bitRate, bitRate), specific]));
  const stream = descriptor(3, Buffer.concat([u16(2), Uint8Array.of(0), decoder, descriptor(6, Uint8Array.of(2))]));
  return box(
    'mp4a',
    u32(0),
    u16(0, 1),
    u32(0, 0),
    u16(channels, 16),
    u32(0, sampleRate * 65_536),
    box('esds', 0, stream),
  );
}

/** `tx3g` for subtitles, or the same body under `text` for QuickTime chapter names. */
export function textDescription(type: 'tx3g' | 'text'): Uint8Array {
  const centredBelow = type === 'tx3g' ? Uint8Array.of(1, 0xff) : Uint8Array.of(0, 0);
  return box(
    type,
    u32(0),
    u16(0, 1),
    u32(0),
    centredBelow,
    u32(0, 0, 0),
    u16(0, 0, 1),
    Uint8Array.of(0, 18, 255, 255, 255, 255),
    box('ftab', u16(1, 1), Uint8Array.of(5), ascii('Serif')),
  );
}

function trackBox(track: TrackTables, place: PayloadPlace): Uint8Array {
  const enabled = track.kind === 'chapters' ? 2 : 3;
  const mediaDuration = track.durations.reduce((sum, run) => sum + run.count * run.value, 0);
  const volume = track.kind === 'audio' ? 0x100 : 0;
  const header = box(
    'tkhd',
    u32(enabled, 0, 0, track.id, 0, track.shown, 0, 0),
    u16(0, track.kind === 'subtitle' ? 2 : 0, volume, 0),
    IDENTITY,
    u32(track.width * 65_536, track.height * 65_536),
  );
  const edit = box('edts', box('elst', 0, 1, track.shown, track.mediaStart, 0x10000));
  const references = track.chapterTrack === undefined ? [] : [box('tref', box('chap', track.chapterTrack))];
  const media = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, track.timescale, mediaDuration), u16(packedLanguage(track.language), 0)),
    handler(track.kind),
    box('minf', mediaHeader(track.kind), box('dinf', box('dref', 0, 1, box('url ', 1))), sampleTable(track, place)),
  );
  return box('trak', header, edit, ...references, media);
}

/** Three letters of five bits each, 0x60 less than their ASCII codes (ISO/IEC 14496-12 clause 8.4.2). */
function packedLanguage(language = ''): number {
  return [...ascii(trackLanguageOf(language).terminological)].reduce(
    (bits, letter) => (bits << 5) | (letter - 0x60),
    0,
  );
}

function handler(kind: TrackTables['kind']): Uint8Array {
  const type = { video: 'vide', audio: 'soun', subtitle: 'sbtl', chapters: 'text' }[kind];
  const name = { video: 'Video', audio: 'Sound', subtitle: 'Subtitles', chapters: 'Chapters' }[kind];
  return box('hdlr', u32(0, 0), ascii(type), u32(0, 0, 0), ascii(`${name}\0`));
}

function mediaHeader(kind: TrackTables['kind']): Uint8Array {
  switch (kind) {
    case 'video':
      return box('vmhd', 1, u32(0, 0));
    case 'audio':
      return box('smhd', 0, 0);
    case 'subtitle':
      return box('nmhd', 0);
    case 'chapters':
      return box('gmhd', box('gmin', 0, u16(0x40, 0x8000, 0x8000, 0x8000, 0, 0)), box('text', IDENTITY));
  }
}

function sampleTable(track: TrackTables, place: PayloadPlace): Uint8Array {
  const shifted = track.shifts.length > 0 ? [box('ctts', 0, runTable(track.shifts))] : [];
  const sync = track.keyframes ? [box('stss', 0, table(track.keyframes))] : [];
  // AAC needs the packet before the sought one; players that support `roll` decode it first.
  const preroll =
    track.kind === 'audio'
      ? [
          box('sgpd', 0x01000000, ascii('roll'), 2, 1, u16(0xffff)),
          box('sbgp', 0, ascii('roll'), 1, track.sizes.length, 1),
        ]
      : [];
  return box(
    'stbl',
    box('stsd', 0, 1, track.description),
    box('stts', 0, runTable(track.durations)),
    ...shifted,
    ...sync,
    box('stsc', 0, sampleToChunk(track)),
    box('stsz', 0, 0, table(track.sizes)),
    chunkOffsets(track, place),
    ...preroll,
  );
}

function sampleToChunk(track: TrackTables): Uint8Array {
  const entries: number[] = [];
  let before = -1;
  track.chunks.forEach((chunk, index) => {
    if (chunk.samples !== before) entries.push(index + 1, chunk.samples, 1);
    before = chunk.samples;
  });
  return table(entries, entries.length / 3);
}

function chunkOffsets(track: TrackTables, place: PayloadPlace): Uint8Array {
  const offsets = track.chunks.map((chunk) => chunk.at + place.at);
  if (!place.wide) return box('stco', 0, table(offsets));
  const out = new Uint8Array(4 + offsets.length * 8);
  const view = new DataView(out.buffer);
  view.setUint32(0, offsets.length);
  offsets.forEach((offset, index) => {
    view.setBigUint64(4 + index * 8, BigInt(offset));
  });
  return box('co64', 0, out);
}

/** Nero's `chpl`: at most 255 chapters, titles of at most 255 bytes, times in 100 ns. */
function chapterList(chapters: readonly { readonly start: number; readonly title: string }[]): Uint8Array {
  const entries = chapters.slice(0, 255).map((chapter) => {
    const title = clipUtf8(chapter.title, 255);
    const out = new Uint8Array(9 + title.length);
    const view = new DataView(out.buffer);
    view.setBigUint64(0, BigInt(Math.round(chapter.start * 1e7)));
    out[8] = title.length;
    out.set(title, 9);
    return out;
  });
  return box('chpl', 0x01000000, Uint8Array.of(0, 0, 0, 0, entries.length), ...entries);
}

/** UTF-8 of `text`, at most `limit` bytes, never cut inside a character. */
export function clipUtf8(text: string, limit: number): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return bytes;
  let end = limit;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

function runTable(runs: readonly Run[]): Uint8Array {
  return table(
    runs.flatMap((run) => [run.count, run.value]),
    runs.length,
  );
}

/** A count of entries, then the entries' words. Tables of long videos are too long for spread arguments. */
function table(values: readonly number[], entries = values.length): Uint8Array {
  const out = new Uint8Array(4 + values.length * 4);
  const view = new DataView(out.buffer);
  view.setUint32(0, entries);
  values.forEach((value, index) => {
    view.setUint32(4 + index * 4, value);
  });
  return out;
}

function descriptor(tag: number, body: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(tag, 0x80, 0x80, 0x80, body.length), body]);
}

function ascii(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
