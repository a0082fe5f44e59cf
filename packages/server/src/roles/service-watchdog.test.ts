import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerWatchdog } from './service-watchdog.js';

/** The part of a service manager that receives reports: Node has no unix datagram sockets. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('bound', flush=True)
while True:
  print(receiver.recv(4096).decode().strip(), flush=True)
`;

const hasPrograms = ['systemd-notify', 'python3'].every((name) => spawnSync(name, ['--version']).status === 0);

test.runIf(hasPrograms)('systemd receives several reports within each watchdog period', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fh-watchdog-'));
  const socket = join(folder, 'notify');
  const receiver = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  receiver.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
  try {
    await once(receiver.stdout, 'data');
    const env = {
      ...process.env,
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: '1500000',
      WATCHDOG_PID: String(process.pid),
    };
    const notices: string[] = [];
    answerWatchdog(env, (line) => notices.push(line));
    await expect.poll(() => lines.filter((line) => line === 'WATCHDOG=1').length).toBeGreaterThan(2);
    expect(notices).toEqual([]);
  } finally {
    receiver.kill();
    await rm(folder, { recursive: true });
  }
});

test('a process that inherited the variables of another reports nothing', async () => {
  const notices: string[] = [];
  const env = { NOTIFY_SOCKET: '/nowhere', WATCHDOG_USEC: '1000', WATCHDOG_PID: String(process.ppid), PATH: '' };
  answerWatchdog(env, (line) => notices.push(line));
  answerWatchdog({ ...env, WATCHDOG_PID: String(process.pid) }, (line) => notices.push(line));
  await expect.poll(() => notices.length).toBe(1);
  expect(notices[0]).toContain('systemd-notify');
});
