import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { hasChromium, launchChromium } from '../../support/chromium.js';
import { type FirefoxPage, hasFirefox, launchFirefox } from '../../support/firefox.js';
import { type LanguageModel, openLanguageModel } from '../../support/language-model.js';
import { type LiveServer, openLiveServer } from '../../support/live-server.js';
import { hasLiveKitServer, type LiveKitServer, openLiveKitServer } from '../../support/livekit-server.js';
import { hasTurnServer, openTurnServer, type TurnServer } from '../../support/turn-server.js';

/** Shared by the scenarios of streams: one server and one of each browser, for all of them. */
export interface StreamStage {
  /** What is installed here; scenarios skip what needs the rest. */
  readonly has: {
    readonly chromium: boolean;
    readonly firefox: boolean;
    readonly relays: boolean;
    readonly liveKit: boolean;
  };
  readonly server: () => LiveServer;
  readonly models: () => LanguageModel;
  /** Scenarios start those that they closed again. */
  readonly relays: () => Relays;
  /** A LiveKit server whose rooms streams may join. */
  readonly liveKit: () => LiveKitServer;
  /** Scenarios close their pages, so that these do not go on decoding, and leave Firefox's. */
  readonly chromium: () => Browser;
  readonly firefox: () => FirefoxPage;
  /** Path of the WAV file that Chromium's microphone plays over and over; a scenario writes it. */
  readonly microphone: () => string;
}

/** Two TURN servers with the same secret. */
export interface Relays {
  first: TurnServer;
  second: TurnServer;
}

/** What a test file opens once. */
export interface StreamFixture {
  /** With the language model and the recogniser of `models`; its viewers can reach both relays, the first one over UDP and over TCP. */
  readonly server: LiveServer;
  readonly models: LanguageModel;
  // Undefined where it is not installed.
  readonly relays: Relays | undefined;
  readonly liveKit: LiveKitServer | undefined;
  readonly chromium: Browser | undefined;
  readonly firefox: FirefoxPage | undefined;
  readonly microphone: string;
  close(): Promise<void>;
}

/** Finds out what is installed. @param fixture is opened later. */
export function makeStage(fixture: () => StreamFixture): StreamStage {
  return {
    has: { chromium: hasChromium(), firefox: hasFirefox(), relays: hasTurnServer(), liveKit: hasLiveKitServer() },
    server: () => fixture().server,
    models: () => fixture().models,
    relays: () => installed(fixture().relays),
    liveKit: () => installed(fixture().liveKit),
    chromium: () => installed(fixture().chromium),
    firefox: () => installed(fixture().firefox),
    microphone: () => fixture().microphone,
  };
}

function installed<T>(program: T | undefined): T {
  if (program === undefined) throw new Error('a scenario needs a program that is not installed here');
  return program;
}

/** Starts everything once for a test file. */
export async function openStreamFixture({ has }: Pick<StreamStage, 'has'>): Promise<StreamFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'fh-streams-'));
  const microphone = join(folder, 'microphone.wav');
  const models = await openLanguageModel();
  const relays = has.relays ? await openRelays('a secret that only coturn and we know') : undefined;
  const liveKit = has.liveKit ? await openLiveKitServer() : undefined;
  const [server, chromium, firefox] = await Promise.all([
    openLiveServer({
      FIGUREHEAD_LLM_URL: models.url,
      FIGUREHEAD_STT_URL: models.url,
      FIGUREHEAD_STREAM_CAPACITY: '8',
      // On a busy machine fifty presenters take longer to start than a silent stream lives.
      FIGUREHEAD_STREAM_IDLE_SECONDS: '3600',
      // The only address that the relays can reach.
      FIGUREHEAD_RTC_ADDRESS: '127.0.0.1',
      ...(liveKit && { FIGUREHEAD_LIVEKIT_URLS: liveKit.url }),
      ...(relays && {
        FIGUREHEAD_TURN_URLS: [relays.first.urls.udp, relays.first.urls.tcp, relays.second.urls.udp].join(),
        FIGUREHEAD_TURN_SECRET: relays.first.secret,
      }),
    }),
    has.chromium ? launchChromium({ microphone }) : undefined,
    has.firefox ? launchFirefox() : undefined,
  ]);
  return {
    server,
    models,
    relays,
    liveKit,
    chromium,
    firefox,
    microphone,
    async close() {
      await Promise.all([chromium?.close(), firefox?.close()]);
      await Promise.all([server.close(), models.close()]);
      await Promise.all([relays?.first.close(), relays?.second.close(), liveKit?.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openRelays(secret: string): Promise<Relays> {
  return { first: await openTurnServer(secret), second: await openTurnServer(secret) };
}
