import { type Static, Type } from '@sinclair/typebox';
import { MAX_AI_LABEL } from '../document/document.js';
import { Nullable } from './common.js';

const color = (description: string) =>
  Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description, examples: ['#14574b'] });
const name = (maxLength: number, description: string) =>
  Nullable(Type.String({ minLength: 1, maxLength, description }));

/** Looks and speaker of a workspace's videos; what is null is left to each video. */
export const Brand = Type.Object(
  {
    colors: Nullable(
      Type.Object({
        background: color('Of slides.'),
        text: color('Of letters on the background.'),
        accent: color('Of shapes, charts and bold covers.'),
      }),
    ),
    headingFont: name(200, 'Family of headings.'),
    bodyFont: name(200, 'Family of all other text.'),
    logo: name(4000, 'URL of a picture that every slide shows at its upper right.'),
    avatar: name(200, 'Presenter of new videos, imports and outlines that name none.'),
    voice: name(200, 'Voice of new videos, imports and outlines that name none.'),
    voiceProvider: name(50, 'Provider of the voice.'),
    language: name(100, 'Language of the voice.'),
    aiLabel: name(
      MAX_AI_LABEL,
      'Text in the upper left of every film that has no label of its own, and of live presenters on web pages, such as `Made with AI`.',
    ),
  },
  { $id: 'Brand' },
);
export type Brand = Static<typeof Brand>;

/** Body of PUT /brand; what is absent is null. */
export const BrandInput = Type.Partial(Brand, { $id: 'BrandInput' });
export type BrandInput = Static<typeof BrandInput>;
