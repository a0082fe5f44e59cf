import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { availableCpus, shippedFamilies } from '@figurehead/media';
import { openOffice } from '../features/presentations/index.js';
import type { Config } from '../kernel/config/config.js';
import { ensureDataFolder } from '../kernel/storage/data-folder.js';
import { examine, type Finding, type Found } from './finding.js';

const OLDEST_NODE = [20, 19] as const;
/** A worker takes about 350 MB per drawing thread at 1080p, an API and PostgreSQL half a gigabyte. */
const LITTLE_MEMORY_BYTES = 1.5e9;
const FEW_FILES = 4096;

/** Checks the machine: Node, processors, memory, files, disk, fonts, LibreOffice. */
export async function examineMachine(config: Config): Promise<Finding[]> {
  return [
    await examine('Node', 'Install Node 20.19 or newer.', nodeVersion),
    await examine('processors', 'Give the container or service at least one processor.', processors),
    await examine('memory', 'Give it 2 GB or more.', memory),
    await examine('open files', 'Raise the limit (LimitNOFILE in the systemd unit, ulimit -n in a shell).', openFiles),
    await examine('data folder', 'Set FIGUREHEAD_DATA to a folder that this user may write.', async () => {
      await ensureDataFolder(config.dataDir);
      return { detail: config.dataDir };
    }),
    await examine('disk', 'Free some space, or set FIGUREHEAD_DATA to a larger disk.', () => disk(config)),
    await examine('fonts', 'Reinstall the program: its fonts are npm packages.', fonts),
    await examine('LibreOffice', 'See docs/presentations.md.', office),
  ];
}

function nodeVersion(): Found {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (!ok) throw new Error(`${process.version}; ${OLDEST_NODE.join('.')} or newer is needed`);
  return { detail: `${process.version} on ${process.platform}-${process.arch}` };
}

function processors(): Found {
  const [granted, present] = [availableCpus(), availableParallelism()];
  const detail = `${granted} to work with${granted < present ? ` of ${present}: the container's limit` : ''}`;
  if (granted >= 2) return { detail };
  return { status: 'warning', detail, advice: 'One processor is enough for rendering, but live streams need two.' };
}

async function memory(): Promise<Found> {
  const limit = await memoryLimit();
  const bytes = Math.min(limit ?? Number.POSITIVE_INFINITY, totalmem());
  const detail = `${(bytes / 1e9).toFixed(1)} GB${limit !== undefined && limit < totalmem() ? ", the container's limit" : ''}`;
  if (bytes >= LITTLE_MEMORY_BYTES) return { detail };
  return { status: 'warning', detail, advice: 'Render at 720p only, or give it 2 GB or more.' };
}

/** The cgroup's limit (version 2, then 1), bytes; `undefined` when there is none. */
async function memoryLimit(): Promise<number | undefined> {
  for (const file of ['/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes']) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const bytes = Number(text);
    return Number.isFinite(bytes) && bytes < 2 ** 60 ? bytes : undefined;
  }
  return undefined;
}

async function openFiles(): Promise<Found> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => undefined);
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(soft)) return { status: 'skipped', detail: 'not available on this system' };
  if (soft >= FEW_FILES) return { detail: `${soft} allowed` };
  return {
    status: 'warning',
    detail: `${soft} allowed`,
    advice: `A busy API needs ${FEW_FILES}: LimitNOFILE in the systemd unit, ulimit -n in a shell.`,
  };
}

async function disk({ dataDir, diskReserveMb }: Config): Promise<Found> {
  const { bavail, bsize, files, ffree } = await statfs(dataDir);
  const [free, reserve] = [bavail * bsize, diskReserveMb * 1024 * 1024];
  const detail = `${(free / 1e9).toFixed(1)} GB free, ${diskReserveMb} MB of them kept free`;
  if (free <= reserve) throw new Error(`${detail}: uploads are refused and renders wait`);
  if (files > 0 && ffree < 10_000) {
    return {
      status: 'warning',
      detail: `${detail}, but only ${ffree} more files`,
      advice: 'The disk runs out of inodes.',
    };
  }
  if (free > 3 * reserve) return { detail };
  return {
    status: 'warning',
    detail,
    advice: 'Free some space soon, or shorten the retention (FIGUREHEAD_RENDER_DAYS, FIGUREHEAD_CACHE_DAYS).',
  };
}

function fonts(): Found {
  const families = shippedFamilies();
  if (families.length === 0) throw new Error('none are installed');
  return { detail: `${families.length} families are included` };
}

async function office(): Promise<Found> {
  const found = await openOffice();
  if (found === undefined) {
    return {
      status: 'skipped',
      detail: 'not installed; .pptx and .odp are drawn without it, PDF does not need it',
      advice: 'Install libreoffice-impress for pages that look like the original.',
    };
  }
  const strengths = {
    full: 'sandboxed (bubblewrap)',
    network: 'without network',
    limits: 'with limits alone',
    none: 'not sandboxed',
  };
  const detail = `${found.version ?? 'installed'}, ${strengths[found.strength]}`;
  if (found.strength === 'full') return { detail };
  return { status: 'warning', detail, advice: 'Install bubblewrap, so that untrusted files are opened in a sandbox.' };
}
