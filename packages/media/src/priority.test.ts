import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** Priority of a process that was started with a niceness above its parent's and then lowers itself. */
function priorityOf(startedWith: number, lowered: number): number {
  const script = `
    import { getPriority } from 'node:os';
    import { lowerPriority } from '@figurehead/media/priority';
    lowerPriority(${lowered});
    console.log(getPriority());`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  return Number(execFileSync('nice', ['-n', String(startedWith), ...node], { cwd: import.meta.dirname, ...account }));
}

describe.skipIf(process.platform === 'win32')('the priority of a process', () => {
  it('is lowered, unless the process was started with a lower one', () => {
    const own = priorityOf(0, 0);
    const more = Math.min(own + 2, 18);
    expect(priorityOf(0, more)).toBe(more);
    expect(priorityOf(19, more)).toBe(Math.min(own + 19, 19));
  });
});
