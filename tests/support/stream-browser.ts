import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IceCandidate, LiveSession } from '../../packages/media/src/live/contract.js';
import { CHROMIUM_FLAGS } from './chromium.js';
import { VIEWER_PAGE } from './stream-browser-page.js';

/** Browsers that a viewer can run in. */
export type BrowserName = 'chromium' | 'firefox';

const LIMIT_MS = 120_000;

const PROGRAMS: Record<BrowserName, string> = { chromium: '/usr/bin/chromium', firefox: '/usr/bin/firefox-esr' };

/** One sample of the picture and the sound; `at` in ms of the page's clock. */
export interface ViewerSample {
  readonly at: number;
  /** Level of the sound, 0…1. */
  readonly rms: number;
  /** Dark px in the mouth's region, of 2048. */
  readonly dark: number;
  /** Mean change of the region since the previous sample, 0…255. */
  readonly motion: number;
  /** Pictures shown so far. */
  readonly shown: number;
}

/** Everything that a page has reported so far. */
export interface Observations {
  readonly looks: ViewerSample[];
  readonly events: { readonly type: string; readonly at: number; readonly id: string; readonly clock: number }[];
  readonly errors: string[];
  inbound: Record<string, unknown>[];
  connection: string;
  audioState: string;
  width: number;
  /** Red, green and blue near the picture's top left corner: the background. */
  corner: readonly number[];
  /** ms on the page's clock. */
  now: number;
}

/** A browser that plays one session. The creator closes it. */
export interface Viewer {
  readonly seen: Observations;
  /** Resolves when `holds` returns true; throws after two minutes with the last observations. */
  until(what: string, holds: (seen: Observations) => boolean): Promise<void>;
  /** Kills the browser without closing the session. */
  close(): Promise<void>;
}

/** Whether the browser is installed here. */
export function hasBrowser(name: BrowserName): boolean {
  return existsSync(PROGRAMS[name]);
}

/** Serves the page for a session and opens it in a browser with a new profile. */
export async function openViewer(
  session: LiveSession,
  browser: BrowserName,
  codec: 'H264' | 'VP8' = 'H264',
): Promise<Viewer> {
  const seen: Observations = {
    looks: [],
    events: [],
    errors: [],
    inbound: [],
    connection: 'new',
    audioState: '',
    width: 0,
    corner: [],
    now: 0,
  };
  const server = await serve(session, seen);
  const { port } = server.address() as AddressInfo;
  const profile = await mkdtemp(join(tmpdir(), `fh-${browser}-`));
  const child = await launch(browser, profile, `http://127.0.0.1:${port}/?codec=${codec}`);
  return {
    seen,
    async until(what, holds) {
      const end = Date.now() + LIMIT_MS;
      while (!holds(seen)) {
        if (Date.now() > end) {
          const { looks, inbound, ...rest } = seen;
          const last = JSON.stringify({ ...rest, looks: looks.slice(-5), inbound }, null, 1);
          throw new Error(`${browser} did not see ${what} within ${LIMIT_MS} ms: ${last}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
    async close() {
      await kill(child);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

async function serve(session: LiveSession, seen: Observations): Promise<Server> {
  const server = createServer((request, response) => {
    handle(session, seen, request).then(
      ({ type, body }) => response.setHeader('content-type', type).end(body),
      (error: unknown) => {
        seen.errors.push(String(error));
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function handle(
  session: LiveSession,
  seen: Observations,
  request: IncomingMessage,
): Promise<{ type: string; body: string }> {
  const path = new URL(request.url ?? '/', 'http://page').pathname;
  const json = { type: 'application/json', body: '{}' };
  if (path === '/') return { type: 'text/html', body: VIEWER_PAGE };
  if (path === '/offer') return { ...json, body: JSON.stringify({ sdp: session.offer }) };
  if (request.method !== 'POST') return json;
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  if (path === '/answer') await session.answer(String(body));
  if (path === '/candidate') session.addCandidate(body as IceCandidate | null);
  if (path === '/error') seen.errors.push(String(body));
  if (path === '/observe') observe(seen, body as Report);
  return json;
}

interface Report {
  readonly now: number;
  readonly samples: ViewerSample[];
  readonly events: Observations['events'];
  readonly inbound: Record<string, unknown>[];
  readonly connection: string;
  readonly audioState: string;
  readonly width: number;
  readonly corner: readonly number[] | null;
}

function observe(seen: Observations, report: Report): void {
  seen.looks.push(...report.samples);
  seen.events.push(...report.events);
  seen.inbound = report.inbound;
  seen.connection = report.connection;
  seen.audioState = report.audioState;
  seen.width = report.width;
  seen.corner = report.corner ?? [];
  seen.now = report.now;
}

async function launch(browser: BrowserName, profile: string, url: string): Promise<ChildProcess> {
  if (browser === 'firefox') {
    await writeFile(join(profile, 'user.js'), FIREFOX_PREFERENCES);
    return start(PROGRAMS.firefox, ['--headless', '--no-remote', '--profile', profile, url], profile);
  }
  const flags = ['--headless', ...CHROMIUM_FLAGS, `--user-data-dir=${profile}`, url];
  return start(PROGRAMS.chromium, flags, profile);
}

/** Starts its own process group, so that the browser's children end with it; its profile is its home folder. */
function start(program: string, flags: string[], home: string): ChildProcess {
  return spawn(program, flags, { stdio: 'ignore', detached: true, env: { ...process.env, HOME: home } });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid, 'SIGKILL');
  await exited;
}

/** No first-run pages, no downloads, sound without a click. */
const FIREFOX_PREFERENCES = Object.entries({
  'browser.shell.checkDefaultBrowser': false,
  'browser.aboutwelcome.enabled': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'app.update.auto': false,
  'app.normandy.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'extensions.update.enabled': false,
  'media.gmp-manager.updateEnabled': false,
  'media.gmp-provider.enabled': false,
  'network.proxy.type': 0,
  'media.autoplay.default': 0,
  'media.autoplay.blocking_policy': 0,
  'privacy.reduceTimerPrecision': false,
})
  .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  .join('');
