import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { SpeechError } from '../../contract.js';
import {
  type AzureEvent,
  CLIENT_CONFIG,
  eventsOf,
  newId,
  readMessage,
  synthesisContext,
  writeMessage,
} from './azure-messages.js';
import { refusal } from './request.js';

/** Result of one turn: raw sound, and the times of its words and visemes, in order. */
export interface AzureTurn {
  readonly pcm: Buffer;
  readonly events: readonly AzureEvent[];
}

/** The service or a proxy refuses WebSockets; only the REST interface remains. */
export class NoSocket extends Error {
  override readonly name = 'NoSocket';
}

/** URL of the socket and the headers of its opening request. */
interface Access {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PATH = '/tts/cognitiveservices/websocket/v1';

/** Deadlines for opening a connection and for a sentence. */
const CONNECT_MS = 5000;
const TURN_MS = 30_000;

/** Time for which an idle connection is reused; the service closes it after some minutes. */
const IDLE_MS = 60_000;
const MAX_IDLE = 2;

/** Maximum size of a message and of a turn, bytes. */
const MAX_MESSAGE = 4 * 1024 * 1024;
const MAX_TURN = 64 * 1024 * 1024;

/** Close code of the service for a rate limit, like HTTP's 429. */
const TOO_MANY = 4429;

/**
 * Azure AI Speech's WebSocket protocol, as in its SDKs (github.com/microsoft/cognitive-services-speech-sdk-js,
 * SpeechSynthesisConnectionFactory): a turn is `speech.config`, `synthesis.context`, `ssml`; the answer `audio` and `audio.metadata` until
 * `turn.end`. Connections are reused. The creator closes it.
 */
export class AzureSocket {
  readonly #access: Access;
  readonly #idle = new Map<WebSocket, NodeJS.Timeout>();
  #isClosed = false;

  /** @param base of the service, http or https. */
  constructor(base: string, headers: Readonly<Record<string, string>>) {
    this.#access = { url: `${base.replace(/^http/, 'ws')}${PATH}`, headers };
  }

  /** Speaks SSML. Throws {@link SpeechError}, {@link NoSocket}, or the signal's reason. */
  async speak(ssml: string, outputFormat: string, signal: AbortSignal): Promise<AzureTurn> {
    signal.throwIfAborted();
    const kept = this.#takeIdle();
    if (kept !== undefined) {
      try {
        return await this.#turn(kept, { ssml, outputFormat, signal });
      } catch (error) {
        // The service may just have closed the reused connection. An error in the text will occur on a new connection as well.
        signal.throwIfAborted();
        if (!(error instanceof SpeechError) || error.code !== 'provider_failed') throw error;
      }
    }
    return this.#turn(await connect(this.#access, signal), { ssml, outputFormat, signal });
  }

  async #turn(socket: WebSocket, order: TurnOrder): Promise<AzureTurn> {
    try {
      const turn = await takeTurn(socket, order);
      this.#keep(socket);
      return turn;
    } catch (error) {
      socket.terminate();
      throw error;
    }
  }

