import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SERVER = fileURLToPath(new URL('..', import.meta.url));

/** Runs in the started process: appends the address of each loaded module to the file LOADED. */
const RECORDER = `
import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED, url + '\\n');
  return next(url, context);
}`;

// Parts of addresses. The engine's public entry loads all of it; its smaller entries are other files.
const WHOLE_ENGINE = '/packages/media/dist/index.js';
const ENGINE = [WHOLE_ENGINE, '/node-av/', '/sharp/'];
const DATABASE = ['/kysely/', '/pg/'];
const SCHEMAS = ['/@sinclair/typebox/'];
const API = ['/routes.js', '/fastify/', '/@fastify/', '/@scalar/', '/jose/'];

describe('a process loads only what it needs', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-loaded-'));
    await writeFile(join(folder, 'recorder.mjs'), RECORDER);
    const recorder = JSON.stringify(pathToFileURL(join(folder, 'recorder.mjs')).href);
    await writeFile(join(folder, 'record.mjs'), `import { register } from 'node:module';\nregister(${recorder});\n`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function modulesOf(args: readonly string[]): Promise<string[]> {
    const list = join(folder, 'loaded');
    await rm(list, { force: true });
    const hook = pathToFileURL(join(folder, 'record.mjs')).href;
    await promisify(execFile)(process.execPath, ['--import', hook, ...args], {
      cwd: SERVER,
      env: { ...process.env, LOADED: list },
    });
    return (await readFile(list, 'utf8')).trim().split('\n');
  }

  it.each<{ args: string[]; without: string[] }>([
    { args: ['--version'], without: ['/packages/media/', ...DATABASE, ...SCHEMAS, ...API] },
    { args: ['--help'], without: ['/packages/media/', ...DATABASE, ...SCHEMAS, ...API] },
    { args: ['config', '--help'], without: ['/packages/media/', ...DATABASE, ...SCHEMAS, ...API] },
    { args: ['mcp', '--help'], without: [WHOLE_ENGINE, ...DATABASE, '/fastify/'] },
    { args: ['say', '--help'], without: [WHOLE_ENGINE, ...DATABASE, ...SCHEMAS, ...API] },
    ...['workspace', 'token', 'user', 'moderation', 'backup', 'restore', 'database'].map((name) => ({
      args: [name, '--help'],
      without: [...ENGINE, ...SCHEMAS, ...API],
    })),
  ])('figurehead $args', async ({ args, without }) => {
    const loaded = await modulesOf(['bin/figurehead.js', ...args]);
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((url) => without.some((part) => url.includes(part)))).toEqual([]);
  });

  it.each([
    { program: 'roles/worker', without: API },
    { program: 'roles/streams', without: [...API, '/sharp/'] },
    { program: 'features/avatars/portrait-process', without: [...DATABASE, ...SCHEMAS, ...API, WHOLE_ENGINE] },
    {
      program: 'features/voices/recordings/recording-process',
      without: [...DATABASE, ...SCHEMAS, ...API, WHOLE_ENGINE],
    },
    { program: 'features/renders/preview/preview-process', without: [...DATABASE, ...API, WHOLE_ENGINE] },
  ])('$program', async ({ program, without }) => {
    const module = pathToFileURL(join(SERVER, `dist/${program}.js`)).href;
    // A process of a pool reports to its parent.
    const run = `process.send = () => true; await import('${module}'); process.exit();`;
    const loaded = await modulesOf(['--input-type=module', '-e', run]);
    expect(loaded).toContain(module);
    expect(loaded.filter((url) => without.some((part) => url.includes(part)))).toEqual([]);
  });
});
