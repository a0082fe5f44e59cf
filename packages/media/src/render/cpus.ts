import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Files with a container's CPU quota on Linux: cgroup v2, then v1. */
const LIMITS = [
  { files: ['/sys/fs/cgroup/cpu.max'] },
  { files: ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'] },
];

/**
 * Whole processors that this process may use, at least 1: limited by the cgroup's quota, because a container sees all
 * cores of the machine. `read` returns a file's text; tests replace it.
 */
export function availableCpus(read: (file: string) => string = (file) => readFileSync(file, 'utf8')): number {
  const cores = availableParallelism();
  for (const { files } of LIMITS) {
    const quota = quotaOf(files, read);
    if (quota !== undefined) return Math.max(1, Math.min(cores, Math.ceil(quota)));
  }
  return cores;
}

function quotaOf(files: readonly string[], read: (file: string) => string): number | undefined {
  let text: string;
  try {
    text = files.map((file) => read(file).trim()).join(' ');
  } catch {
    // The file is missing on other systems and with the other version of cgroups.
    return undefined;
  }
  const [quota, period] = text.split(/\s+/).map(Number);
  return quota !== undefined && period !== undefined && quota > 0 && period > 0 ? quota / period : undefined;
}
