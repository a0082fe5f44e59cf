import { type Static, Type } from '@sinclair/typebox';
import { FACE_POINTS } from '../document/face-points.js';
import { AGES, CLONING_PROVIDERS, PROVIDERS, SPEED_RANGE, STABILITY_RANGE } from '../document/provider.js';
import { namesOf } from '../document/table.js';
import { Nullable, Nullish, OneOf, Time } from './common.js';

/** A voice of the catalogue ◆. Slides and streams refer to it by `voice` and `voiceProvider`. */
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
export type Voice = Static<typeof Voice>;

/** Voices of one language ◆. */
export const VoiceGroup = Type.Object({
  name: Type.String({ examples: ['English'] }),
  male: Type.Array(Voice),
  female: Type.Array(Voice),
});
export type VoiceGroup = Static<typeof VoiceGroup>;

const customization = {
  voice: Type.String({ minLength: 1, maxLength: 200 }),
  provider: OneOf(namesOf(PROVIDERS)),
  language: Type.String({ minLength: 1, maxLength: 100 }),
  stability: Type.Optional(Type.Number(STABILITY_RANGE)),
  speed: Type.Optional(Type.Number(SPEED_RANGE)),
};

/** Body and answer of PATCH /voices. */
export const VoiceCustomization = Type.Object(customization);
export type VoiceCustomization = Static<typeof VoiceCustomization>;

/** Body of PATCH /voices/customization-preview (§2.2). Free text is not accepted: a body with `text` is refused. */
export const VoicePreviewInput = Type.Object({
  ...customization,
  locale: Type.Optional(Type.String({ minLength: 2, maxLength: 35 })),
  text: Type.Optional(Type.Not(Type.Unknown(), { description: 'Not accepted: the preview speaks a fixed sentence.' })),
});

/** Answer of PATCH /voices/customization-preview. `url` is valid for 10 minutes; `duration` in seconds. */
export const VoicePreview = Type.Object({ url: Type.String(), duration: Type.Number(), text: Type.String() });

/** How a person agreed to be imitated: the statement, who submitted it, and when. */
const Consent = Type.Object({ statement: Type.String(), givenBy: Type.String(), givenAt: Time });

const ConsentStatement = Type.String({
  minLength: 1,
  maxLength: 2000,
  description: 'The statement of consent of the person shown or heard.',
});

/** Length of the recording that a voice is cloned from, seconds. */
export const CLONE_SECONDS = { minimum: 5, maximum: 30 } as const;

/** Maximum number of cloned voices of a workspace. */
export const MAX_CLONES = 20;

/** A cloned voice of the workspace ◆. Slides and streams refer to it by `voice` and `voiceProvider`, as to any other. */
export const VoiceClone = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    gender: OneOf(['male', 'female']),
    language: Type.String(),
    voice: Type.String(),
    voiceProvider: Type.String(),
    seconds: Type.Number({ description: 'Length of the speech in its recording.' }),
    consent: Consent,
    createdAt: Time,
  },
  { $id: 'VoiceClone' },
);
export type VoiceClone = Static<typeof VoiceClone>;

