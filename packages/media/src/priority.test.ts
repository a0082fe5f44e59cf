import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';

/** Priority of a process that was started with one and then lowers itself. */
function priorityOf(startedWith: number, lowered: number): number {
  const script = `
    import { getPriority } from 'node:os';
    import { lowerPriority } from '@figurehead/media/priority';
    lowerPriority(${lowered});
    console.log(getPriority());`;
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const steps = startedWith - getPriority();
  // Only root may raise a priority, so the process lowers itself as another user where it can.
  const account = process.getuid?.() === 0 && steps >= 0 ? { uid: 65534, gid: 65534 } : {};
  return Number(execFileSync('nice', ['-n', String(steps), ...node], { cwd: import.meta.dirname, ...account }));
}

describe.skipIf(process.platform === 'win32')('the priority of a process', () => {
  it('is lowered, unless the process was started with a lower one', () => {
    const own = Math.max(0, getPriority());
    const more = Math.min(own + 2, 18);
    expect(priorityOf(own, more)).toBe(more);
    expect(priorityOf(19, more)).toBe(19);
  });

  it('is lowered from the raised one that the process was started with', ({ skip }) => {
    const raised = priorityOf(-15, 0);
    skip(raised !== -15, 'priorities cannot be raised here');
    expect(priorityOf(-15, 5)).toBe(-10);
  });
});
