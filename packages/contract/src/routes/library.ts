import { Type } from '@sinclair/typebox';
import { routesOf } from '../route.js';
import { Deleted, ListOf, OneOf, Paged, Paging } from '../schemas/common.js';
import {
  Folder,
  FolderInput,
  FolderPatch,
  Font,
  FontFields,
  FontPatch,
  Media,
  MediaFields,
  MediaPatch,
} from '../schemas/library.js';

/** Routes of folders, uploaded media and fonts. */
export const libraryRoutes = {
  ...routesOf('Folders', {
    createFolder: {
      summary: 'Create a folder of videos',
      auth: 'any',
      idempotencyKey: true,
      body: FolderInput,
      response: Folder,
      quota: 'folders',
    },
    listFolders: { summary: 'List folders of videos', auth: 'any', query: Paged, response: ListOf('folders', Folder) },
    readFolder: { summary: 'Read a folder of videos', auth: 'any', response: Folder },
    updateFolder: { summary: 'Rename or move a folder of videos', auth: 'any', body: FolderPatch, response: Folder },
    deleteFolder: { summary: 'Delete a folder of videos; its videos stay', auth: 'any', response: Deleted },
  }),
  ...routesOf('Upload folders', {
    createUploadFolder: {
      summary: 'Create a folder of media (the number of folders is capped)',
      auth: 'any',
      idempotencyKey: true,
      body: FolderInput,
      response: Folder,
    },
    listUploadFolders: {
      summary: 'List folders of media',
      auth: 'any',
      query: Paged,
      response: ListOf('uploadFolders', Folder),
    },
    readUploadFolder: { summary: 'Read a folder of media', auth: 'any', response: Folder },
    updateUploadFolder: {
      summary: 'Rename or move a folder of media',
      auth: 'any',
      body: FolderPatch,
      response: Folder,
    },
    deleteUploadFolder: { summary: 'Delete a folder of media; its media stay', auth: 'any', response: Deleted },
  }),
  ...routesOf('Media', {
    createMedia: {
      summary: 'Upload a picture, video or sound',
      auth: 'any',
      idempotencyKey: true,
      multipart: { fields: MediaFields, file: 'A picture, video or sound.' },
      response: Media,
      quota: 'media',
    },
    listMedia: {
      summary: 'List media, newest first',
      auth: 'any',
      query: Type.Object({
        ...Paging,
        type: Type.Optional(OneOf(['image', 'video', 'audio'])),
        folderId: Type.Optional(Type.String({ maxLength: 100 })),
      }),
      response: ListOf('media', Media),
    },
    readMedia: { summary: 'Read one media file', auth: 'any', response: Media },
    updateMedia: { summary: 'Rename or move a media file', auth: 'any', body: MediaPatch, response: Media },
    deleteMedia: { summary: 'Delete a media file', auth: 'any', response: Deleted },
  }),
  ...routesOf('Fonts', {
    createFont: {
      summary: 'Upload a font',
      auth: 'any',
      idempotencyKey: true,
      multipart: { fields: FontFields, file: 'A .ttf, .otf, .woff or .woff2 font.' },
      response: Font,
      quota: 'fonts',
    },
    listFonts: { summary: 'List fonts, newest first', auth: 'any', query: Paged, response: ListOf('fonts', Font) },
    readFont: { summary: 'Read one font', auth: 'any', response: Font },
    updateFont: { summary: 'Rename a font', auth: 'any', body: FontPatch, response: Font },
    deleteFont: { summary: 'Delete a font', auth: 'any', response: Deleted },
  }),
};
