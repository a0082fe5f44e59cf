import { type Static, Type } from '@sinclair/typebox';
import { Nullable, Nullish, OneOf, Time } from './common.js';

export const Chapter = Type.Object({
  id: Type.String(),
  title: Type.String({ maxLength: 500 }),
  summary: Type.String({ maxLength: 20_000 }),
  script: Type.Optional(Type.String({ maxLength: 100_000 })),
});
export type Chapter = Static<typeof Chapter>;

const fields = {
  title: Type.String({ minLength: 1, maxLength: 500 }),
  prompt: Nullable(Type.String({ maxLength: 20_000 })),
  source: Nullable(Type.String({ maxLength: 1_000_000 })),
  language: Nullable(Type.String({ maxLength: 100 })),
};

/** Body of POST /outline. */
export const OutlineInput = Type.Object({
  title: fields.title,
  prompt: Type.Optional(fields.prompt),
  source: Type.Optional(fields.source),
  language: Type.Optional(fields.language),
});
export type OutlineInput = Static<typeof OutlineInput>;

/** Body of PATCH /outline/{outlineId}. */
export const OutlinePatch = Type.Partial(Type.Object({ ...fields, chapters: Type.Array(Chapter, { maxItems: 100 }) }));
export type OutlinePatch = Static<typeof OutlinePatch>;

/** An outline. `writer` is the source of its chapters: a language model, or text extraction. */
export const Outline = Type.Object(
  {
    _id: Type.String(),
    ...fields,
    chapters: Type.Array(Chapter),
    status: OneOf(['draft', 'chapters', 'script']),
    writer: Type.Optional(OneOf(['model', 'extracted'])),
    createdAt: Time,
    updatedAt: Time,
  },
  { $id: 'Outline' },
);
export type Outline = Static<typeof Outline>;

/** Body of POST /outline/{outlineId}/generate-chapters; `count` is exact. */
export const GenerateChaptersInput = Type.Object({ count: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })) });

/** Body of POST /outline/{outlineId}/generate-script; all chapters when absent. */
export const GenerateScriptInput = Type.Object({ chapterId: Type.Optional(Type.String({ maxLength: 100 })) });

/** Body of POST /outline/{outlineId}/video. */
export const OutlineVideoInput = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  avatar: Type.Optional(Type.String({ maxLength: 200 })),
  voice: Type.Optional(Type.String({ maxLength: 200 })),
  voiceProvider: Type.Optional(Type.String({ maxLength: 50 })),
  folderId: Nullish(Type.String({ minLength: 1, maxLength: 100 })),
});
export type OutlineVideoInput = Static<typeof OutlineVideoInput>;
