import { routesOf } from '../route.js';
import { Deleted, ListOf, Paged } from '../schemas/common.js';
import {
  GenerateChaptersInput,
  GenerateScriptInput,
  Outline,
  OutlineInput,
  OutlinePatch,
  OutlineVideoInput,
} from '../schemas/outline.js';
import { Video } from '../schemas/video.js';

const limited = { perMinute: 5, perHour: 60, counts: 'api' } as const;

export const outlineRoutes = routesOf('Outlines', {
  createOutline: {
    summary: 'Create an outline',
    idempotencyKey: true,
    body: OutlineInput,
    response: Outline,
  },
  listOutlines: {
    summary: 'List outlines, newest first',
    query: Paged,
    response: ListOf('outlines', Outline),
  },
  readOutline: { summary: 'Read one outline', response: Outline },
  updateOutline: { summary: 'Change an outline', body: OutlinePatch, response: Outline },
  deleteOutline: { summary: 'Delete an outline', response: Deleted },
  generateChapters: {
    summary: 'Write chapters from title, prompt and source',
    body: GenerateChaptersInput,
    bodyOptional: true,
    response: Outline,
    limited,
  },
  generateScript: {
    summary: 'Write the script of one chapter, or of all',
    body: GenerateScriptInput,
    bodyOptional: true,
    response: Outline,
    limited,
  },
  createOutlineVideo: {
    summary: 'Create a draft video from an outline',
    idempotencyKey: true,
    body: OutlineVideoInput,
    bodyOptional: true,
    response: Video,
    quota: 'videos',
  },
});
