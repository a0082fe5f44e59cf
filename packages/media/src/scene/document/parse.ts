import {
  type AspectFormat,
  CAPTION_STYLES,
  CODECS,
  ENCODE_PRESETS,
  EXPRESSIONS,
  FRAME_RATES,
  type FrameRate,
  namesOf,
  TRANSITIONS,
  type Transition,
} from '@figurehead/contract/document';
import type { Background, Paint, Problem, SlideDocument, VideoData, VideoDocument } from './document.js';
import { describe, Fields, isColor, isRecord } from './fields.js';
import { parseAnimation } from './parse-animation.js';
import { parseObjects } from './parse-objects.js';

/** What parsing gives: a document that can always be laid out, and all that was wrong with the source. */
export interface ParsedDocument {
  readonly document: VideoDocument;
  readonly problems: readonly Problem[];
}

/** Settings that come with a render request and not with the document. */
export interface ParseOptions {
  /** Every textbox shrinks its font until the text fits its box. */
  readonly fitTextBox?: boolean;
}

/** Shorter side in px of each `resolution`. */
const RESOLUTIONS: Readonly<Record<string, number>> = {
  hd: 720,
  '720p': 720,
  fullhd: 1080,
  '1080p': 1080,
  '4k': 2160,
  '2160p': 2160,
};

