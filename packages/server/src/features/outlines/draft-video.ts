import { type CanvasObject, MAX_SLIDE_SPEECH, MAX_SLIDES, type Slide, type VideoInput } from '@figurehead/contract';
import { ApiError } from '../../kernel/http-error.js';
import { localeOf } from './languages.js';
import type { OutlineRow } from './store.js';

/** What a caller may choose of the video. */
export interface VideoChoice {
  readonly name?: string;
  readonly avatar?: string;
  readonly voice?: string;
  readonly voiceProvider?: string;
  readonly folderId?: string | null;
}

/** The presenter when none is chosen. */
const DEFAULT_AVATAR = 'ava';

/** Titles beside the presenter, in the 640×360 space of slides. */
const TITLE = { left: 40, top: 60, width: 300 } as const;
const SUMMARY_TOP = 150;
/** Longer summaries are read, not looked at. */
const MAX_SHOWN = 160;

/**
 * A draft of a chapter a slide: the chapter's title and summary beside the presenter, who speaks its script (its summary
 * where there is none). A script too long for one slide goes on in the next. Throws a 400 without chapters, or beyond 100 slides.
 */
export function draftVideo(row: OutlineRow, choice: VideoChoice): VideoInput {
  if (row.chapters.length === 0) {
    throw new ApiError('badRequest', { reason: 'the outline has no chapters yet; generate chapters before the video' });
  }
  const locale = localeOf(row.language, row.title);
  const slides = row.chapters.flatMap((chapter) => {
    const speech = (chapter.script?.trim() || chapter.summary.trim() || chapter.title).trim();
    return splitSpeech(speech, locale).map((part) => ({ chapter, part }));
  });
  if (slides.length > MAX_SLIDES) {
    throw new ApiError('badRequest', { reason: `the outline makes ${slides.length} slides; a video has at most ${MAX_SLIDES}` });
  }
  return {
    name: choice.name ?? row.title,
    folderId: choice.folderId ?? null,
    slides: slides.map(({ chapter, part }, index): Slide => ({
      id: index + 1,
      speech: part,
      language: row.language,
      voice: choice.voice ?? null,
      voiceProvider: choice.voiceProvider ?? null,
      voiceType: 'text',
      avatar: { code: choice.avatar ?? DEFAULT_AVATAR },
      hasAvatar: true,
      canvas: { version: '5.3.0', background: '#f4f6fb', objects: canvasObjects(chapter) },
    })),
  };
}

function canvasObjects({ title, summary }: { title: string; summary: string }): CanvasObject[] {
  const text = { type: 'textbox', left: TITLE.left, width: TITLE.width, fontFamily: 'Inter', textAlign: 'left' };
  const shown = summary.length > MAX_SHOWN ? '' : summary;
  return [
    { ...text, id: 'title', top: TITLE.top, text: title, fontSize: 28, fontWeight: 'bold', fill: '#172033' },
    ...(shown === '' ? [] : [{ ...text, id: 'summary', top: SUMMARY_TOP, text: shown, fontSize: 15, fill: '#4a5568' }]),
    { type: 'avatar', id: 'avatar', left: 360, top: 20, width: 260, height: 340 },
  ];
}

/** Parts that fit a slide, cut between sentences where there is one to cut at. */
function splitSpeech(speech: string, locale: string): string[] {
  if (speech.length <= MAX_SLIDE_SPEECH) return [speech];
  const parts: string[] = [''];
  for (const { segment } of new Intl.Segmenter(locale, { granularity: 'sentence' }).segment(speech)) {
    for (let rest = segment; rest !== ''; ) {
      const last = parts.at(-1) ?? '';
      if (last !== '' && last.length + rest.length > MAX_SLIDE_SPEECH) {
        parts.push('');
        continue;
      }
      parts[parts.length - 1] = last + rest.slice(0, MAX_SLIDE_SPEECH);
      rest = rest.slice(MAX_SLIDE_SPEECH);
    }
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
