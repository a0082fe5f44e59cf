import type * as Sdk from '@figurehead/sdk';
import type { FigureheadPresenter } from '@figurehead/sdk/widget';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exposeSdk } from '../../support/live-viewer.js';
import { openTurnServer } from '../../support/turn-server.js';
import type { StreamStage } from './stage.js';

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

/** Runs in the page: opens a stream with a small picture that can reach only the two relays over UDP, and begins a long text. */
async function beginSpeech() {
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  const video = document.querySelector('video') as HTMLVideoElement;
  const createPeerConnection = (given: RTCConfiguration): RTCPeerConnection => {
    const iceServers = (given.iceServers ?? []).map((server) => ({
      ...server,
      urls: [server.urls].flat().filter((url) => url.endsWith('transport=udp')),
    }));
    return new RTCPeerConnection({ iceServers, iceTransportPolicy: 'relay' });
  };
  const size = { width: 256, height: 256 };
  const stream = await LiveStream.open(client, { avatarCode: 'nora', ...size, video, createPeerConnection });
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

/** Runs in the page: a small widget that can reach only the two relays over UDP, and the events that it emits. */
function openWidget({ base, token }: { base: string; token: string }) {
  const Direct = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Direct {
    constructor(given?: RTCConfiguration) {
      const iceServers = (given?.iceServers ?? []).map((server) => ({
        ...server,
        urls: [server.urls].flat().filter((url) => url.endsWith('transport=udp')),
      }));
      super({ iceServers, iceTransportPolicy: 'relay' });
    }
  };
  const seen: string[] = [];
  for (const type of ['ready', 'speaking', 'error', 'ended']) document.addEventListener(type, () => seen.push(type));
  Object.assign(window, { seen });
  document.body.innerHTML = `<figurehead-presenter token="${token}" avatar="nora" label="Nora" style="inline-size: 200px"></figurehead-presenter>`;
  const script = Object.assign(document.createElement('script'), {
    type: 'module',
    src: `${base}/embed/figurehead.js`,
  });
  document.head.append(script);
}

type Seen = Exclude<Awaited<ReturnType<typeof watchRelayed>>, { error: string }>;

/** Streams to viewers whose only route is a relay, which may end. */
export function relayScenarios({ has, server, relays, chromium, firefox }: StreamStage): void {
  describe.runIf(has.relays)('a live stream to a viewer who can reach only the relay', () => {
    async function restart(relay: 'first' | 'second'): Promise<void> {
      const { secret, port } = relays()[relay];
      relays()[relay] = await openTurnServer(secret, port);
    }

    /** Cuts both relays, one after the other, while a text is spoken. */
    async function expectSpeechGoesOn(page: { evaluate<R>(act: () => R | Promise<R>): Promise<R> }): Promise<void> {
      await page.evaluate(beginSpeech);
      for (const relay of ['first', 'second'] as const) {
        await relays()[relay].close();
        await restart(relay);
      }
      const seen = await page.evaluate(endSpeech);
      expect(seen).toEqual({
        outcomes: ['spoken', 'spoken'],
        isReplaced: true,
        kinds: ['audio live', 'video live'],
        relayed: true,
        events: ['speech.started', 'speech.ended', 'speech.started', 'speech.ended'],
      });
      await expect.poll(async () => (await server().call('GET', '/streams')).body.total).toBe(0);
    }

    function expectRelayed(seen: Awaited<ReturnType<typeof watchRelayed>>, over: 'udp' | 'tcp'): asserts seen is Seen {
      if ('error' in seen) throw new Error(`${seen.error}\n${relays().first.log().slice(-3000)}`);
      console.info(`live stream through a relay over ${over}`, JSON.stringify(seen));
      expect(seen.outcome).toBe('spoken');
      expect(seen.stats).toMatchObject({ relayed: true, width: 512 });
      expect(seen.shown).toBeGreaterThan(10);
      const [expires, id] = String(seen.username).split(':');
      expect(id).toBe(seen.id);
      expect(Number(expires) * 1000).toBeGreaterThan(Date.now());
    }

    describe.runIf(has.chromium)('in Chromium', () => {
      let page: Page;
      beforeAll(async () => {
        page = await chromium().newPage();
        await page.goto(server().pageUrl);
        await page.evaluate(exposeSdk);
      });
      afterAll(() => page?.close());

      it.each(['udp', 'tcp'] as const)(
        'plays through the relay over %s, with credentials made for this stream',
        async (over) => {
          const seen = await page.evaluate(watchRelayed, { over, forged: false });
          expectRelayed(seen, over);
          expect(seen.protocols).toContain(over);
        },
      );

      it('does not play without credentials of this server', async () => {
        const seen = await page.evaluate(watchRelayed, { over: 'udp' as const, forged: true });
        expect(seen).toEqual({ error: expect.stringContaining('connect') });
        expect((await server().call('GET', '/streams')).body.total).toBe(0);
      });

      it('goes on with the same text, queue and stream when its relay ends', async () => {
        await expectSpeechGoesOn(page);
        await page.goto('about:blank');
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
          const { body } = await server().call('POST', '/client-tokens', {
            origins: [new URL(server().pageUrl).origin],
            avatarCode: 'nora',
          });
          widget = await chromium().newPage();
          await widget.goto(server().pageUrl);
          await widget.evaluate(openWidget, { base: server().base, token: body.token });
          await widget.getByRole('button', { name: 'Start: Nora' }).click();
          await expectSpeech();
        });
        afterEach(() => widget.close());

        it('goes on over the other relay when one of the two ends', async () => {
          for (const relay of ['first', 'second'] as const) {
            await relays()[relay].close();
            await expectSpeech();
            await restart(relay);
          }
          expect(await count('ended')).toBe(0);
        });

        it('comes back by itself when it had no route for a while', async () => {
          await Promise.all([relays().first.close(), relays().second.close()]);
          await expect.poll(state).toBe('reconnecting');
          await Promise.all([restart('first'), restart('second')]);
          await expectSpeech();
          expect([await count('ended'), await count('error')]).toEqual([0, 0]);
          const open = async () => (await server().call('GET', '/streams')).body.total;
          await expect.poll(open).toBe(1);
        });
      });
    });

    describe.runIf(has.firefox)('in Firefox', () => {
      beforeAll(async () => {
        await firefox().goto(server().pageUrl);
        await firefox().evaluate(exposeSdk, undefined);
      });
      afterAll(() => firefox().goto('about:blank'));

      it('goes on with the same text, queue and stream when its relay ends', async () => {
        await expectSpeechGoesOn({ evaluate: (act) => firefox().evaluate(act, undefined) });
      });

      it.each(['udp', 'tcp'] as const)('plays through the relay over %s', async (over) => {
        const seen = await firefox().evaluate(watchRelayed, { over, forged: false });
        expectRelayed(seen, over);
      });
    });
  });
}
