import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSpeech, type PresenterPack, type Speech } from '@figurehead/media';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestApi, type TestApi, type TestCaller } from '../../../../../tests/support/api.js';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import { type ScriptedLiveHost, type ScriptedSession, scriptedLiveHost } from '../../../../../tests/support/live-host.js';
import { registerHost } from '../hosts/index.js';
import { startStreamHost } from './host.js';
import { sweepDeadHosts } from './sweeper.js';

const PACK: PresenterPack = { name: 'nobody', width: 2, height: 2 };
const UNKNOWN = '0123456789abcdef01234567';
const ANSWER = { answer: { type: 'answer', sdp: 'v=0\r\n' } };

let speech: Speech;
beforeAll(() => {
  speech = createSpeech({ threads: 1 });
});
afterAll(() => speech.close());

/** A stream host in a kernel of its own, as another process would have it. */
interface Host {
  readonly live: ScriptedLiveHost;
  readonly id: string;
  readonly url: string;
  readonly kernel: TestKernel['kernel'];
  /** Drains and ends it. */
  stop(): Promise<void>;
}

async function openHost(api: TestApi, settings: { capacity?: number; holdSpeech?: boolean; drainGraceMs?: number } = {}): Promise<Host> {
  const { capacity = 3, holdSpeech = false, drainGraceMs = 300 } = settings;
  const { kernel } = await openTestKernel({ ...api.test.env, DATABASE_URL: api.test.env['DATABASE_URL'] as string }, 'streams', api.test);
  const live = scriptedLiveHost({ holdSpeech });
  kernel.lifecycle.onClose('live', () => live.close());
  const { id, url } = await startStreamHost(kernel, {
    live,
    speech,
    findPack: async () => PACK,
    capacity,
    engines: ['cpu'],
    version: '0.0.0',
    times: { beatMs: 50, expireMs: 20, drainGraceMs },
  });
  return { live, id, url, kernel, stop: () => kernel.lifecycle.close() };
}
