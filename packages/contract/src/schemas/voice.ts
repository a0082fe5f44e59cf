import { type Static, Type } from '@sinclair/typebox';
import { Nullable, OneOf } from './common.js';

/** Values of `provider` and `voiceProvider`. */
export const VOICE_PROVIDERS = ['flite', 'espeak', 'piper', 'elevenlabs', 'azure', 'openai'] as const;

/** A voice of the catalogue ◆. `voice` with `voiceProvider` is what slides and streams name. */
export const Voice = Type.Object(
  {
    character: Type.String(),
    voice: Type.String(),
    voiceProvider: Type.String(),
    locale: Type.String(),
    icon: Type.String(),
    tags: Type.Array(Type.String()),
    premium: Type.Boolean(),
    name: Type.String(),
    url: Type.String({ description: 'Link to a spoken sample; empty when there is none.' }),
    stability: Type.Optional(Type.Number()),
    speed: Type.Optional(Type.Number()),
  },
  { $id: 'Voice' },
);
/** See the schema of the same name. */
export type Voice = Static<typeof Voice>;

/** Voices of one language ◆. */
export const VoiceGroup = Type.Object({
  name: Type.String({ examples: ['English'] }),
  male: Type.Array(Voice),
  female: Type.Array(Voice),
});
/** See the schema of the same name. */
export type VoiceGroup = Static<typeof VoiceGroup>;

const customization = {
  voice: Type.String({ minLength: 1, maxLength: 200 }),
  provider: OneOf(VOICE_PROVIDERS),
  language: Type.String({ minLength: 1, maxLength: 100 }),
  stability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  speed: Type.Optional(Type.Number({ minimum: 0.7, maximum: 1.2 })),
};

/** Body and answer of PATCH /voices. */
export const VoiceCustomization = Type.Object(customization);
/** See the schema of the same name. */
export type VoiceCustomization = Static<typeof VoiceCustomization>;

/** Body of PATCH /voices/customization-preview (§2.2). Free text is not accepted: a body with `text` is refused. */
export const VoicePreviewInput = Type.Object({
  ...customization,
  locale: Type.Optional(Type.String({ minLength: 2, maxLength: 35 })),
  text: Type.Optional(Type.Not(Type.Unknown(), { description: 'Not accepted: the preview speaks a fixed sentence.' })),
});

/** Answer of PATCH /voices/customization-preview. `url` is valid for 10 minutes; `duration` in seconds. */
export const VoicePreview = Type.Object({ url: Type.String(), duration: Type.Number(), text: Type.String() });

/** An avatar of the catalogue ◆. */
export const Avatar = Type.Object(
  {
    id: Type.String(),
    code: Type.String(),
    name: Type.String(),
    type: OneOf(['presenter', 'photo', 'neural']),
    gender: Type.String(),
    status: OneOf(['ready', 'processing', 'error']),
    thumbnail: Type.String(),
    canvas: Type.String({ description: 'Link to the picture that the editor shows.' }),
    preview: Type.Optional(
      Type.String({ description: 'Link to a short silent MP4 of the avatar at rest, made to be looped.' }),
    ),
    variants: Type.Array(
      Type.Object({ code: Type.String(), name: Type.String(), thumbnail: Type.String(), canvas: Type.String() }),
    ),
    defaultVoice: Nullable(
      Type.Object({ voice: Type.String(), voiceProvider: Type.String(), language: Type.String() }),
    ),
    realtime: Type.Boolean(),
    error: Type.Optional(Type.String()),
  },
  { $id: 'Avatar' },
);
/** See the schema of the same name. */
export type Avatar = Static<typeof Avatar>;

/** Body of POST /avatars ◆. */
export const PhotoAvatarInput = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  gender: OneOf(['male', 'female', 'other']),
  image: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    data: Type.String({ pattern: '^data:image/(png|jpeg|webp);base64,', description: 'Data URL of a portrait.' }),
  }),
});
