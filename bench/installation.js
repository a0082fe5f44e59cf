// A separate server in a temporary folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { caller } from '../scripts/first-contact.js';
import { freePort } from '../tests/support/ports.js';

const PROGRAM = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url));

/** Starts a whole installation in a temporary folder; the caller closes it. @param options `{program, env}` instead of the built program of this checkout, and more configuration */
export async function openServer({ program = PROGRAM, env: more = {} } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'));
  // PostgreSQL runs as another user when this one is root.
  await chmod(folder, 0o711);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    HOST: '127.0.0.1',
    FIGUREHEAD_NATURAL_VOICES: 'off',
    PORT: String(port),
    FIGUREHEAD_URL: url,
    FIGUREHEAD_DATA: folder,
    FIGUREHEAD_MEDIA_ALLOW_PRIVATE: '1',
    FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
    ...more,
  };
  const child = spawn(process.execPath, [program, 'start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  let said = '';
  await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the server did not start:\n${said}`)));
    child.stdout.on('data', (text) => {
      said += text;
      if (/API token\s+fh_\S+\n/.test(said)) resolve();
    });
  });
  const read = (name) => new RegExp(`${name}\\s+(\\S+)`).exec(said)?.[1] ?? '';
  const token = read('API token');
  return {
    url,
    token,
    email: read('E-mail'),
    password: read('Password'),
    call: caller(`${url}/api/v1`, token),
    async close() {
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
