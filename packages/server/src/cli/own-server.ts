import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createToken, listWorkspaces, revokeToken } from '../features/workspaces/index.js';
import type { Kernel } from '../kernel/contract.js';
import { OperatorError } from '../kernel/operator-error.js';
import { onInstallation } from './command.js';

const PROGRAM = fileURLToPath(new URL('../../bin/figurehead.js', import.meta.url));

/** A server that runs for one command. */
export interface OwnServer {
  readonly url: string;
  /** An API token of the oldest workspace, once the server is ready. Rejects with an `OperatorError` when it does not become so. */
  readonly token: Promise<string>;
  /** Revokes the token and stops the server. Idempotent. */
  close(): Promise<void>;
}

/** Starts a server on the configured data folder, on a free port of the loopback. What it prints goes to standard error. */
export async function startOwnServer(): Promise<OwnServer> {
  const port = await freePort();
  const server = spawn(process.execPath, [PROGRAM, 'start'], {
    // As under npm, it also ends when the process that started it is gone.
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', npm_lifecycle_event: 'mcp' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(server, 'exit');
  const ready = new Promise<void>((resolve, reject) => {
    let printed = '';
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text);
      printed += text;
      if (printed.includes('is ready:')) resolve();
    });
    const hint = 'To use one that runs, give its --url and --token.';
    void gone.then(() => reject(new OperatorError(`No server could be started. ${hint}`)));
  });
  const made = ready.then(() => onInstallation(createOwnToken));
  let closing: Promise<void> | undefined;
  const stop = async () => {
    await made.then(({ _id }) => onInstallation((kernel) => revokeToken(kernel, _id))).catch(() => undefined);
    server.kill('SIGTERM');
    await gone;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    token: made.then(({ token }) => token),
    close: () => {
      closing ??= stop();
      return closing;
    },
  };
}

async function createOwnToken(kernel: Kernel) {
  const [workspace] = await listWorkspaces(kernel);
  if (workspace === undefined)
    throw new OperatorError('There is no workspace yet; `figurehead workspace create` makes one.');
  return createToken(kernel, { workspaceId: workspace._id, userId: workspace._id, name: 'figurehead mcp' });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
