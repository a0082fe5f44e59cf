import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../packages/server/src/kernel/config/config.js';
import type { Kernel } from '../../packages/server/src/kernel/contract.js';
import { createKernel } from '../../packages/server/src/kernel/create-kernel.js';
import { openDatabase } from '../../packages/server/src/kernel/database/database.js';
import type { QueueDefinitions } from '../../packages/server/src/kernel/jobs/definitions.js';
import { installQueue } from '../../packages/server/src/kernel/jobs/tables.js';
import { createTestDatabase } from './postgres.js';

/** A real kernel on a separate database and data folder. */
export interface TestKernel {
  readonly kernel: Kernel;
  /** Environment for another process of the same installation. */
  readonly env: Readonly<Record<string, string>>;
  /** Closes the kernel and removes its data. */
  close(): Promise<void>;
}

/** Adds queues for a test. */
export async function defineQueues(url: string | undefined, queues: QueueDefinitions): Promise<void> {
  const connection = openDatabase({ url: url ?? '', onError: () => undefined });
  await installQueue(connection, queues);
  await connection.close();
}

/** @param env overrides the defaults, such as `{ FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1' }`. */
export async function openTestKernel(env: Readonly<Record<string, string>> = {}, role = 'test'): Promise<TestKernel> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-data-'));
  const whole = {
    DATABASE_URL: database.url,
    FIGUREHEAD_DATA: dataDir,
    FIGUREHEAD_LOG_LEVEL: 'silent',
    // No test fetches a hundred megabytes.
    FIGUREHEAD_NATURAL_VOICES: 'off',
    FIGUREHEAD_VOICES_MIRROR: 'http://127.0.0.1:9',
    HOST: '127.0.0.1',
    PORT: '0',
    ...env,
  };
  const kernel = await createKernel(loadConfig({ env: whole, cwd: dataDir }), role);
  return {
    kernel,
    env: whole,
    close: async () => {
      await kernel.lifecycle.close();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
