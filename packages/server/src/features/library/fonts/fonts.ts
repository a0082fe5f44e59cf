import { join } from 'node:path';
import type { Font } from '@figurehead/contract';
import type { Kernel } from '../../../kernel/contract.js';
import type { PageQuery } from '../../../kernel/database/page.js';
import { requireFound, requireOwn } from '../../../kernel/errors.js';
import type { Caller, UploadedFile } from '../../../kernel/http/contract.js';
import { recordCreations } from '../../workspaces/index.js';
import type { FontFacts } from '../inspection/font-inspection.js';
import type { Inspector } from '../inspection/inspector.js';
import * as store from './font-store.js';

/** Validity of links to fonts, seconds: a week. */
const LINK_SECONDS = 7 * 24 * 3600;

const CONTENT_TYPES: Readonly<Record<Font['format'], string>> = {
  ttf: 'font/ttf',
  otf: 'font/otf',
  woff2: 'font/woff2',
};

/** The font with this id. Throws `notFound` and `foreign`. */
export async function loadFont(kernel: Kernel, caller: Caller, id: string): Promise<store.FontRow> {
  return requireOwn(await store.fonts.find(kernel.db, id), caller.workspace.id, 'font');
}

/** Adds a font to the library: 400 when it cannot be used for drawing, 429 by quota. */
export async function createFont(
  kernel: Kernel,
  inspector: Inspector,
  upload: { workspaceId: string; file: UploadedFile; name?: string; signal?: AbortSignal },
): Promise<Font> {
  const { workspaceId, file } = upload;
  return kernel.temporary.within('font-', async (folder) => {
    const out = join(folder, 'font');
    const facts = await inspector.inspect<FontFacts>({ kind: 'font', file: file.path, out }, upload);
    const id = kernel.ids.next();
    const now = new Date(kernel.clock.now());
    const name = upload.name ?? `${facts.family} ${facts.style}`.slice(0, 200);
    const fileKey = `${workspaceId}/fonts/${id}.${facts.format}`;
    const row: store.FontRow = { id, workspaceId, name, ...facts, fileKey, createdAt: now, updatedAt: now };
    try {
      await kernel.objects.putFile(fileKey, out, CONTENT_TYPES[facts.format]);
      await kernel.transaction(async (tx) => {
        await recordCreations(kernel, tx, { workspaceId, entity: 'fonts' });
        await store.fonts.insert(tx, row);
      });
    } catch (error) {
      await kernel.objects.delete(fileKey);
      throw error;
    }
    return presentFont(kernel, row);
  });
}

/** Renames a font. */
export async function updateFont(kernel: Kernel, row: store.FontRow, patch: { name?: string }): Promise<Font> {
  const changed = await store.fonts.update(kernel.db, row.id, { ...patch, updatedAt: new Date(kernel.clock.now()) });
  return presentFont(kernel, requireFound(changed, 'font'));
}

/** Removes a font and its object. */
export async function deleteFont(kernel: Kernel, row: store.FontRow): Promise<{ _id: string; deleted: true }> {
  await store.fonts.delete(kernel.db, row.id);
  await kernel.objects.delete(row.fileKey);
  return { _id: row.id, deleted: true };
}

/** A page of the workspace's fonts, newest first. */
export async function listFonts(kernel: Kernel, workspaceId: string, { page, limit }: PageQuery) {
  const { rows, total } = await store.fonts.list(kernel.db, workspaceId, { page, limit });
  return { fonts: rows.map((row) => presentFont(kernel, row)), page, limit, total };
}

/** A font as the API shows it. */
export function presentFont(kernel: Kernel, row: store.FontRow): Font {
  return {
    _id: row.id,
    name: row.name,
    family: row.family,
    style: row.style,
    weight: row.weight,
    format: row.format,
    size: Number(row.size),
    url: kernel.objects.link(row.fileKey, LINK_SECONDS),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
