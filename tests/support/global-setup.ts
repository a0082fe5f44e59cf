import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_RUN_FOLDER } from './test-run.js';

/**
 * Builds once before the tests, so that processes and threads started by them run the sources under test. Afterwards stops the database
 * servers that test files started and shared.
 */
export default function setup(): () => Promise<void> {
  execFileSync(process.execPath, ['scripts/build.js', '--quiet'], { stdio: 'inherit' });
  const run = mkdtempSync(join(tmpdir(), 'fh-run-'));
  chmodSync(run, 0o711);
  process.env[TEST_RUN_FOLDER] = run;
  return async () => {
    const { stopTestServers } = await import('./postgres-servers.js');
    await stopTestServers(run);
  };
}
