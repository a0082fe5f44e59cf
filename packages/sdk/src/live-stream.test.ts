import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from '../../../tests/support/chromium.js';
import type * as Sdk from './index.js';
import type { Figurehead, LiveStream, LiveStreamOptions } from './index.js';

// Both ends of a real WebRTC connection are in one page of a real browser: the SDK's compiled code on one side, and on
// the other a peer that offers picture, sound and the channel `events`, like the server.

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const ENDPOINTS = fileURLToPath(import.meta.resolve('@figurehead/contract/endpoints'));
/** Without a bundler, a page has to know where the module of the contract is. */
const PAGE = `<script type="importmap">{"imports": {"@figurehead/contract/endpoints": "/contract/endpoints.js"}}</script>
  <video autoplay playsinline></video>`;

type Calls = Pick<
  Figurehead,
  | 'createStream'
  | 'answerStream'
  | 'reconnectStream'
  | 'addCandidate'
  | 'speak'
  | 'openUtterance'
  | 'appendText'
  | 'openSoundSocket'
  | 'readStream'
  | 'interrupt'
  | 'closeStream'
  | 'converse'
>;

/** Properties of the page's `window` for the tests. */
interface PageGlobals {
  readonly sdk: typeof Sdk;
  readonly video: HTMLVideoElement;
  readonly calls: Calls;
  /** Received calls, in order. */
  readonly log: string[];
  /** The server's end of the connection. */
  readonly peer: RTCPeerConnection;
  /** Resolves when the server can send events. */
  readonly channelOpen: Promise<unknown>;
  send(event: object): void;
  open(options?: LiveStreamOptions): Promise<LiveStream>;
  stream?: LiveStream;
}

/** Runs in the page. */
function setStage(sdk: typeof Sdk): void {
  const log: string[] = [];
  const peer = new RTCPeerConnection();
  const channel = peer.createDataChannel('events');
  const channelOpen = new Promise((resolve) => {
    channel.onopen = resolve;
  });
  const send = (event: object) => channel.send(JSON.stringify(event));
  const video = document.querySelector('video') as HTMLVideoElement;

  const canvas = document.createElement('canvas');
  canvas.width = 320;
  canvas.height = 180;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  setInterval(() => {
    context.fillStyle = `hsl(${performance.now() % 360} 80% 50%)`;
    context.fillRect(0, 0, 320, 180);
  }, 40);
  const audio = new AudioContext();
  const sound = audio.createMediaStreamDestination();
  const tone = audio.createOscillator();
  tone.connect(sound);
  tone.start();
  for (const track of [...canvas.captureStream(25).getTracks(), ...sound.stream.getTracks()]) peer.addTrack(track);

  let spoken = 0;
  const ended = new Set<string>();
  const calls = {
    async createStream(input: { body?: object }) {
      log.push(`create ${JSON.stringify(input.body)}`);
      await peer.setLocalDescription(await peer.createOffer());
      // The offer contains all of the server's candidates.
      await new Promise<void>((resolve) => {
        peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve();
        if (peer.iceGatheringState === 'complete') resolve();
      });
      return { id: 's1', webrtcData: { offer: { type: 'offer', sdp: peer.localDescription?.sdp }, iceServers: [] } };
    },
    async answerStream({ body }: { body: { answer: RTCSessionDescriptionInit } }) {
      log.push('answer');
      await peer.setRemoteDescription(body.answer);
      return { status: 'ok' };
    },
    async addCandidate({ body }: { body: { candidate: RTCIceCandidateInit | null } }) {
      log.push(body.candidate === null ? 'candidates end' : 'candidate');
      if (peer.remoteDescription && body.candidate) await peer.addIceCandidate(body.candidate);
      return { status: 'ok' };
    },
    async speak({ body }: { body: { text: string } }) {
      spoken += 1;
      const id = `u${spoken}`;
      log.push(`speak ${body.text}`);
      send({ type: 'speech.started', id, at: 10 });
      if (body.text === 'unspeakable') {
        send({ type: 'speech.interrupted', id, at: 20, reason: 'failed', error: 'The voice has no such letters.' });
      }
      // The end arrives before the answer to the call.
      if (body.text === 'short') send({ type: 'speech.ended', id, at: 20 });
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { accepted: true, id, position: 0 };
    },
    async openUtterance() {
      spoken += 1;
      const id = `u${spoken}`;
      log.push('open');
      send({ type: 'speech.started', id, at: 10 });
      return { accepted: true, id, position: 0 };
    },
    async appendText({ utteranceId: id, body }: { utteranceId: string; body: Sdk.TextPiece }) {
      if (ended.has(id)) throw new sdk.NotFoundError('ended', { status: 404, requestId: '', method: 'PUT', url: '' });
      log.push(`piece ${id} ${body.index} ${JSON.stringify(body.text)}${body.isLast ? ' last' : ''}`);
      if (body.isLast) send({ type: 'speech.ended', id, at: 20 });
      // Pieces that arrive during the call go with the next one.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { accepted: true, id };
    },
    async interrupt({ query }: { query?: object }) {
      log.push(`interrupt ${JSON.stringify(query)}`);
      ended.add(`u${spoken}`);
      send({ type: 'speech.interrupted', id: `u${spoken}`, at: 30 });
      return { interrupted: true, dropped: 0 };
    },
    async converse({ body: { callId, result } }: { body: { callId?: string; result?: unknown } }) {
      log.push(`result ${callId} ${result}`);
      const details = { status: 429, requestId: '', method: 'POST', url: '' };
      const isFirst = log.filter((one) => one === `result ${callId} ${result}`).length === 1;
      if (result === 'late' && isFirst) throw new sdk.RateLimitError('overloaded', 1, details);
      if (result === 'unwanted') throw new sdk.NotFoundError('no such call waits', { ...details, status: 404 });
      if (callId === 'last') send({ type: 'speech.ended', id: 'u1', at: 20 });
      return { accepted: true };
    },
    async closeStream() {
      log.push('close');
      return { id: 's1', deleted: true };
    },
  } as unknown as Calls;

  const stage: PageGlobals = {
    sdk,
    video,
    calls,
    log,
    peer,
    channelOpen,
    send,
    open: async (options = {}) => {
      const stream = await sdk.LiveStream.open(calls, { video, connectTimeoutMs: 120_000, ...options });
      // The calls send events at once.
      await channelOpen;
      return stream;
    },
  };
  Object.assign(window, { stage });
}

