import {
  type Brand,
  type CanvasObject,
  LONGEST_TEXT,
  MAX_SLIDES,
  type OutlineVideoInput,
  type Slide,
  type VideoInput,
} from '@figurehead/contract';
import { dressSlide, lookOf } from '@figurehead/contract/layouts';
import { ApiError } from '../../kernel/errors.js';
import { DEFAULT_AVATAR } from '../avatars/index.js';
import { localeOf } from './languages.js';
import { sentencesIn, shorten } from './sentences.js';
import type { OutlineRow } from './store.js';

/** Area of the text next to the presenter, on the 640×360 canvas. */
const TEXT = { left: 40, top: 50, width: 300 } as const;
const TITLE_SIZES = [28, 22, 18] as const;
const TITLE_LINES = 3;
const SUMMARY_SIZE = 15;
const LINE_HEIGHT = 1.3;
const GAP = 14;
/** Longer titles and summaries are read, not looked at. */
const MAX_SHOWN = { title: 120, summary: 160 } as const;

/**
 * A draft with one slide per chapter: title and summary next to the presenter, who speaks the script (or the summary if there
 * is none). A script that is too long continues on the next slide. Throws a 400 without chapters, or above 100 slides.
 */
export function draftVideo(row: OutlineRow, choice: OutlineVideoInput, brand?: Brand): VideoInput {
  if (row.chapters.length === 0) {
    throw new ApiError('badRequest', { reason: 'the outline has no chapters yet; generate chapters before the video' });
  }
  const locale = localeOf(row.language, row.title);
  const slides = row.chapters.flatMap((chapter) => {
    const speech = (chapter.script?.trim() || chapter.summary.trim() || chapter.title).trim();
    return splitSpeech(speech, locale).map((part) => ({ chapter, part }));
  });
  if (slides.length > MAX_SLIDES) {
    throw new ApiError('badRequest', {
      reason: `the outline makes ${slides.length} slides; a video has at most ${MAX_SLIDES}`,
    });
  }
  return {
    name: choice.name ?? row.title,
    folderId: choice.folderId ?? null,
    slides: slides.map(
      ({ chapter, part }, index): Slide =>
        branded(
          {
            id: index + 1,
            speech: part,
            language: row.language,
            voice: choice.voice ?? null,
            voiceProvider: choice.voiceProvider ?? null,
            voiceType: 'text',
            avatar: { code: choice.avatar ?? brand?.avatar ?? DEFAULT_AVATAR },
            hasAvatar: true,
            canvas: { version: '5.3.0', background: '#f4f6fb', objects: canvasObjects(chapter) },
          },
          brand,
        ),
    ),
  };
}

/** A slide in the workspace's look; its voice too, where neither the call nor the outline's language decides. */
function branded(slide: Slide, brand: Brand | undefined): Slide {
  if (brand === undefined) return slide;
  const { colors, headingFont, bodyFont, logo, voice, voiceProvider, language } = brand;
  const isSpoken = voice !== null && slide.voice === null && (slide.language ?? language) === language;
  const spoken = isSpoken ? { ...slide, voice, voiceProvider, language } : slide;
  return (colors ?? headingFont ?? bodyFont ?? logo) === null ? spoken : dressSlide(spoken, lookOf(brand));
}

function canvasObjects({ title, summary }: { title: string; summary: string }): CanvasObject[] {
  const text = { type: 'textbox', left: TEXT.left, width: TEXT.width, fontFamily: 'Inter', textAlign: 'left' } as const;
  const head = shorten(title, MAX_SHOWN.title);
  const size = TITLE_SIZES.find((one) => linesOf(head, one) <= TITLE_LINES) ?? TITLE_SIZES[2];
  const below = Math.round(TEXT.top + linesOf(head, size) * size * LINE_HEIGHT + GAP);
  const shown = summary.length > MAX_SHOWN.summary ? '' : summary;
  return [
    {
      ...text,
      id: 'title',
      top: TEXT.top,
      text: head,
      fontSize: size,
      fontWeight: 'bold',
      fill: '#172033',
      brandRole: 'heading',
    },
    ...(shown === ''
      ? []
      : [
          {
            ...text,
            id: 'summary',
            top: below,
            text: shown,
            fontSize: SUMMARY_SIZE,
            fill: '#4a5568',
            brandRole: 'muted',
          },
        ]),
    { type: 'avatar', id: 'avatar', left: 320, top: 30, width: 330, height: 330 },
  ];
}

/** Maximum lines of a bold text: Latin letters are a little over half as wide as high, ideographs as wide as high. */
function linesOf(text: string, fontSize: number): number {
  const ems = Array.from(text).reduce(
    (sum, letter) => sum + (/[\u1100-\u11ff\u2e80-\uffef]/.test(letter) ? 1 : 0.62),
    0,
  );
  return Math.max(1, Math.ceil((ems * fontSize) / TEXT.width));
}

/** Parts that fit on a slide, split between sentences if possible. */
function splitSpeech(speech: string, locale: string): string[] {
  if (speech.length <= LONGEST_TEXT) return [speech];
  const parts: string[] = [''];
  for (const sentence of sentencesIn(speech, locale)) {
    const last = parts.at(-1) ?? '';
    if (last.length + sentence.length > LONGEST_TEXT) parts.push(sentence);
    else parts[parts.length - 1] = last + sentence;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
