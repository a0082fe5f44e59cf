import type { Brand, Slide } from '@figurehead/contract';
import { Slide as SlideSchema } from '@figurehead/contract';
import { FORMATS } from '@figurehead/contract/document';
import { type LayoutName, lookOf, SLIDE_LAYOUTS, type SlidePresenter, slideFrom } from '@figurehead/contract/layouts';
import type { Figurehead } from '@figurehead/sdk';
import { type Static, Type } from '@sinclair/typebox';
import { ToolError } from './tool.js';

const LAYOUT_NAMES = Object.keys(SLIDE_LAYOUTS) as LayoutName[];

/** Who speaks, as agents say it. */
export const CAST = {
  presenter: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Code of a presenter from search_presenters; "none" for no presenter.',
    }),
  ),
  voice: Type.Optional(
    Type.String({
      maxLength: 260,
      description: 'A voice from search_voices, as provider:voice; else the presenter’s own.',
    }),
  ),
  language: Type.Optional(Type.String({ maxLength: 100, description: 'English name of the language, like German.' })),
};

/** A slide, as agents say it. */
export const SlideWish = Type.Object({
  speech: Type.Optional(Type.String({ maxLength: 20_000, description: 'What is spoken.' })),
  layout: Type.Optional(
    Type.Unsafe<LayoutName>({
      type: 'string',
      enum: LAYOUT_NAMES,
      description: 'What the slide looks like; the resource figurehead://layouts lists the texts of each.',
    }),
  ),
  texts: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 5000 }), {
      description: 'Texts on the slide by the id of their object, like {"title": "Hello", "body": "One\\nTwo"}.',
    }),
  ),
  duration: Type.Optional(Type.Number({ minimum: 0.1, maximum: 3600, description: 'Least length, seconds.' })),
  canvas: Type.Optional(
    Type.Unsafe<NonNullable<Slide['canvas']>>({
      ...SlideSchema.properties.canvas,
      description: 'Your own objects in place of a layout, see figurehead://schema/video.',
    }),
  ),
  ...CAST,
});
export type SlideWish = Static<typeof SlideWish>;

/** Names of the formats of a video. */
export const FORMAT_NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

/** Makes slides in a workspace's brand. */
export interface SlideMaker {
  /** The fields of a slide for its presenter and voice. Throws {@link ToolError} for a presenter that does not exist. */
  castOf(wish: Pick<SlideWish, 'presenter' | 'voice' | 'language'>): SlidePresenter;
  make(wish: SlideWish, id: number, cast: SlidePresenter): Slide;
}

/** Reads brand and presenters once for several slides. */
export async function openSlideMaker(client: Figurehead, format: keyof typeof FORMATS): Promise<SlideMaker> {
  const [brand, avatars] = await Promise.all([client.readBrand(), client.listAvatars()]);
  const size = FORMATS[format];
  return {
    castOf({ presenter = brand.avatar ?? 'none', voice, language }) {
      const found = avatars.find(({ code, variants }) =>
        [code, ...variants.map((one) => one.code)].includes(presenter),
      );
      if (found === undefined && presenter !== 'none')
        throw new ToolError(`There is no presenter "${presenter}".`, 'find its code with search_presenters.');
      const spoken = voice === undefined ? (brandVoice(brand) ?? {}) : voiceOf(voice);
      return {
        avatar: presenter === 'none' ? null : { code: presenter },
        ...(language === undefined || voice !== undefined ? spoken : {}),
        ...(language === undefined ? {} : { language }),
      };
    },
    make(wish, id, cast) {
      const { layout = 'presenter', texts, speech = '', canvas, duration } = wish;
      const slide = slideFrom(layout, {
        id,
        cast,
        look: lookOf(brand),
        size,
        fill: { layout, speech, texts: texts ?? {} },
      });
      return {
        ...slide,
        ...(canvas === undefined ? {} : { canvas, hasAvatar: cast.avatar !== null }),
        ...(duration === undefined ? {} : { duration }),
      };
    },
  };
}

/** `provider:voice`. Throws {@link ToolError} for another form. */
export function voiceOf(text: string): { voiceProvider: string; voice: string } {
  const [, voiceProvider, voice] = /^([^:]+):(.+)$/.exec(text) ?? [];
  if (voiceProvider === undefined || voice === undefined)
    throw new ToolError(`The voice "${text}" is not of the form provider:voice.`, 'copy one from search_voices.');
  return { voiceProvider, voice };
}

/** Replaces texts of a slide by the id of their object. Throws {@link ToolError} for ids that it does not have. */
export function withSlideTexts(slide: Slide, texts: Readonly<Record<string, string>>): Slide {
  const objects = slide.canvas?.objects ?? [];
  const ids = textIds(slide);
  const unknown = Object.keys(texts).filter((id) => !ids.includes(id));
  if (unknown.length > 0)
    throw new ToolError(
      `Slide ${slide.id} has no text "${unknown.join('", "')}".`,
      ids.length === 0 ? 'choose a layout with texts, see figurehead://layouts.' : `its texts are ${ids.join(', ')}.`,
    );
  const filled = objects.map((one) => ({
    ...one,
    ...(texts[String(one.id)] !== undefined && { text: texts[String(one.id)] }),
  }));
  return { ...slide, canvas: { ...slide.canvas, objects: filled } };
}

export function textIds(slide: Slide): string[] {
  return (slide.canvas?.objects ?? []).flatMap(({ id, type }) =>
    id !== undefined && ['text', 'i-text', 'textbox'].includes(String(type)) ? [String(id)] : [],
  );
}

function brandVoice({ voice, voiceProvider, language }: Brand): Partial<SlidePresenter> | undefined {
  if (voice === null || voiceProvider === null) return undefined;
  return { voice, voiceProvider, ...(language !== null && { language }) };
}
