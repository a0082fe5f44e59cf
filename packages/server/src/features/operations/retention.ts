import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Counter, Gauge } from 'prom-client';
import type { Kernel } from '../../kernel/contract.js';
import { withAdvisoryLock } from '../../kernel/database/advisory-lock.js';
import { type ExpiringRows, pruneRows } from '../../kernel/database/prune.js';
import { runPeriodically } from '../../kernel/jobs/repeat.js';
import { LOG_FOLDER } from '../../kernel/observability/log-file.js';
import { missingAsUndefined } from '../../kernel/storage/files.js';
import { pruneConversations } from '../agents/index.js';
import { expireMedia } from '../library/index.js';
import { removeUnshownPages } from '../presentations/index.js';
import { expireRenders, pruneRenders } from '../renders/index.js';
import { pruneSessions, SIGN_IN_FAILURES } from '../sessions/index.js';
import { CLIENT_TOKENS, CLOSED_STREAMS } from '../streams/index.js';
import { noVideoContains, VERSION_DAYS, VERSIONS } from '../videos/index.js';
import { expireAudio } from '../voices/index.js';
import { ENDED_DELIVERIES } from '../webhooks/index.js';
import { CREATIONS, listWorkspaces } from '../workspaces/index.js';

/** Interval of a worker's passes. */
const EVERY_MS = 3600_000;
/** Delay after a start. */
const FIRST_AFTER_MS = 60_000;
/** Unique among the advisory locks of the database. */
const RETENTION_LOCK = 717_002;
const DAY_MS = 24 * 3600 * 1000;
/** Quota entries have no effect after 8 hours; a month of them is kept for questions. */
const CREATION_DAYS = 30;
/** Mails that were not sent. */
const MAILS = { table: 'mail_outbox', column: 'created_at' } as const;
/** Answers under an idempotency key, and wrong passwords, have no effect after a day. */
const DAY = 1;
const IDEMPOTENCY_KEYS = { table: 'idempotency_keys', column: 'created_at' } as const;
/** Limit of one pass; the rest is left to the next hour. */
const MAX_ROUNDS = 200;

/** Removes data older than the configured ages every hour. The kernel's lifecycle ends it. */
export function startRetention(kernel: Kernel): void {
  const removed = new Counter({
    name: 'figurehead_expired_total',
    help: 'Items removed because of their age, by kind.',
    labelNames: ['kind'] as const,
    registers: [kernel.metrics],
  });
  const last = new Gauge({
    name: 'figurehead_retention_last_success_timestamp_seconds',
    help: 'Time of the last successful removal of old items.',
    registers: [kernel.metrics],
  });
  const times = { everyMs: EVERY_MS, firstAfterMs: FIRST_AFTER_MS };
  runPeriodically(kernel, { name: 'retention', ...times, failure: 'old data could not be removed' }, async () => {
    const counts = await removeExpired(kernel);
    for (const [kind, count] of Object.entries(counts)) removed.inc({ kind }, count);
    last.set(kernel.clock.now() / 1000);
    if (Object.values(counts).some((count) => count > 0)) kernel.log.info({ counts }, 'removed old data');
  });
}

/**
 * One pass over the shared data, by one process of the installation at a time, and over the files of this machine. An
 * age of 0 days keeps a kind forever.
 * @returns the number of removed items by kind.
 */
export async function removeExpired(kernel: Kernel): Promise<Record<string, number>> {
  const lock = { url: kernel.config.databaseUrl, key: RETENTION_LOCK, application: 'retention' };
  const shared = await withAdvisoryLock(lock, (lost) =>
    removeShared(kernel, AbortSignal.any([lost, kernel.lifecycle.signal])),
  );
  return { ...(await removeLocal(kernel)), ...shared };
}

async function removeShared(kernel: Kernel, signal: AbortSignal): Promise<Record<string, number>> {
  const { config } = kernel;
  const aged = (days: number, remove: (before: Date) => Promise<number>) =>
    days === 0 ? Promise.resolve(0) : untilNone(signal, () => remove(daysAgo(kernel, days)));
  const prune = (days: number, rows: ExpiringRows) => aged(days, (before) => pruneRows(kernel.db, rows, before));
  const counts = {
    renders: await aged(config.renderDays, (before) => expireRenders(kernel, before)),
    media: await aged(config.mediaDays, (before) => expireMedia(kernel, before, noVideoContains)),
    pages: await untilNone(signal, () => removeUnshownPages(kernel)),
    deliveries: await prune(config.deliveryLogDays, ENDED_DELIVERIES),
    streams: await prune(config.streamLogDays, CLOSED_STREAMS),
    client_tokens: await prune(config.streamLogDays, CLIENT_TOKENS),
    render_lines: await aged(config.streamLogDays, (before) => pruneRenders(kernel, before)),
    video_versions: await prune(VERSION_DAYS, VERSIONS),
    mails: await prune(config.mailLogDays, MAILS),
    conversations: await untilNone(signal, () => pruneConversations(kernel)),
    sessions: await pruneSessions(kernel),
    sign_in_failures: await prune(DAY, SIGN_IN_FAILURES),
    idempotency_keys: await prune(DAY, IDEMPOTENCY_KEYS),
    creations: await prune(CREATION_DAYS, CREATIONS),
    audio: 0,
  };
  if (config.audioCacheDays > 0) {
    const before = daysAgo(kernel, config.audioCacheDays);
    for (const { _id } of await listWorkspaces(kernel)) counts.audio += await expireAudio(kernel, _id, before);
  }
  return counts;
}

async function untilNone(signal: AbortSignal, remove: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round += 1) {
    const count = await remove();
    if (count === 0) break;
    total += count;
  }
  return total;
}

async function removeLocal(kernel: Kernel): Promise<Record<string, number>> {
  const { dataDir, cacheDays, logDays } = kernel.config;
  const older = async (folder: string, days: number) =>
    days === 0 ? 0 : removeOlder(join(dataDir, folder), daysAgo(kernel, days).getTime());
  return {
    cache_files: await older('cache', cacheDays),
    log_files: await older(LOG_FOLDER, logDays),
  };
}

/** Removes files that were neither written nor read since `before` (ms). @returns their number. */
async function removeOlder(folder: string, before: number): Promise<number> {
  let count = 0;
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(missingAsUndefined)) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      count += await removeOlder(path, before);
      continue;
    }
    const found = await lstat(path).catch(missingAsUndefined);
    if (found === undefined || Math.max(found.mtimeMs, found.atimeMs) >= before) continue;
    await rm(path, { force: true });
    count += 1;
  }
  return count;
}

function daysAgo(kernel: Kernel, days: number): Date {
  return new Date(kernel.clock.now() - days * DAY_MS);
}
