import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import type { Kernel } from '../../packages/server/src/kernel/contract.js';
import type { Caller } from '../../packages/server/src/kernel/http/contract.js';
import { openTestKernel } from './kernel.js';
import { openLivePage } from './live-page.js';
import { freePort } from './ports.js';
import { type RunningRole, startRole } from './role.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/live/server.js', import.meta.url));

/** The real server in separate processes, and web pages for it. */
export interface LiveServer {
  /** Address of the server itself. */
  readonly base: string;
  /** API token of a workspace that has 60 minutes. */
  readonly token: string;
  /** Address of the example's page. */
  readonly exampleUrl: string;
  /** Address of a page with a video element, whose API calls get a token. */
  readonly pageUrl: string;
  /** A kernel of the same installation. */
  readonly kernel: Kernel;
  /** The owner of the token that `call` uses, in the form of the API. */
  readonly caller: Caller;
  /** The stream host. */
  readonly host: RunningRole;
  /** Starts another stream host and kills the first. */
  replaceHost(): Promise<void>;
  /** Calls the API with the token of a workspace that has 60 minutes. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape they are about to check
  call(method: string, path: string, body?: object): Promise<{ status: number; body: any }>;
  close(): Promise<void>;
}

/**
 * Starts API, stream host and example. Close it after the last test.
 * @param env configuration in addition to the defaults.
 */
export async function openLiveServer(env: Readonly<Record<string, string>> = {}): Promise<LiveServer> {
  const test = await openTestKernel({
    PORT: String(await freePort()),
    FIGUREHEAD_STREAM_CAPACITY: '4',
    FIGUREHEAD_LOG_LEVEL: 'info',
    ...env,
  });
  const [api, firstHost] = await Promise.all([startRole('api', test.env), startRole('streams', test.env)]);
  let host = firstHost;
  const workspace = await createWorkspace(test.kernel, { name: 'Live', plan: 'Team', minutes: 60 });
  const { token } = await createToken(test.kernel, { workspaceId: workspace._id, userId: workspace._id, name: 'live' });
  const base = `http://127.0.0.1:${test.env.PORT}`;
  const port = String(await freePort());
  const siteEnv = { ...process.env, URL: base, TOKEN: token, PORT: port };
  const site = spawn(process.execPath, [EXAMPLE], { env: siteEnv, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(site.stdout, 'data');
  const page = await openLivePage(base, token);

  return {
    base,
    kernel: test.kernel,
    caller: {
      kind: 'api',
      workspace: { ...workspace, id: workspace._id },
      userId: workspace._id,
      role: 'owner',
    },
    token,
    exampleUrl: `http://127.0.0.1:${port}/`,
    pageUrl: `${page.origin}/`,
    get host() {
      return host;
    },
    async replaceHost() {
      // Starts before the other one is killed, because the time for which a viewer retries must not depend on the start
      // of a host.
      const next = await startRole('streams', test.env);
      await host.kill();
      host = next;
    },
    async call(method, path, body) {
      const answer = await fetch(`${base}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    async close() {
      site.kill();
      await page.close();
      await Promise.all([api.stop(), host.stop()]);
      await test.close();
    },
  };
}