/** Body of POST /voices/clones ◆. */
export const VoiceCloneInput = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  gender: OneOf(['male', 'female']),
  language: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 100,
      description: 'Of the recording: English name or BCP 47. Default: English.',
    }),
  ),
  provider: Type.Optional(
    OneOf(
      CLONING_PROVIDERS,
      `Default: the first that can clone, ${CLONING_PROVIDERS.map((name) => `\`${name}\``).join(' before ')}.`,
    ),
  ),
  recording: Type.Object({
    src: Type.String({
      minLength: 1,
      maxLength: 20_000,
      description: `URL of a sound of the media library with ${CLONE_SECONDS.minimum} to ${CLONE_SECONDS.maximum} s of speech. The voice keeps its own copy.`,
    }),
  }),
  text: Type.Optional(
    Type.String({
      maxLength: 2000,
      description: 'What is said in the recording; one that cannot belong to it is refused.',
    }),
  ),
  consent: ConsentStatement,
});
export type VoiceCloneInput = Static<typeof VoiceCloneInput>;

/** What can become of a portrait's background. */
const PHOTO_BACKGROUNDS = ['removed', 'original'] as const;

/** An avatar of the catalogue ◆. */
export const Avatar = Type.Object(
  {
    id: Type.String(),
    code: Type.String(),
    name: Type.String(),
    type: OneOf(['presenter', 'photo']),
    gender: Type.String(),
    age: Type.Optional(OneOf(AGES)),
    status: OneOf(['ready', 'processing', 'error']),
    thumbnail: Type.String(),
    canvas: Type.String({ description: 'Link to the picture that the editor shows.' }),
    head: Type.Optional(
      Type.Object(
        {
          x: Type.Number({ description: 'Middle of the head, share of the width.' }),
          top: Type.Number({ description: 'Upper end of the head, share of the height.' }),
          chin: Type.Number({ description: 'Lower end of the head, share of the height.' }),
        },
        { description: 'Where the head is in the picture of `canvas`; cut-outs of the presenter are around it.' },
      ),
    ),
    preview: Type.Optional(Type.String({ description: 'Link to a short silent MP4 of the idle avatar, which loops.' })),
    variants: Type.Array(
      Type.Object({ code: Type.String(), name: Type.String(), thumbnail: Type.String(), canvas: Type.String() }),
    ),
    defaultVoice: Nullable(
      Type.Object({ voice: Type.String(), voiceProvider: Type.String(), language: Type.String() }),
    ),
    realtime: Type.Boolean(),
    framings: Type.Array(OneOf(['head', 'bust', 'waist']), {
      description:
        'What `framing` of a slide can show of this presenter besides `auto`: `waist` where there is a body; none where the picture is shown whole.',
    }),
    background: Type.Optional(
      OneOf(PHOTO_BACKGROUNDS, "What becomes of the portrait's background; only for photo avatars."),
    ),
    error: Type.Optional(
      Type.String({ description: 'Why the photo avatar could not be created, while status is error.' }),
    ),
    consent: Type.Optional(Type.Composite([Consent], { description: 'Only for photo avatars.' })),
    drawnByViewers: Type.Optional(
      Type.Boolean({ description: 'Whether pages may draw the presenter of a stream; only for photo avatars.' }),
    ),
  },
  { $id: 'Avatar' },
);
export type Avatar = Static<typeof Avatar>;

/** A portrait as a data URL. */
const Portrait = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  data: Type.String({
    pattern: '^[Dd][Aa][Tt][Aa]:[^,]*;[Bb][Aa][Ss][Ee]64,',
    description: 'Data URL of a portrait, PNG, JPEG or WebP.',
  }),
});

/** One of {@link FACE_POINTS} in a portrait: fractions of its width and height from the top left corner. */
export const PortraitPoint = Type.Object({
  name: OneOf(FACE_POINTS),
  x: Type.Number({ minimum: 0, maximum: 1 }),
  y: Type.Number({ minimum: 0, maximum: 1 }),
});
export type PortraitPoint = Static<typeof PortraitPoint>;

/**
 * Body of POST /avatars ◆: a portrait in `image`, or a film in `footage`. `points` override those detected in a portrait;
 * `consent` is stored with the avatar.
 */
export const PhotoAvatarInput = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  gender: OneOf(['male', 'female', 'other']),
  image: Type.Optional(Portrait),
  footage: Type.Optional(
    Type.Object(
      {
        mediaId: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'A ready video of the media library: 20 s to 3 min of the person speaking to the camera.',
        }),
      },
      { description: 'Instead of `image`. The video is deleted from the library when the avatar is made or refused.' },
    ),
  ),
  points: Type.Optional(Type.Array(PortraitPoint, { minItems: FACE_POINTS.length, maxItems: FACE_POINTS.length })),
  background: Type.Optional(
    OneOf(
      PHOTO_BACKGROUNDS,
      'What becomes of the background. `original` keeps the picture as a rectangle in which the person moves. Default: `removed`, but `original` when an edge of the picture cuts the head.',
    ),
  ),
  consent: Type.Optional(ConsentStatement),
  drawnByViewers: Type.Optional(
    Type.Boolean({
      description:
        'Streams with `drawing` give the pictures of the whole face to the pages that show it. A page can keep them and make the person say anything, so this is `false` unless the person has agreed to it too; the stored consent then says so.',
    }),
  ),
});

export type PhotoAvatarInput = Static<typeof PhotoAvatarInput>;

/** Body of POST /avatars/landmarks. */
export const LandmarksInput = Type.Object({
  image: Portrait,
  points: Type.Optional(Type.Array(PortraitPoint, { minItems: FACE_POINTS.length, maxItems: FACE_POINTS.length })),
});

export type LandmarksInput = Static<typeof LandmarksInput>;

/** Answer of POST /avatars/landmarks: the points as found, or as given, and why the portrait cannot be used, if so. */
export const Landmarks = Type.Object(
  {
    width: Type.Integer(),
    height: Type.Integer(),
    points: Type.Array(PortraitPoint),
    problems: Type.Array(Type.String()),
  },
  { $id: 'Landmarks' },
);

export type Landmarks = Static<typeof Landmarks>;

/** Pronunciation of a word in this workspace: it is read as `spoken`, in one language or in all. */
export const Pronunciation = Type.Object(
  {
    word: Type.String({ minLength: 1, maxLength: 100 }),
    spoken: Type.String({ minLength: 1, maxLength: 300 }),
    language: Nullish(Type.String({ minLength: 1, maxLength: 100, examples: ['English'] })),
  },
  { $id: 'Pronunciation' },
);
export type Pronunciation = Static<typeof Pronunciation>;

/** Body of PUT /pronunciations: the complete list; missing entries are deleted. */
export const PronunciationsInput = Type.Object({ pronunciations: Type.Array(Pronunciation, { maxItems: 1000 }) });
