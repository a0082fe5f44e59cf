import { Type } from '@sinclair/typebox';
import { withIds } from '../route.js';
import { Deleted, ListOf, Paging } from '../schemas/common.js';
import {
  GenerateChaptersInput,
  GenerateScriptInput,
  Outline,
  OutlineInput,
  OutlinePatch,
  OutlineVideoInput,
} from '../schemas/outline.js';
import { Video } from '../schemas/video.js';

const tag = 'Outlines';
const limited = { perMinute: 5, perHour: 60, counts: 'api' } as const;

/** Routes of outlines. */
export const outlineRoutes = withIds({
  createOutline: {
    method: 'POST',
    path: '/outline',
    tag,
    summary: 'Create an outline',
    auth: 'any',
    idempotencyKey: true,
    body: OutlineInput,
    response: Outline,
  },
  listOutlines: {
    method: 'GET',
    path: '/outline',
    tag,
    summary: 'List outlines, newest first',
    auth: 'any',
    query: Type.Object({ ...Paging }),
    response: ListOf('outlines', Outline),
  },
  readOutline: {
    method: 'GET',
    path: '/outline/{outlineId}',
    tag,
    summary: 'Read one outline',
    auth: 'any',
    response: Outline,
  },
  updateOutline: {
    method: 'PATCH',
    path: '/outline/{outlineId}',
    tag,
    summary: 'Change an outline',
    auth: 'any',
    body: OutlinePatch,
    response: Outline,
  },
  deleteOutline: {
    method: 'DELETE',
    path: '/outline/{outlineId}',
    tag,
    summary: 'Delete an outline',
    auth: 'any',
    response: Deleted,
  },
  generateChapters: {
    method: 'POST',
    path: '/outline/{outlineId}/generate-chapters',
    tag,
    summary: 'Write chapters from title, prompt and source',
    auth: 'any',
    body: GenerateChaptersInput,
    bodyOptional: true,
    response: Outline,
    limited,
  },
  generateScript: {
    method: 'POST',
    path: '/outline/{outlineId}/generate-script',
    tag,
    summary: 'Write the script of one chapter, or of all',
    auth: 'any',
    body: GenerateScriptInput,
    bodyOptional: true,
    response: Outline,
    limited,
  },
  createOutlineVideo: {
    method: 'POST',
    path: '/outline/{outlineId}/video',
    tag,
    summary: 'Create a draft video from an outline',
    auth: 'any',
    idempotencyKey: true,
    body: OutlineVideoInput,
    bodyOptional: true,
    response: Video,
    quota: 'videos',
  },
});
