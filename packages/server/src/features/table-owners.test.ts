import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MIGRATIONS_FOLDER } from '../kernel/database/migrations.js';

const FEATURES = fileURLToPath(new URL('.', import.meta.url));

/** The feature whose stores read and write a table. Kernel tables have no feature. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  administration: ['workers'],
  agents: ['agents', 'conversations'],
  avatars: ['photo_avatars'],
  batches: ['batches'],
  billing: ['ledger'],
  brands: ['brands'],
  kernel: ['idempotency_keys', 'mail_outbox', 'queue_clocks', 'queue_flows', 'settings'],
  library: ['folders', 'fonts', 'media', 'uploads'],
  limits: ['rate_limits'],
  outlines: ['outlines'],
  presentations: ['presentation_imports'],
  renders: ['render_spans', 'renders', 'segments'],
  sessions: ['sessions', 'sign_in_failures'],
  streams: ['client_tokens', 'stream_hosts', 'streams'],
  videos: ['video_versions', 'videos'],
  voices: ['pronunciations', 'unowned_voices', 'voice_clones', 'voice_customizations'],
  webhooks: ['deliveries', 'webhooks'],
  workspaces: ['creations', 'members', 'tokens', 'users', 'workspaces'],
};

/**
 * Features that use a table of another one: the progress of a video is read with the video, by one statement that every client polls. Other
 * features use SQL that the owner exports. This list may only get shorter.
 */
const EXCEPTIONS: readonly string[] = ['videos: presentation_imports', 'videos: renders'];

it('only the owner of a table and the listed features name it in SQL', async () => {
  const tables = new Set<string>();
  for (const file of await readdir(MIGRATIONS_FOLDER)) {
    const text = await readFile(join(MIGRATIONS_FOLDER, file), 'utf8');
    for (const [, name] of text.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/g))
      tables.add(String(name));
  }
  expect(Object.values(OWNERS).flat().sort()).toEqual([...tables].sort());

  const foreign = new Set<string>();
  for (const entry of await readdir(FEATURES, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const [feature = ''] = path.slice(FEATURES.length).split(sep);
    for (const table of namedIn(await readFile(path, 'utf8'))) {
      if (tables.has(table) && !OWNERS[feature]?.includes(table)) foreign.add(`${feature}: ${table}`);
    }
  }
  expect([...foreign].sort()).toEqual(EXCEPTIONS);
});

/** Tables of SQL statements, of types that widen the database, and in quotes. */
function namedIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const inSql = [...code.matchAll(/\b(?:from|join|update|into)\s+(\w+)/g)].map(([, name]) => String(name));
  const quoted = [...code.matchAll(/\['(\w+)', '\w+_at'\]/g)].map(([, name]) => String(name));
  const types = code.split('type Tables = {')[1] ?? '';
  return [...inSql, ...quoted, ...outerKeys(types).map(snakeCase)];
}

/** Keys of an object type whose opening brace is before `text`. */
function outerKeys(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const [token, key] of text.matchAll(/[{}]|(\w+)\??:/g)) {
    if (token === '{') depth += 1;
    else if (token === '}') depth -= 1;
    else if (depth === 0 && key !== undefined) keys.push(key);
    if (depth < 0) break;
  }
  return keys;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
