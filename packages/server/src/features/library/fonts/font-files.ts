import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CustomFont } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { isThere, missingAsUndefined, writeWhole } from '../../../kernel/storage/files.js';
import * as store from './font-store.js';

/** Unused files are kept this long: a render that started earlier may be about to read them. */
const KEEP_MS = 24 * 3600 * 1000;

/**
 * The workspace's fonts as local files, for `openFonts`: each under its family name and, if it was renamed, under its
 * given name. Files are cached on this machine; deleted fonts are removed after a day.
 */
export async function fontFilesOf(kernel: Kernel, workspaceId: string): Promise<CustomFont[]> {
  const rows = (await store.fonts.all(kernel.db, workspaceId)).reverse();
  const folder = join(kernel.config.dataDir, 'cache', 'fonts', workspaceId);
  if (rows.length > 0) await mkdir(folder, { recursive: true });
  const fonts: CustomFont[] = [];
  for (const row of rows) {
    const file = await localFile(kernel, row, folder);
    // Just deleted: the text uses a fallback font, as it would a moment later.
    if (file === undefined) continue;
    fonts.push({ family: row.family, file });
    if (row.name.toLowerCase() !== row.family.toLowerCase()) fonts.push({ family: row.name, file });
  }
  await forget(folder, new Set(rows.map(fileName)));
  return fonts;
}

async function localFile(kernel: Kernel, row: store.FontRow, folder: string): Promise<string | undefined> {
  const file = join(folder, fileName(row));
  if (await isThere(file)) return file;
  const object = await kernel.objects.get(row.fileKey);
  if (object === undefined) return undefined;
  await writeWhole(file, (part) => pipeline(object.body, createWriteStream(part)));
  return file;
}

function fileName(row: store.FontRow): string {
  return `${row.id}.${row.format}`;
}

async function forget(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  const names = (await readdir(folder).catch(missingAsUndefined)) ?? [];
  for (const name of names.filter((one) => !wanted.has(one))) {
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < Date.now() - KEEP_MS) await rm(file, { force: true });
  }
}
