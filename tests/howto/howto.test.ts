import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSpeech } from '@figurehead/media';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { pptx } from '../fixtures/presentations/decks.js';
import { openTestKernel, type TestKernel } from '../support/kernel.js';
import { freePort } from '../support/ports.js';
import { asRecorded, writeWav } from '../support/recorded.js';
import { type RunningRole, startRole } from '../support/role.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'docs', 'howto');
const PAGES = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md');

/** A fenced block of a page. */
interface Block {
  readonly language: string;
  /** The text after the language: the name of a file, or `needs=docker`. */
  readonly note: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(FOLDER, page), 'utf8');
  return [...text.matchAll(/^```(\w+) ?([^\n]*)\n(.*?)^```$/gms)].map(([, language = '', note = '', block = '']) => ({
    language,
    note,
    text: block,
  }));
}

describe('a how-to page', () => {
  let test: TestKernel;
  let roles: RunningRole[];
  let material: string;

  beforeAll(async () => {
    material = mkdtempSync(join(tmpdir(), 'fh-howto-'));
    await layMaterial(material);
    const port = String(await freePort());
    test = await openTestKernel({
      PORT: port,
      FIGUREHEAD_URL: `http://127.0.0.1:${port}`,
      FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
      FIGUREHEAD_STREAM_CAPACITY: '4',
    });
    roles = await Promise.all([
      startRole('api', test.env),
      startRole('worker', test.env),
      startRole('streams', test.env),
    ]);
  });
  afterAll(async () => {
    await Promise.all(roles.map((role) => role.stop()));
    await test.close();
    rmSync(material, { recursive: true });
  });

  it('is listed, and describes the reader’s situation and goal in its first paragraph', () => {
    const list = readFileSync(join(FOLDER, 'README.md'), 'utf8');
    for (const page of PAGES) {
      expect(list).toContain(`](${page})`);
      const [title = '', , first = ''] = readFileSync(join(FOLDER, page), 'utf8').split('\n');
      expect([page, title.startsWith('# '), /^You (have|want|find)/.test(first)]).toEqual([page, true, true]);
    }
  });

  it.each(PAGES)('%s refers to existing files', (page) => {
    const text = readFileSync(join(FOLDER, page), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect([link, existsSync(join(FOLDER, link))]).toEqual([link, true]);
    for (const { text: block } of blocksOf(page).filter(({ note }) => note.startsWith('needs='))) {
      expect(spawnSync('bash', ['-n'], { input: block }).stderr.toString()).toBe('');
      // A file that the page copies from an example exists as the example.
      for (const [path] of block.matchAll(/\bdeploy\/[\w./-]+/g))
        expect([path, existsSync(join(ROOT, path)) || path.endsWith('/.env')]).toEqual([path, true]);
    }
  });

  it.each(PAGES)('%s works as it is written', async (page) => {
    const folder = mkdtempSync(join(tmpdir(), 'fh-howto-'));
    const blocks = blocksOf(page);
    cpSync(material, folder, { recursive: true });
    for (const { note, text } of blocks.filter(({ note }) => /^[\w-]+\.\w+$/.test(note)))
      writeFileSync(join(folder, note), text);
    const workspace = await createWorkspace(test.kernel, {
      name: page,
      plan: 'Enterprise',
      status: 'active',
      minutes: 60,
    });
    const { token } = await createToken(test.kernel, {
      workspaceId: workspace._id,
      userId: workspace._id,
      name: page,
    });
    const script = blocks.filter(({ language, note }) => language === 'sh' && note === '').map(({ text }) => text);
    // Readers see what the server refuses; here it also ends the script.
    const strict = ['set -euxo pipefail', 'curl() { command curl --fail-with-body "$@"; }'];
    const { code, output } = await run([...strict, ...script].join('\n'), {
      cwd: folder,
      env: {
        ...process.env,
        ...test.env,
        URL: test.env['FIGUREHEAD_URL'] ?? '',
        TOKEN: token,
        PORT: String(await freePort()),
      },
    });
    expect(code, output).toBe(0);
    rmSync(folder, { recursive: true });
  });
});

/** The prerequisites of the pages, and the packages to install. */
async function layMaterial(folder: string): Promise<void> {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const fonts = join(ROOT, 'node_modules/@fontsource-variable/montserrat/files');
  copyFileSync(join(fonts, 'montserrat-latin-wght-normal.woff2'), join(folder, 'my-font.woff2'));
  writeFileSync(
    join(folder, 'talk.pptx'),
    pptx([
      { title: 'First', notes: 'Welcome to the talk.' },
      { title: 'Second', notes: 'That is all.' },
    ]),
  );
  const script = 'My mother bought a big black bag of plums.';
  const speech = createSpeech({ threads: 1 });
  const { samples } = await speech.utter('flite', script, { voice: 'slt' });
  await speech.close();
  await writeWav(join(folder, 'voice.wav'), asRecorded(samples));
  writeFileSync(join(folder, 'script.txt'), script);
  const person = join(ROOT, 'presenters', 'packs', 'ava', 'base.webp');
  await sharp(person).flatten({ background: '#9fb0b8' }).jpeg({ quality: 88 }).toFile(join(folder, 'me.jpg'));
}

/** Runs a script in its own process group, and ends its remaining processes. */
async function run(
  script: string,
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-c', script], { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  } catch (error) {
    // All processes of the group have already ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  return { code, output };
}
