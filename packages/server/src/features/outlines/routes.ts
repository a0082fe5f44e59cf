import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import type { Avatars } from '../avatars/index.js';
import { readBrand } from '../brands/index.js';
import { createVideo } from '../videos/index.js';
import { draftVideo } from './draft-video.js';
import {
  createOutline,
  deleteOutline,
  generateChapters,
  generateScript,
  listOutlines,
  loadOutline,
  presentOutline,
  requireChapter,
  requireUniqueChapters,
  updateOutline,
} from './outlines.js';
import { createWriters } from './writers.js';

/** Serves outlines: their documents, what writers make of them, and the draft video. */
export function bindOutlines(http: Http, kernel: Kernel, avatars: Pick<Avatars, 'link'>): void {
  const writers = createWriters(kernel);
  http.bind('createOutline', {
    handle: ({ caller, body }) => createOutline(kernel, caller, body),
  });
  http.bind('listOutlines', {
    handle: ({ caller, query }) => listOutlines(kernel, caller.workspace.id, query),
  });
  http.bind('readOutline', {
    resource: ({ caller, params }) => loadOutline(kernel, caller, params.outlineId),
    handle: async ({ resource }) => presentOutline(resource),
  });
  http.bind('updateOutline', {
    resource: ({ caller, params }) => loadOutline(kernel, caller, params.outlineId),
    check: ({ body }) => requireUniqueChapters(body.chapters),
    handle: ({ resource, body }) => updateOutline(kernel, resource, body),
  });
  http.bind('deleteOutline', {
    resource: ({ caller, params }) => loadOutline(kernel, caller, params.outlineId),
    handle: ({ resource }) => deleteOutline(kernel, resource),
  });
  http.bind('generateChapters', {
    resource: ({ caller, params }) => loadOutline(kernel, caller, params.outlineId),
    handle: ({ resource: row, body, signal }) => generateChapters(kernel, writers, { row, count: body?.count, signal }),
  });
  http.bind('generateScript', {
    resource: ({ caller, params }) => loadOutline(kernel, caller, params.outlineId),
    check: ({ resource, body }) => requireChapter(resource, body?.chapterId),
    handle: ({ resource: row, body, signal }) =>
      generateScript(kernel, writers, { row, chapterId: body?.chapterId, signal }),
  });
  http.bind('createOutlineVideo', {
    resource: ({ caller, params }) => loadOutline(kernel, caller, params.outlineId),
    check: ({ resource }) => void draftVideo(resource, {}),
    handle: async ({ resource, caller, body }) =>
      createVideo(
        kernel,
        caller,
        draftVideo(resource, body ?? {}, await readBrand(kernel, avatars, caller.workspace.id)),
      ),
  });
}
