import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'undici';

const EXECUTABLE = '/usr/bin/firefox-esr';

/**
 * No first-run pages, updates or telemetry; sound without a click; loopback candidates, because the server is local. Pages may use the microphone,
 * which plays a tone.
 */
const PREFERENCES: Readonly<Record<string, string | number | boolean>> = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'media.autoplay.default': 0,
  'media.gmp-manager.updateEnabled': false,
  'media.navigator.permission.disabled': true,
  'media.navigator.streams.fake': true,
  'media.peerconnection.ice.loopback': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.server': '',
};

/** One page of a separate Firefox. */
export interface FirefoxPage {
  goto(url: string): Promise<void>;
  /** Runs a function in the page; its argument and result are passed as JSON. */
  evaluate<A, R>(act: (argument: A) => R | Promise<R>, argument: A): Promise<R>;
  close(): Promise<void>;
}

/** False where tests with Firefox cannot run; prints it, so that they are not mistaken for passed. */
export function hasFirefox(): boolean {
  const isThere = existsSync(EXECUTABLE);
  if (!isThere) console.warn(`SKIPPED: tests with Firefox need ${EXECUTABLE}`);
  return isThere;
}

/**
 * Starts a headless Firefox, controlled by WebDriver BiDi (w3.org/TR/webdriver-bidi), which every Firefox supports.
 * @param env more variables of its process.
 */
export async function launchFirefox(env: Readonly<Record<string, string>> = {}): Promise<FirefoxPage> {
  const profile = await mkdtemp(join(tmpdir(), 'fh-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
  const process_ = spawn(EXECUTABLE, args, {
    env: { ...process.env, HOME: profile, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = once(process_, 'exit');
  const session = await openSession(await debuggingUrl(process_));
  await session.send('session.new', { capabilities: {} });
  const { contexts } = (await session.send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context;
  return {
    goto: async (url) => void (await session.send('browsingContext.navigate', { context, url, wait: 'complete' })),
    async evaluate(act, argument) {
      const expression = `Promise.resolve((${act.toString()})(${JSON.stringify(argument)})).then((value) => JSON.stringify(value ?? null))`;
      const answer = (await session.send('script.evaluate', {
        expression,
        target: { context },
        awaitPromise: true,
        // As after a click: sound may start.
        userActivation: true,
      })) as {
        result?: { value: string };
        exceptionDetails?: { text: string };
      };
      if (answer.result === undefined) throw new Error(`in Firefox: ${answer.exceptionDetails?.text}`);
      return JSON.parse(answer.result.value);
    },
    async close() {
      session.close();
      process_.kill('SIGKILL');
      await gone;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Firefox prints its debugging URL to standard error. Reading continues, because Firefox would block on a full pipe.
 */
function debuggingUrl(process_: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    process_.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
      const url = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    process_.once('exit', () => reject(new Error(`Firefox did not start:\n${said}`)));
  });
}

interface Session {
  send(method: string, params: object): Promise<unknown>;
  close(): void;
}

async function openSession(url: string): Promise<Session> {
  const socket = new WebSocket(`${url}/session`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no connection to ${url}`));
  });
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: string; message?: string };
    const caller = message.id === undefined ? undefined : waiting.get(message.id);
    if (message.id === undefined || caller === undefined) return;
    waiting.delete(message.id);
    if (message.error === undefined) caller.resolve(message.result);
    else caller.reject(new Error(`${message.error}: ${message.message}`));
  };
  let last = 0;
  return {
    send: (method, params) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}
