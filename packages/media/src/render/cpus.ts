import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Where Linux states a container's share: cgroup v2, then v1. */
const LIMITS = [
  { files: ['/sys/fs/cgroup/cpu.max'] },
  { files: ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'] },
];

/**
 * Whole processors that this process may use, at least 1: the cgroup's quota where there is one, since a container on
 * a large machine sees all of the machine's cores. `read` gives a file's text, for tests.
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
    // Not Linux, or the other version of cgroups: no quota is stated here.
    return undefined;
  }
  const [quota, period] = text.split(/\s+/).map(Number);
  return quota !== undefined && period !== undefined && quota > 0 && period > 0 ? quota / period : undefined;
}