declare const stage: PageGlobals;

describe.runIf(hasChromium())('LiveStream', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launchChromium({ flags: ['--allow-loopback-in-peer-connection'] });
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    page = await browser.newPage();
    page.on('pageerror', (error) => console.error('page:', error.message));
    await page.route('http://sdk.test/**', async (route) => {
      const name = new URL(route.request().url()).pathname.slice(1);
      if (name === '') return route.fulfill({ contentType: 'text/html', body: PAGE });
      const file = name === 'contract/endpoints.js' ? ENDPOINTS : DIST + name;
      return route.fulfill({ contentType: 'text/javascript', body: await readFile(file, 'utf8') });
    });
    await page.goto('http://sdk.test/');
    await page.addScriptTag({
      type: 'module',
      content: `import * as sdk from '/index.js'; (${setStage.toString()})(sdk);`,
    });
    await page.waitForFunction(() => 'stage' in window);
  });
  afterEach(() => page.close());

  it('connects, plays picture and sound, and closes both ends', async () => {
    await page.evaluate(async () => {
      stage.stream = await stage.open({ avatarCode: 'nora', width: 320 });
    });
    await page.waitForFunction(() => stage.video.currentTime > 0.3 && stage.video.videoWidth === 320);
    const during = await page.evaluate(() => ({
      state: stage.stream?.peer.connectionState,
      tracks: stage.stream?.media.getTracks().map(({ kind }) => kind),
      log: stage.log,
    }));
    expect(during.state).toBe('connected');
    expect(during.tracks?.sort()).toEqual(['audio', 'video']);
    expect(during.log[0]).toBe('create {"avatarCode":"nora","width":320}');
    expect(during.log).toContain('answer');
    expect(during.log).toContain('candidate');

    const after = await page.evaluate(async () => {
      const reasons: string[] = [];
      stage.stream?.on('closed', ({ reason }) => reasons.push(reason));
      await Promise.all([stage.stream?.close(), stage.stream?.close()]);
      await stage.stream?.close();
      const { stream, video, log } = stage;
      return {
        state: stream?.peer.connectionState,
        source: video.srcObject,
        reasons,
        closes: log.filter((one) => one === 'close'),
      };
    });
    expect(after).toEqual({ state: 'closed', source: null, reasons: ['closed by the client'], closes: ['close'] });
  });

  // Proves: D.streams.15
  it('speaks, emits events, and lets callers await or interrupt an utterance', async () => {
    const result = await page.evaluate(async () => {
      const stream = await stage.open();
      const heard: string[] = [];
      for (const type of ['speech.started', 'speech.ended', 'speech.interrupted'] as const) {
        stream.on(type, ({ id }) => heard.push(`${type} ${id}`));
      }
      const thirdStarted = new Promise<void>((resolve) => {
        stream.on('speech.started', ({ id }) => id === 'u3' && resolve());
      });
      // The channel opens a moment after the connection.
      await stage.channelOpen;
      const short = await (await stream.speak('short')).finished;
      const long = await stream.speak('long');
      const interrupted = await stream.interrupt({ scope: 'current' });
      const third = await stream.speak('third');
      const ends = [short, await long.finished];
      // Events arrive after the answers of the calls; closing ends the channel.
      await thirdStarted;
      await stream.close();
      return { heard, ends, interrupted, position: long.position, last: await third.finished, log: stage.log };
    });
    expect(result.ends).toEqual(['spoken', 'interrupted']);
    expect(result.last).toBe('closed');
    expect(result.interrupted).toEqual({ interrupted: true, dropped: 0 });
    expect(result.log).toContain('interrupt {"scope":"current"}');
    expect(result.heard).toEqual([
      'speech.started u1',
      'speech.ended u1',
      'speech.started u2',
      'speech.interrupted u2',
      'speech.started u3',
    ]);
  });

  it('emits what happened before its caller could listen', async () => {
    const told = await page.evaluate(async () => {
      const answerStream: Calls['answerStream'] = async (input) => {
        const answered = await stage.calls.answerStream(input);
        await stage.channelOpen;
        stage.send({ type: 'conversation.state', id: 's1', at: 10, state: 'speaking' });
        stage.send({ type: 'conversation.said', id: 'c1', at: 20, text: 'Welcome.' });
        // Time in which both arrive.
        await new Promise((resolve) => setTimeout(resolve, 300));
        return answered;
      };
      const stream = await stage.sdk.LiveStream.open({ ...stage.calls, answerStream });
      const events: unknown[] = [];
      stream.on('conversation.state', ({ state }) => events.push(state));
      const said = new Promise<void>((resolve) => {
        stream.on('conversation.said', ({ text }) => resolve(void events.push(text)));
      });
      await said;
      await stream.close();
      return events;
    });
    expect(told).toEqual(['speaking', 'Welcome.']);
  });

  it('distinguishes failed from interrupted speech, with the reason', async () => {
    const result = await page.evaluate(async () => {
      const stream = await stage.open();
      const errors: (string | undefined)[] = [];
      stream.on('speech.interrupted', ({ error }) => errors.push(error));
      await stage.channelOpen;
      const outcome = await (await stream.speak('unspeakable')).finished;
      return { outcome, errors };
    });
    expect(result).toEqual({ outcome: 'failed', errors: ['The voice has no such letters.'] });
  });

  it('sends a text in pieces, with what arrives during a call in one, and ends it with its source', async () => {
    const seen = await page.evaluate(async () => {
      const stream = await stage.open();
      await stage.channelOpen;
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      async function* tokens() {
        yield 'Hel';
        await held;
        yield* ['lo \ud83d', '\ude00', '', ' there.'];
      }
      const spoken = await stream.speak(tokens());
      while (!stage.log.includes('piece u1 0 "Hel"')) await new Promise((resolve) => setTimeout(resolve, 5));
      release();
      const outcome = await spoken.finished;
      await spoken.sent;

      async function* broken() {
        yield 'Half of it';
        throw new Error('the model is gone');
      }
      const failing = await stream.speak(broken());
      const reason = await failing.sent.catch(({ message }: Error) => message);
      const log = stage.log.filter((line) => line.startsWith('piece u1'));
      const ends = stage.log
        .filter((line) => line.startsWith('piece u2'))
        .at(-1)
        ?.endsWith('last');
      return { outcome, reason, rest: await failing.finished, ends, log };
    });
    expect(seen).toEqual({
      outcome: 'spoken',
      reason: 'the model is gone',
      rest: 'spoken',
      ends: true,
      log: ['piece u1 0 "Hel"', 'piece u1 1 "lo 😀 there." last'],
    });
  });

  it('stops reading a text in pieces when it is interrupted', async () => {
    const seen = await page.evaluate(async () => {
      const stream = await stage.open();
      let isDone = false;
      async function* endless() {
        try {
          for (;;) {
            yield 'and on ';
            await new Promise((resolve) => setTimeout(resolve, 10));
          }
        } finally {
          isDone = true;
        }
      }
      const spoken = await stream.speak(endless());
      await stream.interrupt();
      await spoken.sent;
      while (!isDone) await new Promise((resolve) => setTimeout(resolve, 5));
      return await spoken.finished;
    });
    expect(seen).toBe('interrupted');
  });

  it('reports statistics of what it plays', async () => {
    const stats = await page.evaluate(async () => {
      stage.stream = await stage.open();
      for (;;) {
        const seen = await stage.stream.stats();
        // All figures are there once pictures have been shown for a while.
        if (stage.video.currentTime > 1.5 && (seen.framesPerSecond ?? 0) > 0) return seen;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    expect(stats).toMatchObject({ codec: expect.stringMatching(/^video\//), width: 320, relayed: false, loss: 0 });
    expect(stats.roundTripMs).toBeGreaterThanOrEqual(0);
  });

  it('returns the result of a tool until it arrives, and no longer when the server does not wait for it', async () => {
    const log = await page.evaluate(async () => {
      const stream = await stage.open({ tools: { say: (given: string) => given } });
      const speech = await stream.speak('long');
      for (const given of ['unwanted', 'late']) {
        stage.send({
          type: 'conversation.tool',
          id: given === 'late' ? 'last' : 'first',
          name: 'say',
          arguments: given,
        });
      }
      // The second time the call is accepted, and ends the speech here.
      await speech.finished;
      await stream.close();
      return stage.log.filter((one) => one.startsWith('result'));
    });
    expect(log).toEqual(['result first unwanted', 'result last late', 'result last late']);
  });

  it('ends when the server closes it, and ignores unknown messages', async () => {
    const reason = await page.evaluate(async () => {
      const stream = await stage.open();
      const closed = new Promise<string>((resolve) => stream.on('closed', (event) => resolve(event.reason)));
      await stage.channelOpen;
      stage.send({ type: 'of.a.later.version', at: 1 });
      stage.send([1, 2]);
      stage.send({ type: 'stream.closing', at: 2, reason: 'idle for 120 s' });
      return closed;
    });
    expect(reason).toBe('idle for 120 s');
  });

  it('closes everything when opening fails, is aborted, or takes too long', async () => {
    const result = await page.evaluate(async () => {
      const peers: RTCPeerConnection[] = [];
      const createPeerConnection = (configuration: RTCConfiguration) => {
        const one = new RTCPeerConnection(configuration);
        peers.push(one);
        return one;
      };
      const failing = (answer: () => Promise<{ status: 'ok' }>, options: LiveStreamOptions) =>
        stage.sdk.LiveStream.open({ ...stage.calls, answerStream: answer }, { createPeerConnection, ...options }).then(
          () => 'opened',
          (error: Error) => error.message,
        );
      const swallow = async () => ({ status: 'ok' as const });
      const messages = [
        await failing(() => Promise.reject(new Error('refused')), {}),
        await failing(swallow, { connectTimeoutMs: 200 }),
        await failing(swallow, { signal: AbortSignal.timeout(200) }),
      ];
      const leaving = new AbortController();
      const createStream: typeof stage.calls.createStream = async (input) => {
        leaving.abort(new Error('left'));
        return stage.calls.createStream(input);
      };
      const opening = stage.sdk.LiveStream.open(
        { ...stage.calls, createStream, answerStream: swallow },
        { createPeerConnection, signal: leaving.signal },
      );
      messages.push(
        await opening.then(
          () => 'opened',
          (error: Error) => error.message,
        ),
      );
      return {
        messages,
        states: peers.map((one) => one.connectionState),
        closes: stage.log.filter((one) => one === 'close').length,
      };
    });
    expect(result.messages[0]).toBe('refused');
    expect(result.messages[1]).toMatch(/did not connect within 200 ms/);
    expect(result.messages[2]).toMatch(/timed out/);
    expect(result.messages[3]).toBe('left');
    expect(result.states).toEqual(['closed', 'closed', 'closed', 'closed']);
    expect(result.closes).toBe(4);
  });
});
