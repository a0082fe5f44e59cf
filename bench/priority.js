// Benches may be started with a raised priority (`nice -n -19`), so that a busy machine does not distort them. Chromium gives its own processes and
// threads the ordinary one, so the receiver's jitter buffer would measure the machine's load.
// Linux shares processors first between sessions (autogroups), and a server's roles and browsers each begin a session of their own.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

/** How often processes and threads are looked for: a browser starts some for each page. */
const EVERY_MS = 100;

/** Gives the browsers of this process, and the sessions of all its children, at least its priority, on Linux, until `stop`. */
export function keepPriority() {
  const isRaised = process.platform === 'linux' && getPriority() < 0;
  const timer = isRaised ? setInterval(raiseChildren, EVERY_MS) : undefined;
  return { stop: () => clearInterval(timer) };
}

async function raiseChildren() {
  const own = getPriority();
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parents = new Map();
  const browsers = [];
  await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      // The name in parentheses may contain spaces; the parent is the second field after it.
      parents.set(pid, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (/^\d+ \((chromium|firefox|Web Content|Isolated Web)/.test(stat)) browsers.push(pid);
    }),
  );
  const isOurs = (pid) => pid === String(process.pid) || (parents.has(pid) && isOurs(parents.get(pid)));
  const session = (pid) => `/proc/${pid}/autogroup`;
  // The process may have ended, and the kernel may lack autogroups.
  for (const pid of pids.filter(isOurs)) await writeFile(session(pid), String(own)).catch(() => undefined);
  for (const pid of browsers.filter(isOurs)) {
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) raise(Number(thread), own);
  }
}

function raise(thread, own) {
  try {
    if (getPriority(thread) > own) setPriority(thread, own);
  } catch (error) {
    // The thread has ended.
    if (error.code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}
