import type * as Sdk from '@figurehead/sdk';
import type { FigureheadPresenter } from '@figurehead/sdk/widget';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../support/chromium.js';
import { type FirefoxPage, hasFirefox, launchFirefox } from '../support/firefox.js';
import { type LiveServer, openLiveServer } from '../support/live-server.js';
import { exposeSdk } from '../support/live-viewer.js';
import { hasTurnServer, openTurnServer, type TurnServer } from '../support/turn-server.js';

const [hasRelay, chromiumIsThere, firefoxIsThere] = [hasTurnServer(), hasChromium(), hasFirefox()];

/**
 * Runs in the page: one stream whose only route is the relay. `over` selects the transport to the relay, `forged`
 * corrupts the password.
 */
async function watchRelayed({ over, forged }: { over: 'udp' | 'tcp'; forged: boolean }) {
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  const video = document.querySelector('video') as HTMLVideoElement;
  let relays: RTCIceServer[] = [];
  const createPeerConnection = (given: RTCConfiguration): RTCPeerConnection => {
    relays = (given.iceServers ?? []).map((server) => ({
      ...server,
      urls: [server.urls].flat().filter((url) => url.endsWith(`transport=${over}`)),
      ...(forged ? { credential: 'bm90IHRoZSBwYXNzd29yZA==' } : {}),
    }));
    return new RTCPeerConnection({ iceServers: relays, iceTransportPolicy: 'relay' });
  };
  const opening = LiveStream.open(client, { avatarCode: 'nora', video, createPeerConnection, connectTimeoutMs: 8000 });
  try {
    const stream = await opening;
    const outcome = await (await stream.speak('This came through a relay.')).finished;
    const stats = await stream.stats();
    const protocols: string[] = [];
    let shown = 0;
    for (const report of (await stream.peer.getStats()).values()) {
      if (report.type === 'local-candidate' && report.candidateType === 'relay') protocols.push(report.relayProtocol);
      if (report.type === 'inbound-rtp' && report.kind === 'video') shown = report.framesDecoded;
    }
    await stream.close();
    return { outcome, stats, protocols, shown, username: relays[0]?.username, id: stream.id as string };
  } catch (error) {
    return { error: String(error) };
  }
}

/** Runs in the page: opens a stream that can reach only relays, and begins a long text. */
async function beginSpeech() {
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  const video = document.querySelector('video') as HTMLVideoElement;
  const createPeerConnection = (given: RTCConfiguration): RTCPeerConnection =>
    new RTCPeerConnection({ ...given, iceTransportPolicy: 'relay' });
  const stream = await LiveStream.open(client, { avatarCode: 'nora', video, createPeerConnection });
  const seen: string[] = [];
  for (const type of ['speech.started', 'speech.ended', 'speech.interrupted', 'closed'] as const)
    stream.on(type, () => seen.push(type));
  const long = await stream.speak('We walk along the river and talk about the boats. '.repeat(8));
  const queued = await stream.speak('And this comes after it.');
  Object.assign(window, { going: { stream, seen, long, queued, first: stream.peer } });
}

/** Runs in the page: waits for the end of both texts of {@link beginSpeech}. */
async function endSpeech() {
  const { stream, seen, long, queued, first } = (
    window as unknown as {
      going: Record<'long' | 'queued', Sdk.Utterance> & {
        stream: Sdk.LiveStream;
        seen: string[];
        first: RTCPeerConnection;
      };
    }
  ).going;
  const outcomes = [await long.finished, await queued.finished];
  const isReplaced = stream.peer !== first;
  const kinds = stream.media.getTracks().map(({ kind, readyState }) => `${kind} ${readyState}`);
  const { relayed } = await stream.stats();
  const events = [...seen];
  await stream.close();
  return { outcomes, isReplaced, kinds: kinds.sort(), relayed, events };
}

