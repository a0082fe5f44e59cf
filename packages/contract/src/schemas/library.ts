import { type Static, Type } from '@sinclair/typebox';
import { CallbackUrl, Nullable, OneOf, Time } from './common.js';

const name = Type.String({ minLength: 1, maxLength: 200 });
const parentId = Nullable(Type.String({ minLength: 1, maxLength: 100 }));

/** A folder of videos, or of uploaded media. */
export const Folder = Type.Object(
  { _id: Type.String(), name: Type.String(), parentId: Nullable(Type.String()), createdAt: Time, updatedAt: Time },
  { $id: 'Folder' },
);
export type Folder = Static<typeof Folder>;

/** Body of POST /folders and POST /upload-folders. */
export const FolderInput = Type.Object({ name, parentId: Type.Optional(parentId) });
/** Body of PATCH on a folder. */
export const FolderPatch = Type.Partial(Type.Object({ name, parentId }));

/** An uploaded file that slides can use. `url` is signed and expires; sizes in px, `duration` in seconds, `size` in bytes. */
export const Media = Type.Object(
  {
    _id: Type.String(),
    name: Type.String(),
    type: OneOf(['image', 'video', 'audio']),
    status: OneOf(['processing', 'ready', 'error']),
    contentType: Type.String(),
    size: Type.Integer(),
    url: Type.Optional(Type.String()),
    captions: Type.Optional(Type.String({ description: 'WebVTT of a recorded live stream.' })),
    thumbnail: Type.Optional(Type.String()),
    width: Type.Optional(Type.Integer()),
    height: Type.Optional(Type.Integer()),
    duration: Type.Optional(Type.Number()),
    error: Type.Optional(Type.String()),
    warnings: Type.Optional(
      Type.Array(Type.String(), { description: 'What of the file is not shown; only in the answer to its upload.' }),
    ),
    folderId: Nullable(Type.String()),
    createdAt: Time,
    updatedAt: Time,
  },
  { $id: 'Media' },
);
export type Media = Static<typeof Media>;

/** Body of PATCH /media/{mediaId}. */
export const MediaPatch = Type.Partial(Type.Object({ name, folderId: parentId }));

/** Text fields of POST /media, in addition to `file`. */
export const MediaFields = Type.Object({
  name: Type.Optional(name),
  folderId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});

/** A font of a workspace. `url` is signed and expires. */
export const Font = Type.Object(
  {
    _id: Type.String(),
    name: Type.String(),
    family: Type.String(),
    style: Type.String(),
    weight: Type.Integer(),
    format: OneOf(['ttf', 'otf', 'woff2']),
    size: Type.Integer(),
    url: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { $id: 'Font' },
);
export type Font = Static<typeof Font>;

/** Body of PATCH /fonts/{fontId}. */
export const FontPatch = Type.Partial(Type.Object({ name }));

/** Text fields of POST /fonts, in addition to `file`. */
export const FontFields = Type.Object({ name: Type.Optional(name) });

/** Text fields of POST /videos/from-presentation, in addition to `file` (.pptx, .ppt, .odp, .pdf). */
export const PresentationFields = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  avatar: Type.Optional(Type.String({ maxLength: 200 })),
  voice: Type.Optional(Type.String({ maxLength: 200 })),
  voiceProvider: Type.Optional(Type.String({ maxLength: 50 })),
  language: Type.Optional(Type.String({ maxLength: 100 })),
  folderId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  callbackUrl: Type.Optional(CallbackUrl),
  voicePerPage: Type.Optional(
    OneOf(['true', 'false'], 'The voice speaks only pages in its own language; other pages get a voice of theirs.'),
  ),
  wait: Type.Optional(OneOf(['true', 'false'], '`false`: answer 206 as soon as the file is stored.')),
  strict: Type.Optional(
    OneOf(['true', 'false'], 'Refuse the conversion if LibreOffice is missing, because slides would look different.'),
  ),
  editable: Type.Optional(
    OneOf(['true', 'false'], 'The text of the pages as editable objects; everything else is the page’s picture.'),
  ),
});
