import { CODECS } from '@figurehead/contract/document/codec';
import type { FrameRate } from '@figurehead/presenter/time';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { ChapterMark } from '../contract.js';
import { element, float, head, text, unsigned } from './ebml.js';
import { trackLanguageOf } from './language.js';
import type { OutputOptions } from './output-writer.js';

/** Ids of the elements that the engine writes (RFC 9559 clause 5). */
export const Id = {
  Ebml: 0x1a45dfa3,
  EbmlVersion: 0x4286,
  EbmlReadVersion: 0x42f7,
  EbmlMaxIdLength: 0x42f2,
  EbmlMaxSizeLength: 0x42f3,
  DocType: 0x4282,
  DocTypeVersion: 0x4287,
  DocTypeReadVersion: 0x4285,
  Segment: 0x18538067,
  SeekHead: 0x114d9b74,
  Seek: 0x4dbb,
  SeekId: 0x53ab,
  SeekPosition: 0x53ac,
  Info: 0x1549a966,
  TimestampScale: 0x2ad7b1,
  Duration: 0x4489,
  MuxingApp: 0x4d80,
  WritingApp: 0x5741,
  Tracks: 0x1654ae6b,
  TrackEntry: 0xae,
  TrackNumber: 0xd7,
  TrackUid: 0x73c5,
  TrackType: 0x83,
  FlagDefault: 0x88,
  FlagLacing: 0x9c,
  DefaultDuration: 0x23e383,
  Language: 0x22b59c,
  CodecId: 0x86,
  CodecPrivate: 0x63a2,
  CodecDelay: 0x56aa,
  SeekPreRoll: 0x56bb,
  Video: 0xe0,
  PixelWidth: 0xb0,
  PixelHeight: 0xba,
  AlphaMode: 0x53c0,
  MaxBlockAdditionId: 0x55ee,
  Colour: 0x55b0,
  MatrixCoefficients: 0x55b1,
  Range: 0x55b9,
  TransferCharacteristics: 0x55ba,
  Primaries: 0x55bb,
  Audio: 0xe1,
  SamplingFrequency: 0xb5,
  Channels: 0x9f,
  Chapters: 0x1043a770,
  EditionEntry: 0x45b9,
  ChapterAtom: 0xb6,
  ChapterUid: 0x73c4,
  ChapterTimeStart: 0x91,
  ChapterTimeEnd: 0x92,
  ChapterDisplay: 0x80,
  ChapString: 0x85,
  ChapLanguage: 0x437c,
  Cues: 0x1c53bb6b,
  CuePoint: 0xbb,
  CueTime: 0xb3,
  CueTrackPositions: 0xb7,
  CueTrack: 0xf7,
  CueClusterPosition: 0xf1,
  Cluster: 0x1f43b675,
  Timestamp: 0xe7,
  SimpleBlock: 0xa3,
  BlockGroup: 0xa0,
  Block: 0xa1,
  BlockDuration: 0x9b,
  BlockAdditions: 0x75a1,
  BlockMore: 0xa6,
  BlockAddId: 0xee,
  BlockAdditional: 0xa5,
  ReferenceBlock: 0xfb,
  Tags: 0x1254c367,
  Tag: 0x7373,
  Targets: 0x63c0,
  SimpleTag: 0x67c8,
  TagName: 0x45a3,
  TagString: 0x4487,
} as const;

/** Numbers of the tracks. */
export const VIDEO_TRACK = 1;
/** See {@link VIDEO_TRACK}. */
export const SOUND_TRACK = 2;
/** See {@link VIDEO_TRACK}. */
export const TEXT_TRACK = 3;

const TRACK_TYPES = { video: 1, audio: 2, subtitle: 17 } as const;

/** A millisecond in nanoseconds: the timestamp unit that WebM players expect. */
const MS = 1_000_000;

/** Opus needs 80 ms to settle after a seek (RFC 7845 clause 4.6). */
const OPUS_PREROLL_NS = 80 * MS;

/** A seekable position: `position` is the cluster's, from the payload's first byte. */
export interface WebmCue {
  readonly atMs: number;
  readonly position: number;
}

/** Inputs of a file's head. */
export interface WebmFacts extends OutputOptions {
  readonly extradata: Uint8Array;
  readonly durationMs: number;
  readonly clusterBytes: number;
}

/** Everything before the clusters. Positions have a fixed width, so that its length is known in advance. */
export function prologue(facts: WebmFacts, cues: readonly WebmCue[]): Uint8Array[] {
  const fixed = [
    info(facts),
    tracks(facts),
    ...(facts.chapters?.length ? [chapters(facts.chapters, languageOf(facts))] : []),
    ...(facts.isSynthetic ? [SYNTHETIC] : []),
  ];
  const ids = [
    Id.Info,
    Id.Tracks,
    ...(facts.chapters?.length ? [Id.Chapters] : []),
    ...(facts.isSynthetic ? [Id.Tags] : []),
  ];
  const build = (starts: readonly number[], clusters: number): Uint8Array[] => [
    seekHead([...ids, Id.Cues], starts),
    ...fixed,
    index(cues, clusters),
  ];
  const draft = build([], 0);
  let at = 0;
  const starts = draft.map((part) => {
    const start = at;
    at += part.length;
    return start;
  });
  const parts = build(starts.slice(1), at);
  return [ebmlHead(), head(Id.Segment, at + facts.clusterBytes), Buffer.concat(parts)];
}

/** Says that a machine made the film: WebM has no place for a C2PA manifest, so a tag holds the IPTC's term. */
export const SOURCE_TAG = {
  name: 'DIGITAL_SOURCE_TYPE',
  value: 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia',
} as const;