/** Runs in the page: a widget that can reach only relays, and the events that it emits. */
function openWidget({ base, token }: { base: string; token: string }) {
  const Direct = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Direct {
    constructor(given?: RTCConfiguration) {
      super({ ...given, iceTransportPolicy: 'relay' });
    }
  };
  const seen: string[] = [];
  for (const type of ['ready', 'speaking', 'error', 'ended']) document.addEventListener(type, () => seen.push(type));
  Object.assign(window, { seen });
  document.body.innerHTML = `<figurehead-presenter token="${token}" avatar="nora" label="Nora"></figurehead-presenter>`;
  const script = Object.assign(document.createElement('script'), {
    type: 'module',
    src: `${base}/embed/figurehead.js`,
  });
  document.head.append(script);
}

type Seen = Exclude<Awaited<ReturnType<typeof watchRelayed>>, { error: string }>;

describe.runIf(hasRelay)('a live stream to a viewer who can reach only the relay', () => {
  let turn: TurnServer;
  let server: LiveServer;
  let other: TurnServer;
  /** Its viewers can reach both relays. */
  let twoRelays: LiveServer;

  beforeAll(async () => {
    turn = await openTurnServer('a secret that only coturn and we know');
    server = await openLiveServer({
      FIGUREHEAD_TURN_URLS: `${turn.urls.udp},${turn.urls.tcp}`,
      FIGUREHEAD_TURN_SECRET: turn.secret,
      FIGUREHEAD_RTC_ADDRESS: '127.0.0.1',
    });
    other = await openTurnServer(turn.secret);
    twoRelays = await openLiveServer({
      FIGUREHEAD_TURN_URLS: `${turn.urls.udp},${other.urls.udp}`,
      FIGUREHEAD_TURN_SECRET: turn.secret,
      FIGUREHEAD_RTC_ADDRESS: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await Promise.all([server?.close(), twoRelays?.close()]);
    await Promise.all([turn?.close(), other?.close()]);
  });

  /** Cuts both relays, one after the other, while a text is spoken. */
  async function expectSpeechGoesOn(page: { evaluate<R>(act: () => R | Promise<R>): Promise<R> }): Promise<void> {
    await page.evaluate(beginSpeech);
    await turn.close();
    turn = await openTurnServer(turn.secret, turn.port);
    await other.close();
    other = await openTurnServer(turn.secret, other.port);
    const seen = await page.evaluate(endSpeech);
    expect(seen).toEqual({
      outcomes: ['spoken', 'spoken'],
      isReplaced: true,
      kinds: ['audio live', 'video live'],
      relayed: true,
      events: ['speech.started', 'speech.ended', 'speech.started', 'speech.ended'],
    });
    await expect.poll(async () => (await twoRelays.call('GET', '/streams')).body.total).toBe(0);
  }

  function expectRelayed(seen: Awaited<ReturnType<typeof watchRelayed>>, over: 'udp' | 'tcp'): asserts seen is Seen {
    if ('error' in seen) throw new Error(`${seen.error}\n${turn.log().slice(-3000)}`);
    console.info(`live stream through a relay over ${over}`, JSON.stringify(seen));
    expect(seen.outcome).toBe('spoken');
    expect(seen.stats).toMatchObject({ relayed: true, width: 512 });
    expect(seen.shown).toBeGreaterThan(10);
    const [expires, id] = String(seen.username).split(':');
    expect(id).toBe(seen.id);
    expect(Number(expires) * 1000).toBeGreaterThan(Date.now());
  }

  describe.runIf(chromiumIsThere)('in Chromium', () => {
    let browser: Browser;
    let page: Page;
    beforeAll(async () => {
      browser = await launchChromium();
      page = await browser.newPage();
      await page.goto(server.pageUrl);
      await page.evaluate(exposeSdk);
    });
    afterAll(() => browser?.close());

    it.each(['udp', 'tcp'] as const)(
      'plays through the relay over %s, with credentials made for this stream',
      async (over) => {
        const seen = await page.evaluate(watchRelayed, { over, forged: false });
        expectRelayed(seen, over);
        expect(seen.protocols).toContain(over);
      },
    );

    it('goes on with the same text, queue and stream when its relay ends', async () => {
      const viewer = await browser.newPage();
      await viewer.goto(twoRelays.pageUrl);
      await viewer.evaluate(exposeSdk);
      await expectSpeechGoesOn(viewer);
      await viewer.close();
    });

    describe('in the widget, when its network changes', () => {
      const state = () => widget.locator('figurehead-presenter').getAttribute('state');
      const count = (type: string) =>
        widget.evaluate((wanted) => {
          const { seen } = window as unknown as { seen: string[] };
          return seen.filter((one) => one === wanted).length;
        }, type);
      /** Says something again and again until the viewer's page gets the event of its start. */
      const expectSpeech = async () => {
        const before = await count('speaking');
        const speak = async () => {
          if ((await state()) === 'live')
            await widget.locator('figurehead-presenter').evaluate(async (element) => {
              // Refused while the stream of the lost connection has too much to say.
              await (element as FigureheadPresenter).say('I am here.').catch(() => undefined);
            });
          return count('speaking');
        };
        await expect.poll(speak, { interval: 1000 }).toBeGreaterThan(before);
      };
      let widget: Page;
      beforeEach(async () => {
        const { body } = await twoRelays.call('POST', '/client-tokens', {
          origins: [new URL(twoRelays.pageUrl).origin],
          avatarCode: 'nora',
        });
        widget = await browser.newPage();
        await widget.goto(twoRelays.pageUrl);
        await widget.evaluate(openWidget, { base: twoRelays.base, token: body.token });
        await widget.getByRole('button', { name: 'Start: Nora' }).click();
        await expectSpeech();
      });
      afterEach(() => widget.close());

      it('goes on over the other relay when one of the two ends', async () => {
        await turn.close();
        await expectSpeech();
        turn = await openTurnServer(turn.secret, turn.port);
        await other.close();
        await expectSpeech();
        other = await openTurnServer(turn.secret, other.port);
        expect(await count('ended')).toBe(0);
      });

      it('comes back by itself when it had no route for a while', async () => {
        await Promise.all([turn.close(), other.close()]);
        await expect.poll(state).toBe('reconnecting');
        [turn, other] = (await Promise.all([turn, other].map(({ secret, port }) => openTurnServer(secret, port)))) as [
          TurnServer,
          TurnServer,
        ];
        await expectSpeech();
        expect([await count('ended'), await count('error')]).toEqual([0, 0]);
        const open = async () => (await twoRelays.call('GET', '/streams')).body.total;
        await expect.poll(open).toBe(1);
      });
    });

    it('does not play without credentials of this server', async () => {
      const seen = await page.evaluate(watchRelayed, { over: 'udp' as const, forged: true });
      expect(seen).toEqual({ error: expect.stringContaining('connect') });
      expect((await server.call('GET', '/streams')).body.total).toBe(0);
    });
  });

  describe.runIf(firefoxIsThere)('in Firefox', () => {
    let page: FirefoxPage;
    beforeAll(async () => {
      page = await launchFirefox();
      await page.goto(server.pageUrl);
      await page.evaluate(exposeSdk, undefined);
    });
    afterAll(() => page?.close());

    it('goes on with the same text, queue and stream when its relay ends', async () => {
      await page.goto(twoRelays.pageUrl);
      await page.evaluate(exposeSdk, undefined);
      await expectSpeechGoesOn({ evaluate: (act) => page.evaluate(act, undefined) });
      await page.goto(server.pageUrl);
      await page.evaluate(exposeSdk, undefined);
    });

    it.each(['udp', 'tcp'] as const)('plays through the relay over %s', async (over) => {
      const seen = await page.evaluate(watchRelayed, { over, forged: false });
      expectRelayed(seen, over);
    });
  });
});