/** Addresses that are clips by their ending, whatever query follows. */
const VIDEO_ADDRESS = /\.(?:mp4|m4v|mov|webm|mkv)(?:[?#]|$)/i;

/**
 * Reads a video document (`slides`, `data`; decisions.md "Videos") that may come from anywhere. Unknown keys are
 * ignored, Fabric's defaults filled in; what cannot be drawn as asked is named in `problems`.
 */
export function parseDocument(source: unknown, options: ParseOptions = {}): ParsedDocument {
  const problems: Problem[] = [];
  const root = isRecord(source) ? source : {};
  if (!isRecord(source))
    problems.push({ path: '', message: `expected a video document, got ${describe(source)}`, level: 'error' });
  const data = parseData(new Fields(isRecord(root.data) ? root.data : {}, 'data', problems));
  const rawSlides = Array.isArray(root.slides) ? root.slides : [];
  if (rawSlides.length === 0) problems.push({ path: 'slides', message: 'the video has no slides', level: 'error' });
  const slides = rawSlides.map((raw: unknown, index) => {
    const at = `slides[${index}]`;
    if (!isRecord(raw)) problems.push({ path: at, message: `expected a slide, got ${describe(raw)}`, level: 'error' });
    const fields = new Fields(isRecord(raw) ? raw : {}, at, problems);
    return parseSlide(fields, index, { ...options, transparent: data.transparent });
  });
  return { document: { slides, data }, problems };
}

function parseData(fields: Fields): VideoData {
  const format: AspectFormat = fields.choice('format', ['16_9', '9_16', '1_1'], '16_9');
  const resolution = fields.choice('resolution', Object.keys(RESOLUTIONS), 'fullhd');
  const short = RESOLUTIONS[resolution] ?? 1080;
  const long = (short * 16) / 9;
  const fps = fields.number('fps', { fallback: 25 });
  if (!isFrameRate(fps)) fields.note('fps', `expected one of ${FRAME_RATES.join(', ')}, got ${fps}`);
  const music = fields.string('musicUrl', '');
  const transparent = fields.boolean('transparent', false);
  const codec = fields.choice('codec', namesOf(CODECS), transparent ? 'vp9' : 'h264');
  if (transparent && codec !== 'vp9') {
    fields.note('codec', `a transparent video is VP9, ${codec} has no transparency`, 'warning');
  }
  return {
    format,
    width: format === '16_9' ? long : short,
    height: format === '9_16' ? long : short,
    fps: isFrameRate(fps) ? fps : 25,
    subtitlesEnabled: fields.boolean('subtitlesEnabled', false),
    musicUrl: music === '' ? null : music,
    musicVolume: fields.number('musicVolume', { fallback: 0.25, min: 0, max: 1 }),
    seed: Math.trunc(fields.number('seed', { fallback: 1, min: -(2 ** 53), max: 2 ** 53 })),
    codec: transparent ? 'vp9' : codec,
    preset: fields.choice('preset', namesOf(ENCODE_PRESETS), 'veryfast'),
    transparent,
    captions: fields.choice('captions', namesOf(CAPTION_STYLES), 'off'),
    gifEnabled: fields.boolean('gifEnabled', false),
  };
}

function isFrameRate(value: number): value is FrameRate {
  return FRAME_RATES.some((rate) => rate === value);
}

function parseSlide(
  fields: Fields,
  index: number,
  options: ParseOptions & { readonly transparent: boolean },
): SlideDocument {
  const canvas = canvasOf(fields);
  const duration = fields.get('duration');
  const nameOf = (key: string): string | null => fields.string(key, '') || null;
  return {
    id: Math.trunc(fields.number('id', { fallback: index + 1, min: -(2 ** 53), max: 2 ** 53 })),
    title: nameOf('title') ?? nameOf('name'),
    speech: fields.string('speech', ''),
    language: nameOf('language'),
    voice: nameOf('voice'),
    voiceProvider: nameOf('voiceProvider'),
    avatar: fields.boolean('hasAvatar', true) ? avatarCode(fields) : null,
    background: parseBackground(canvas, options.transparent),
    objects: parseObjects(canvas, { fitTextBox: options.fitTextBox ?? false }),
    animation: parseAnimation(fields),
    transition: parseTransition(fields),
    expression: fields.choice('expression', namesOf(EXPRESSIONS), 'neutral'),
    duration:
      duration === undefined || duration === null
        ? null
        : fields.number('duration', { fallback: 0, min: 0, max: 3600 }),
  };
}

function parseTransition(fields: Fields): Transition {
  const raw = fields.get('transition');
  if (!isRecord(raw)) return fields.choice('transition', namesOf(TRANSITIONS), 'none');
  return new Fields(raw, `${fields.at}.transition`, fields.problems).choice('type', namesOf(TRANSITIONS), 'none');
}

function avatarCode(fields: Fields): string | null {
  const avatar = fields.get('avatar');
  if (typeof avatar === 'string') return avatar || null;
  if (!isRecord(avatar)) return null;
  return new Fields(avatar, `${fields.at}.avatar`, fields.problems).string('code', '') || null;
}

/** The canvas arrives as an object, or as the JSON text that some editors store. */
function canvasOf(fields: Fields): Fields {
  const at = `${fields.at}.canvas`;
  const raw = fields.get('canvas');
  if (isRecord(raw)) return new Fields(raw, at, fields.problems);
  if (raw !== undefined && raw !== null) fields.note('canvas', `expected a canvas, got ${describe(raw)}`);
  return new Fields({}, at, fields.problems);
}

function parseBackground(canvas: Fields, transparent: boolean): Background {
  const colour = (paint: Paint): Background => (transparent ? { kind: 'none' } : { kind: 'color', paint });
  // Fabric keeps a background picture in `backgroundImage` and may put a pattern object into `background`.
  for (const key of ['backgroundImage', 'background', 'backgroundColor']) {
    const raw = canvas.get(key);
    if (raw === undefined || raw === null || raw === '') continue;
    if (isRecord(raw) && typeof raw.src === 'string') return mediaBackground(raw.src, raw);
    if (isRecord(raw)) return colour(canvas.paint(key, null) ?? '#ffffff');
    if (typeof raw !== 'string') {
      canvas.note(key, `expected a colour or an address, got ${describe(raw)}`);
      continue;
    }
    if (isColor(raw.trim())) return colour(raw.trim());
    if (/^[a-z][a-z0-9+.-]*:|^\/|\./i.test(raw)) return mediaBackground(raw, {});
    canvas.note(key, `expected a colour or an address, got ${describe(raw)}`);
  }
  return colour('#ffffff');
}

function mediaBackground(src: string, extra: Readonly<Record<string, unknown>>): Background {
  if (extra.type !== 'video' && !VIDEO_ADDRESS.test(src)) return { kind: 'picture', src };
  const volume = typeof extra.volume === 'number' ? Math.min(1, Math.max(0, extra.volume)) : 0;
  return { kind: 'video', src, volume: extra.muted === true ? 0 : volume };
}
