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
      idempotencyKey: true,
      body: FolderInput,
      response: Folder,
      quota: 'folders',
    },
    listFolders: { summary: 'List folders of videos', query: Paged, response: ListOf('folders', Folder) },
    readFolder: { summary: 'Read a folder of videos', response: Folder },
    updateFolder: { summary: 'Rename or move a folder of videos', body: FolderPatch, response: Folder },
    deleteFolder: { summary: 'Delete a folder of videos; its videos stay', response: Deleted },
  }),
  ...routesOf('Upload folders', {
    createUploadFolder: {
      summary: 'Create a folder of media (the number of folders is capped)',
      idempotencyKey: true,
      body: FolderInput,
      response: Folder,
    },
    listUploadFolders: {
      summary: 'List folders of media',
      query: Paged,
      response: ListOf('uploadFolders', Folder),
    },
    readUploadFolder: { summary: 'Read a folder of media', response: Folder },
    updateUploadFolder: {
      summary: 'Rename or move a folder of media',
      body: FolderPatch,
      response: Folder,
    },
    deleteUploadFolder: { summary: 'Delete a folder of media; its media stay', response: Deleted },
  }),
  ...routesOf('Media', {
    createMedia: {
      summary: 'Upload a picture, video or sound',
      idempotencyKey: true,
      multipart: { fields: MediaFields, file: 'A picture, video or sound.' },
      response: Media,
      quota: 'media',
    },
    listMedia: {
      summary: 'List media, newest first',
      query: Type.Object({
        ...Paging,
        type: Type.Optional(OneOf(['image', 'video', 'audio'])),
        folderId: Type.Optional(Type.String({ maxLength: 100 })),
        search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name, in any case.' })),
      }),
      response: ListOf('media', Media),
    },
    readMedia: { summary: 'Read one media file', response: Media },
    updateMedia: { summary: 'Rename or move a media file', body: MediaPatch, response: Media },
    deleteMedia: { summary: 'Delete a media file', response: Deleted },
  }),
  ...routesOf('Fonts', {
    createFont: {
      summary: 'Upload a font',
      idempotencyKey: true,
      multipart: { fields: FontFields, file: 'A .ttf, .otf, .woff or .woff2 font.' },
      response: Font,
      quota: 'fonts',
    },
    listFonts: { summary: 'List fonts, newest first', query: Paged, response: ListOf('fonts', Font) },
    readFont: { summary: 'Read one font', response: Font },
    updateFont: { summary: 'Rename a font', body: FontPatch, response: Font },
    deleteFont: { summary: 'Delete a font', response: Deleted },
  }),
};