  /** Closes idle connections; busy ones close after their turn. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const [socket, timer] of this.#idle) {
      clearTimeout(timer);
      socket.terminate();
    }
    this.#idle.clear();
  }

  #takeIdle(): WebSocket | undefined {
    for (const [socket, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(socket);
      if (socket.readyState === socket.OPEN) return socket;
      socket.terminate();
    }
    return undefined;
  }

  #keep(socket: WebSocket): void {
    if (this.#isClosed || this.#idle.size >= MAX_IDLE || socket.readyState !== socket.OPEN) {
      socket.terminate();
      return;
    }
    const drop = (): void => {
      this.#idle.delete(socket);
      socket.terminate();
    };
    this.#idle.set(socket, setTimeout(drop, IDLE_MS).unref());
  }
}

async function connect({ url, headers }: Access, signal: AbortSignal): Promise<WebSocket> {
  const id = newId();
  const { WebSocket } = await import('ws');
  signal.throwIfAborted();
  const socket = new WebSocket(`${url}?X-ConnectionId=${id}`, {
    headers: { ...headers, 'x-connectionid': id },
    handshakeTimeout: CONNECT_MS,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
    followRedirects: false,
  });
  // The next turn checks the state, which shows an error between turns.
  socket.on('error', () => undefined);
  try {
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      socket.once('open', () => resolve());
      socket.once('error', (cause) => reject(new NoSocket('Azure could not be reached by WebSocket', { cause })));
      socket.once('unexpected-response', (_request, response) => {
        refusalOf(response).then(reject, reject);
      });
    });
  } catch (error) {
    socket.terminate();
    throw error;
  }
  return socket;
}

/** Refusals that REST would repeat, such as a wrong key, become errors; other failures only mean that WebSockets are unavailable. */
async function refusalOf(response: IncomingMessage): Promise<Error> {
  response.resume();
  const status = response.statusCode ?? 0;
  if (status === 401 || status === 403 || status === 429) return refusal('Azure', { status, detail: '' });
  return new NoSocket(`Azure answered ${status} to a WebSocket`);
}

interface TurnOrder {
  readonly ssml: string;
  readonly outputFormat: string;
  readonly signal: AbortSignal;
}

function takeTurn(socket: WebSocket, { ssml, outputFormat, signal }: TurnOrder): Promise<AzureTurn> {
  const requestId = newId();
  const sound: Buffer[] = [];
  const events: AzureEvent[] = [];
  let bytes = 0;
  return new Promise<AzureTurn>((resolve, reject) => {
    const fail = (message: string, code: SpeechError['code'] = 'provider_failed'): void => {
      end();
      reject(new SpeechError(code, message));
    };
    const hear = (data: Buffer, isBinary: boolean): void => {
      try {
        if (take(data, isBinary)) {
          end();
          resolve({ pcm: Buffer.concat(sound), events });
        }
      } catch (error) {
        end();
        reject(error);
      }
    };
    /** True when the turn is over. */
    const take = (data: Buffer, isBinary: boolean): boolean => {
      const message = readMessage(data, isBinary);
      if (message === undefined) throw new SpeechError('provider_failed', 'expected a message with headers from Azure');
      // Ignores late messages of an aborted turn.
      if (message.headers.get('x-requestid')?.toLowerCase() !== requestId) return false;
      const path = message.headers.get('path')?.toLowerCase();
      if (path === 'audio') {
        bytes += message.body.length;
        if (bytes > MAX_TURN) throw new SpeechError('provider_failed', `Azure sent more than ${MAX_TURN} bytes`);
        sound.push(message.body);
      }
      if (path === 'audio.metadata') events.push(...eventsOf(message.body));
      return path === 'turn.end';
    };
    const leave = (): void => {
      end();
      reject(signal.reason);
    };
    const close = (code: number, reason: Buffer): void => {
      const why = reason.length > 0 ? `: ${reason.toString('utf8')}` : '';
      if (code === TOO_MANY) fail(`Azure refused the request${why}`, 'rate_limited');
      else fail(`Azure closed the connection (${code})${why}`);
    };
    const late = setTimeout(() => fail(`Azure did not answer within ${TURN_MS / 1000} s`), TURN_MS);
    const end = (): void => {
      clearTimeout(late);
      socket.off('message', hear).off('close', close);
      signal.removeEventListener('abort', leave);
    };
    signal.addEventListener('abort', leave, { once: true });
    socket.on('message', hear).on('close', close);
    const json = 'application/json; charset=utf-8';
    socket.send(writeMessage('speech.config', { requestId, contentType: json, body: CLIENT_CONFIG }));
    socket.send(
      writeMessage('synthesis.context', { requestId, contentType: json, body: synthesisContext(outputFormat) }),
    );
    socket.send(writeMessage('ssml', { requestId, contentType: 'application/ssml+xml', body: ssml }));
  });
}
