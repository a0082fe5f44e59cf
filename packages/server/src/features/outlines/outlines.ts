import type { Chapter, Outline, OutlineInput, OutlinePatch } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { PageQuery } from '../../kernel/database/page.js';
import { ApiError, invalidFields, requireOwn } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import * as store from './store.js';
import type { Writers } from './writers.js';

/** The outline with this id. Throws `notFound` and `foreign`. */
export async function loadOutline(kernel: Kernel, caller: Caller, id: string): Promise<store.OutlineRow> {
  return requireOwn(await store.outlines.find(kernel.db, id), caller.workspace.id, 'outline');
}

/** Makes an outline without chapters. */
export async function createOutline(kernel: Kernel, caller: Caller, input: OutlineInput): Promise<Outline> {
  const { title, prompt = null, source = null, language = null } = input;
  const now = new Date(kernel.clock.now());
  const row: store.OutlineRow = {
    id: kernel.ids.next(),
    workspaceId: caller.workspace.id,
    title,
    prompt,
    source,
    language,
    chapters: [],
    writer: null,
    createdAt: now,
    updatedAt: now,
  };
  return kernel.transaction(async (tx) => {
    await store.outlines.insert(tx, row);
    return presentOutline(row);
  });
}

/** Changes an outline; chapters are replaced as a whole. */
export async function updateOutline(kernel: Kernel, row: store.OutlineRow, patch: OutlinePatch): Promise<Outline> {
  return present(await store.outlines.update(kernel.db, row.id, { ...patch, updatedAt: new Date(kernel.clock.now()) }));
}

/** Throws a 400 when two chapters have the same id. */
export function requireUniqueChapters(chapters: readonly Chapter[] | undefined): void {
  const seen = new Set<string>();
  chapters?.forEach(({ id }, index) => {
    if (seen.has(id))
      throw invalidFields([{ field: `chapters[${index}].id`, message: `must be unique, "${id}" is used twice` }]);
    seen.add(id);
  });
}

/** Deletes an outline. Videos created from it are kept. */
export async function deleteOutline(kernel: Kernel, row: store.OutlineRow): Promise<{ _id: string; deleted: true }> {
  await store.outlines.delete(kernel.db, row.id);
  return { _id: row.id, deleted: true };
}

/** A page of the workspace's outlines, newest first. */
export async function listOutlines(kernel: Kernel, workspaceId: string, { page, limit }: PageQuery) {
  const { rows, total } = await store.outlines.list(kernel.db, workspaceId, { page, limit });
  return { outlines: rows.map(presentOutline), page, limit, total };
}

/** Rewrites the chapters, exactly `count` of them when it is given; scripts of earlier chapters are deleted. */
export async function generateChapters(
  kernel: Kernel,
  writers: Writers,
  request: { row: store.OutlineRow; count: number | undefined; signal: AbortSignal },
): Promise<Outline> {
  const { row, count, signal } = request;
  const { drafts, writer } = await writers.chapters(row, count, signal);
  const chapters = drafts.map((draft) => ({ id: kernel.ids.next(), ...draft }));
  const updatedAt = new Date(kernel.clock.now());
  return present(await store.outlines.update(kernel.db, row.id, { chapters, writer, updatedAt }));
}

/** Throws a 400 unless there are chapters, and the requested one exists. */
export function requireChapter(row: store.OutlineRow, chapterId: string | undefined): void {
  if (row.chapters.length === 0) {
    throw new ApiError('badRequest', { reason: 'the outline has no chapters yet; generate chapters before scripts' });
  }
  if (chapterId !== undefined && !row.chapters.some(({ id }) => id === chapterId)) {
    throw invalidFields([{ field: 'chapterId', message: 'is not a chapter of this outline' }]);
  }
}

/** Writes the script of one chapter, or of all. Chapters that were changed or removed meanwhile are not touched. */
export async function generateScript(
  kernel: Kernel,
  writers: Writers,
  request: { row: store.OutlineRow; chapterId: string | undefined; signal: AbortSignal },
): Promise<Outline> {
  const { row, chapterId, signal } = request;
  const indices = row.chapters.flatMap(({ id }, index) => (chapterId === undefined || id === chapterId ? [index] : []));
  const { scripts, writer } = await writers.scripts(row, row.chapters, { indices, signal });
  return kernel.transaction(async (tx) => {
    // Read again under a lock, because another request may have written another chapter's script.
    const now = await store.outlines.lock(tx, row.id);
    if (now === undefined) throw gone();
    const chapters = now.chapters.map((chapter) => {
      const index = row.chapters.findIndex(({ id, title }) => id === chapter.id && title === chapter.title);
      const script = scripts.get(index);
      return script === undefined ? chapter : { ...chapter, script };
    });
    return present(
      await store.outlines.update(tx, row.id, { chapters, writer, updatedAt: new Date(kernel.clock.now()) }),
    );
  });
}

/** An outline as the API shows it. */
export function presentOutline(row: store.OutlineRow): Outline {
  const { chapters } = row;
  const hasScripts = chapters.length > 0 && chapters.every(({ script }) => script !== undefined);
  return {
    _id: row.id,
    title: row.title,
    prompt: row.prompt,
    source: row.source,
    language: row.language,
    chapters,
    status: chapters.length === 0 ? 'draft' : hasScripts ? 'script' : 'chapters',
    ...(row.writer === null ? {} : { writer: row.writer }),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function present(row: store.OutlineRow | undefined): Outline {
  // Deleted during the writing.
  if (row === undefined) throw gone();
  return presentOutline(row);
}

function gone(): ApiError {
  return new ApiError('notFound', { what: 'outline' });
}