const SYNTHETIC = element(
  Id.Tags,
  element(
    Id.Tag,
    element(Id.Targets),
    element(Id.SimpleTag, text(Id.TagName, SOURCE_TAG.name), text(Id.TagString, SOURCE_TAG.value)),
  ),
);

function ebmlHead(): Uint8Array {
  return element(
    Id.Ebml,
    unsigned(Id.EbmlVersion, 1),
    unsigned(Id.EbmlReadVersion, 1),
    unsigned(Id.EbmlMaxIdLength, 4),
    unsigned(Id.EbmlMaxSizeLength, 8),
    text(Id.DocType, 'webm'),
    unsigned(Id.DocTypeVersion, 4),
    unsigned(Id.DocTypeReadVersion, 2),
  );
}

/** Positions of the other parts, in file order. */
function seekHead(ids: readonly number[], starts: readonly number[]): Uint8Array {
  return element(
    Id.SeekHead,
    ...ids.map((id, at) => element(Id.Seek, unsigned(Id.SeekId, id, 4), unsigned(Id.SeekPosition, starts[at] ?? 0, 8))),
  );
}

function info({ durationMs }: WebmFacts): Uint8Array {
  return element(
    Id.Info,
    unsigned(Id.TimestampScale, MS),
    float(Id.Duration, durationMs),
    text(Id.MuxingApp, 'Figurehead'),
    text(Id.WritingApp, 'Figurehead'),
  );
}

function tracks(facts: WebmFacts): Uint8Array {
  const { audio, cues } = facts;
  const language = languageOf(facts);
  return element(
    Id.Tracks,
    videoTrack(facts, facts.fps),
    ...(audio ? [soundTrack(audio, language)] : []),
    ...(cues && cues.length > 0 ? [textTrack(language)] : []),
  );
}

/** Matroska's form of a language (RFC 9559 clause 12). */
function languageOf({ language = '' }: OutputOptions): string {
  return trackLanguageOf(language).bibliographic;
}

function entry(
  number: number,
  type: keyof typeof TRACK_TYPES,
  language: string,
  ...more: readonly Uint8Array[]
): Uint8Array {
  return element(
    Id.TrackEntry,
    unsigned(Id.TrackNumber, number),
    unsigned(Id.TrackUid, number),
    unsigned(Id.TrackType, TRACK_TYPES[type]),
    unsigned(Id.FlagLacing, 0),
    unsigned(Id.FlagDefault, type === 'subtitle' ? 0 : 1),
    text(Id.Language, language),
    ...more,
  );
}

function videoTrack(facts: WebmFacts, fps: FrameRate): Uint8Array {
  const { codec = 'vp9', width, height, alpha, extradata } = facts;
  // ITU-T H.273: 1 is BT.709 in each; range 1 is limited.
  const colour = element(
    Id.Colour,
    unsigned(Id.MatrixCoefficients, 1),
    unsigned(Id.Range, 1),
    unsigned(Id.TransferCharacteristics, 1),
    unsigned(Id.Primaries, 1),
  );
  return entry(
    VIDEO_TRACK,
    'video',
    languageOf(facts),
    text(Id.CodecId, CODECS[codec].mark),
    ...(extradata.length > 0 ? [element(Id.CodecPrivate, extradata)] : []),
    unsigned(Id.DefaultDuration, Math.round((1000 * MS) / fps)),
    ...(alpha === true ? [unsigned(Id.MaxBlockAdditionId, 1)] : []),
    element(
      Id.Video,
      unsigned(Id.PixelWidth, width),
      unsigned(Id.PixelHeight, height),
      ...(alpha === true ? [unsigned(Id.AlphaMode, 1)] : []),
      colour,
    ),
  );
}

function soundTrack({ extradata, channels }: NonNullable<OutputOptions['audio']>, language: string): Uint8Array {
  // Pre-skip from the identification header, samples, little-endian.
  const preSkip = (extradata[10] ?? 0) | ((extradata[11] ?? 0) << 8);
  return entry(
    SOUND_TRACK,
    'audio',
    language,
    text(Id.CodecId, 'A_OPUS'),
    element(Id.CodecPrivate, extradata),
    unsigned(Id.CodecDelay, Math.round((preSkip * 1000 * MS) / SAMPLE_RATE)),
    unsigned(Id.SeekPreRoll, OPUS_PREROLL_NS),
    element(Id.Audio, float(Id.SamplingFrequency, SAMPLE_RATE), unsigned(Id.Channels, channels)),
  );
}

function textTrack(language: string): Uint8Array {
  return entry(TEXT_TRACK, 'subtitle', language, text(Id.CodecId, 'D_WEBVTT/SUBTITLES'));
}

function chapters(list: readonly ChapterMark[], language: string): Uint8Array {
  const atoms = list.map((chapter, at) =>
    element(
      Id.ChapterAtom,
      unsigned(Id.ChapterUid, at + 1),
      unsigned(Id.ChapterTimeStart, Math.round(chapter.start * 1000 * MS)),
      unsigned(Id.ChapterTimeEnd, Math.round(chapter.end * 1000 * MS)),
      element(Id.ChapterDisplay, text(Id.ChapString, chapter.title), text(Id.ChapLanguage, language)),
    ),
  );
  return element(Id.Chapters, element(Id.EditionEntry, ...atoms));
}

function index(cues: readonly WebmCue[], clusters: number): Uint8Array {
  return element(
    Id.Cues,
    ...cues.map(({ atMs, position }) =>
      element(
        Id.CuePoint,
        unsigned(Id.CueTime, atMs),
        element(
          Id.CueTrackPositions,
          unsigned(Id.CueTrack, VIDEO_TRACK),
          unsigned(Id.CueClusterPosition, clusters + position, 8),
        ),
      ),
    ),
  );
}
