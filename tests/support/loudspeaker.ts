import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const EXECUTABLE = '/usr/bin/pulseaudio';

/** A loudspeaker that is not there, for a Firefox that plays sound of a page: unlike Chromium it has none of its own. */
export interface Loudspeaker {
  /** Variables of the programs that play to it. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** False where there cannot be one; prints it, so that tests without it are not mistaken for passed. */
export function hasLoudspeaker(): boolean {
  const isThere = existsSync(EXECUTABLE);
  if (!isThere) console.warn(`SKIPPED: tests with sound in Firefox need ${EXECUTABLE}`);
  return isThere;
}

/** Starts it; the caller closes it. */
export async function openLoudspeaker(): Promise<Loudspeaker> {
  const home = await mkdtemp(join(tmpdir(), 'fh-loudspeaker-'));
  const socket = join(home, 'socket');
  const modules = ['module-null-sink', `module-native-protocol-unix socket=${socket} auth-anonymous=1`];
  const args = [
    '-n',
    '--daemonize=no',
    '--exit-idle-time=-1',
    '--use-pid-file=no',
    ...modules.map((module) => `--load=${module}`),
  ];
  const server: ChildProcess = spawn(EXECUTABLE, args, {
    env: { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home },
    stdio: 'ignore',
  });
  const gone = once(server, 'exit');
  while (!existsSync(socket)) {
    if (server.exitCode !== null) throw new Error(`pulseaudio ended with ${server.exitCode}`);
    await pause(50);
  }
  return {
    env: { PULSE_SERVER: `unix:${socket}` },
    async close() {
      server.kill('SIGKILL');
      await gone;
      await rm(home, { recursive: true, force: true });
    },
  };
}
