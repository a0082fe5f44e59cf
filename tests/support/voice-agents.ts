import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Made by `scripts/voice-agents.sh`. */
const PYTHON = join(homedir(), '.cache/figurehead-tests/voice-agents-1.8.9/bin/python');
const INTEGRATIONS = fileURLToPath(new URL('../../integrations', import.meta.url));

/** False where tests with LiveKit's and Pipecat's own packages for Python cannot run; prints it, so that they are not mistaken for passed. */
export function hasVoiceAgents(): boolean {
  const isThere = existsSync(PYTHON);
  if (!isThere) console.warn(`SKIPPED: tests of voice agents need ${PYTHON} (scripts/voice-agents.sh makes it)`);
  return isThere;
}

/** A program of an agent. */
export interface VoiceAgent {
  /** The next line of JSON that it prints. Throws with its log when it has ended. */
  told(): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Starts a program next to this file. It speaks `sound`, PCM of 24 kHz. The caller closes it. */
export async function startVoiceAgent(
  program: string,
  env: Readonly<Record<string, string>>,
  sound: Buffer,
): Promise<VoiceAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-voice-agent-'));
  await writeFile(join(folder, 'sound.pcm'), sound);
  const packages = ['livekit-python', 'pipecat-python'].map((name) => join(INTEGRATIONS, name));
  const child: ChildProcess = spawn(PYTHON, [fileURLToPath(new URL(program, import.meta.url))], {
    env: {
      ...process.env,
      ...env,
      SOUND: join(folder, 'sound.pcm'),
      PYTHONPATH: packages.join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr?.on('data', (text: Buffer) => (log += text.toString()));
  const gone = once(child, 'exit');
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    async told() {
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        if (next.value.startsWith('{"told"')) return JSON.parse(next.value).told;
        log += `${next.value}\n`;
      }
      throw new Error(`${program} has ended:\n${log}`);
    },
    async close() {
      child.kill('SIGTERM');
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
