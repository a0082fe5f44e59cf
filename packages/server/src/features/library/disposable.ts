import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** What a job of strangers' files may take before its process is ended. */
export interface DisposableLimits {
  readonly seconds: number;
  /** Resident memory, megabytes. */
  readonly memoryMb: number;
}

/** How a disposable process ended. `refused`: it judged the file; `died`: a crash, or a limit was reached. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'died'; readonly reason: 'crash' | 'time' | 'memory' };

/** What the process answers, once. */
export type Reply = { readonly value: unknown } | { readonly refused: string };

/** The program of the library's own jobs. */
const PROGRAM = new URL('./disposable-process.js', import.meta.url).href;

/** How often the process's memory is looked at. */
const WATCH_MS = 200;

/** The JavaScript heap; pictures and sound lie outside of it. */
const HEAP_MB = 768;

/**
 * Runs one job in a process of its own that dies with it: a decoder that a crafted file crashes, hangs or bloats takes
 * nothing else with it. The process gets no environment, so none of the server's secrets either.
 * @param job sent as JSON; see `disposable-process.ts`.
 * `program` is the URL of another program of a feature, of the same manners: one job by message, one {@link Reply} back.
 * Rejects with the signal's reason on abort.
 */
export async function runDisposable<T>(
  job: object,
  {
    seconds,
    memoryMb,
    signal,
    program = PROGRAM,
  }: DisposableLimits & { readonly signal?: AbortSignal; readonly program?: string },
): Promise<Outcome<T>> {
  signal?.throwIfAborted();
  const child = fork(programPath(program), [], {
    env: {},
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    // Codecs talk to stderr about every damaged packet.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let reply: Reply | undefined;
  let killedFor: 'time' | 'memory' | undefined;
  const kill = (reason?: 'time' | 'memory') => {
    killedFor ??= reason;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => kill('time'), seconds * 1000);
  const watch = setInterval(() => {
    void residentMb(child.pid).then((used) => {
      if (used > memoryMb) kill('memory');
    });
  }, WATCH_MS);
  const abort = () => kill();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => resolve());
      child.once('message', (message) => {
        reply = message as Reply;
      });
      // A process that died at once has no channel; its exit says all.
      child.send(job, (error) => {
        if (error !== null) kill();
      });
    });
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal?.removeEventListener('abort', abort);
  }
  signal?.throwIfAborted();
  if (reply === undefined) return { kind: 'died', reason: killedFor ?? 'crash' };
  return 'refused' in reply ? { kind: 'refused', message: reply.refused } : { kind: 'done', value: reply.value as T };
}

/** The compiled program also when this module itself runs from its source, as in tests. */
function programPath(program: string): string {
  const path = fileURLToPath(program);
  return import.meta.url.endsWith('.ts') ? path.replace('/src/features/', '/dist/features/') : path;
}

/** Resident memory of a process; 0 where it cannot be known. */
async function residentMb(pid: number | undefined): Promise<number> {
  if (pid === undefined || process.platform !== 'linux') return 0;
  // Field 2 of proc_pid_statm(5), in pages.
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return (Number(statm.split(' ')[1] ?? 0) * 4096) / 1e6;
}
