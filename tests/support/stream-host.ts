import { createSpeech, type PresenterPack } from '@figurehead/media';
import { expect } from 'vitest';
import { startStreamHost } from '../../packages/server/src/features/streams/host/host.js';
import { loadConfig } from '../../packages/server/src/kernel/config/config.js';
import type { Kernel } from '../../packages/server/src/kernel/contract.js';
import { createKernel } from '../../packages/server/src/kernel/create-kernel.js';
import { openTestApi, type TestApi } from './api.js';
import { type ScriptedLiveHost, type ScriptedSession, scriptedLiveHost } from './live-host.js';

/** A presenter without pictures. */
export const PACK: PresenterPack = { name: 'nobody', width: 2, height: 2 };

/** A stream host with its own kernel, like a separate process. */
export interface Host {
  readonly live: ScriptedLiveHost;
  readonly id: string;
  readonly url: string;
  readonly kernel: Kernel;
  /** Drains and closes it. */
  stop(): Promise<void>;
}

/** Deviations from the default host. */
export interface HostSettings {
  readonly capacity?: number;
  readonly holdSpeech?: boolean;
  readonly tellsSpeech?: boolean;
  readonly drainGraceMs?: number;
  readonly findPack?: () => Promise<PresenterPack>;
  /** The host's monotonic clock, ms. */
  readonly monotonic?: () => number;
  /** The host's wall clock, ms since the epoch. */
  readonly now?: () => number;
}

/** Starts a host with scripted sessions, next to an API. */
export async function openHost(api: TestApi, settings: HostSettings = {}): Promise<Host> {
  const { capacity = 3, holdSpeech = false, tellsSpeech = false, drainGraceMs = 300, now, monotonic } = settings;
  const { findPack = async () => PACK } = settings;
  const { env } = api.test;
  const kernel = await createKernel(loadConfig({ env: { ...env }, cwd: String(env.FIGUREHEAD_DATA) }), 'streams');
  const speech = createSpeech({ threads: 1 });
  kernel.lifecycle.onClose('speech', () => speech.close());
  const live = scriptedLiveHost({ holdSpeech, tellsSpeech });
  kernel.lifecycle.onClose('live', () => live.close());
  const clock = { ...kernel.clock, ...(now && { now }), ...(monotonic && { monotonic }) };
  const { id, url } = await startStreamHost(
    { ...kernel, clock },
    {
      live,
      speech,
      findPack,
      capacity,
      engines: ['cpu'],
      version: '0.0.0',
      times: { beatMs: 50, expireMs: 20, drainGraceMs },
    },
  );
  return { live, id, url, kernel, stop: () => kernel.lifecycle.close() };
}

/** An API with one host. Close it after the last test. */
export async function openAll(env: Record<string, string> = {}, settings: HostSettings = {}) {
  const api = await openTestApi(env);
  const host = await openHost(api, settings);
  return {
    api,
    host,
    close: async () => {
      await host.stop();
      await api.close();
    },
  };
}

/** The session of a stream on a host; throws when there is none. */
export function sessionOf(host: Host, id: string): ScriptedSession {
  const session = host.live.sessions.get(id);
  if (session === undefined) throw new Error(`no session ${id} on this host`);
  return session;
}

/** Waits for a state that is changed elsewhere. */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  await expect.poll(isTrue, { interval: 10, message: `waits until ${what}` }).toBe(true);
}
