import { createInterface } from 'node:readline';
import type { ConversationInput } from '@figurehead/contract';
import { Value } from '@sinclair/typebox/value';
import { Agent, type Dispatcher, request } from 'undici';
import { contextHeaders } from '../../../kernel/observability/call-context.js';
import {
  type Cut,
  HEARTBEAT_MS,
  HostRefusal,
  type HostRequest,
  type HostResponse,
  OPERATIONS,
  type Opened,
  type OpenRequest,
  type OperationName,
  type Piece,
  type Queued,
  REFUSAL_STATUS,
  type RefusalCode,
  SECRET_HEADER,
  type SessionStats,
  type SoundMessage,
  type SoundRequest,
  type SpeechRequest,
} from './host-protocol.js';

/** Deadlines for a host's response. Opening loads a presenter the first time. */
const DEADLINE_MS = 5000;
const OPEN_DEADLINE_MS = 15_000;
const CONNECT_WITHIN_MS = 2000;
/** Connections to one host for short calls. In a burst, calls wait for one of these instead of opening a connection each. */
const CONNECTIONS = 32;

/** A host could not be reached. `gone`: its port is closed. `silent`: it did not answer in time or broke the connection. */
export class HostUnreachable extends Error {
  constructor(
    readonly how: 'gone' | 'silent',
    options: ErrorOptions,
  ) {
    super(how === 'gone' ? 'the stream host’s port is closed' : 'the stream host did not answer', options);
    this.name = 'HostUnreachable';
  }
}

/** Sessions on other processes. Every call throws {@link HostRefusal} or {@link HostUnreachable}. */
export interface HostClient {
  open(hostUrl: string, session: OpenRequest): Promise<Opened>;
  reconnect(hostUrl: string, id: string, request: HostRequest<'reconnect'>): Promise<Opened>;
  answer(hostUrl: string, id: string, sdp: string): Promise<void>;
  /** Passes a viewer's own offer to the session. @returns its answer, SDP. */
  acceptOffer(hostUrl: string, id: string, sdp: string): Promise<string>;
  addCandidate(hostUrl: string, id: string, request: HostRequest<'addCandidate'>): Promise<void>;
  speak(hostUrl: string, id: string, request: SpeechRequest): Promise<Queued>;
  openUtterance(hostUrl: string, id: string, request: SpeechRequest): Promise<Queued>;
  appendText(hostUrl: string, id: string, piece: Piece): Promise<void>;
  openSound(hostUrl: string, id: string, request: SoundRequest): Promise<Queued>;
  /** @returns seconds of sound that may be sent now. */
  appendSound(hostUrl: string, id: string, piece: SoundMessage): Promise<number>;
  /** Events of a session until it ends or `signal` aborts. They end as well when the host is gone. */
  watch(hostUrl: string, id: string, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** Gives the conversation a text of the viewer, or the result of a tool call. */
  converse(hostUrl: string, id: string, input: ConversationInput): Promise<void>;
  interrupt(hostUrl: string, id: string, scope: 'all' | 'current'): Promise<Cut>;
  stats(hostUrl: string, id: string): Promise<SessionStats>;
  close(hostUrl: string, id: string): Promise<void>;
  /** Closes the connections to hosts. */
  end(): Promise<void>;
}

/** @param secret shared by API and hosts. The caller ends it. */
export function createHostClient(secret: string): HostClient {
  // Connections are reused: a new one for each text would take longer than the rest of the call.
  const agent = new Agent({
    connect: { timeout: CONNECT_WITHIN_MS },
    connections: CONNECTIONS,
    keepAliveTimeout: 4000,
  });

  // Openings, which may load a presenter, and readers of events keep a connection each: short calls do not wait for them.
  const lasting = new Agent({ connect: { timeout: CONNECT_WITHIN_MS }, bodyTimeout: 3 * HEARTBEAT_MS });

  async function call<Name extends OperationName>(
    to: { hostUrl: string; operation: Name; id?: string },
    input: HostRequest<Name>,
  ): Promise<HostResponse<Name>> {
    const { method, path, response } = OPERATIONS[to.operation];
    const hasBody = method === 'POST' || method === 'PUT';
    const query = hasBody ? '' : new URLSearchParams(input as Record<string, string>).toString();
    const url = `${to.hostUrl}${path.replace('{id}', to.id ?? '')}${query === '' ? '' : `?${query}`}`;
    const { statusCode, text } = await exchange(url, {
      method,
      headers: {
        ...contextHeaders(),
        [SECRET_HEADER]: secret,
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
      },
      body: hasBody ? JSON.stringify(input) : null,
      signal: AbortSignal.timeout(to.operation === 'open' ? OPEN_DEADLINE_MS : DEADLINE_MS),
      dispatcher: to.operation === 'open' ? lasting : agent,
    });
    if (statusCode !== 200) throw refusalOf(statusCode, text);
    const output: unknown = JSON.parse(text);
    if (!Value.Check(response, output)) throw new Error(`the stream host's response to ${to.operation} is not valid`);
    return output as HostResponse<Name>;
  }

  return {
    open: (hostUrl, session) => call({ hostUrl, operation: 'open' }, session),
    reconnect: (hostUrl, id, request) => call({ hostUrl, operation: 'reconnect', id }, request),
    answer: async (hostUrl, id, sdp) => void (await call({ hostUrl, operation: 'answer', id }, { sdp })),
    acceptOffer: async (hostUrl, id, sdp) => (await call({ hostUrl, operation: 'acceptOffer', id }, { sdp })).sdp,
    addCandidate: async (hostUrl, id, request) =>
      void (await call({ hostUrl, operation: 'addCandidate', id }, request)),
    speak: (hostUrl, id, request) => call({ hostUrl, operation: 'speak', id }, request),
    openUtterance: (hostUrl, id, request) => call({ hostUrl, operation: 'openUtterance', id }, request),
    appendText: async (hostUrl, id, piece) => void (await call({ hostUrl, operation: 'appendText', id }, piece)),
    openSound: (hostUrl, id, request) => call({ hostUrl, operation: 'openSound', id }, request),
    appendSound: async (hostUrl, id, piece) => (await call({ hostUrl, operation: 'appendSound', id }, piece)).seconds,
    async watch(hostUrl, id, signal) {
      const { statusCode, body } = await reach(`${hostUrl}/streams/${id}/events`, {
        headers: { ...contextHeaders(), [SECRET_HEADER]: secret },
        signal,
        dispatcher: lasting,
      });
      if (statusCode !== 200) throw refusalOf(statusCode, await body.text());
      return readLines(body);
    },
    converse: async (hostUrl, id, input) => void (await call({ hostUrl, operation: 'converse', id }, { input })),
    interrupt: (hostUrl, id, scope) => call({ hostUrl, operation: 'interrupt', id }, { scope }),
    stats: (hostUrl, id) => call({ hostUrl, operation: 'stats', id }, {}),
    close: async (hostUrl, id) => void (await call({ hostUrl, operation: 'close', id }, {})),
    end: async () => void (await Promise.all([agent.destroy(), lasting.destroy()])),
  };
}

async function exchange(
  url: string,
  options: Parameters<typeof request>[1],
): Promise<{ statusCode: number; text: string }> {
  const { statusCode, body } = await reach(url, options);
  try {
    return { statusCode, text: await body.text() };
  } catch (error) {
    throw unreachable(error);
  }
}

async function reach(url: string, options: Parameters<typeof request>[1]): ReturnType<typeof request> {
  try {
    return await request(url, options);
  } catch (error) {
    throw unreachable(error);
  }
}

function unreachable(error: unknown): HostUnreachable {
  const isGone = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
  return new HostUnreachable(isGone ? 'gone' : 'silent', { cause: error });
}

/** The objects of a body, one JSON text a line; a connection that breaks ends them. */
async function* readLines(body: Dispatcher.ResponseData['body']): AsyncGenerator<unknown, void, void> {
  const lines = createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY });
  body.on('error', () => lines.close());
  try {
    for await (const line of lines) if (line !== '') yield JSON.parse(line);
  } finally {
    body.destroy();
  }
}

function refusalOf(statusCode: number, text: string): Error {
  const { code, message } = JSON.parse(text) as { code?: string; message?: string };
  const isKnown = code !== undefined && code in REFUSAL_STATUS;
  if (!isKnown) return new Error(`the stream host answered ${statusCode}: ${message ?? text}`);
  return new HostRefusal(code as RefusalCode, message ?? '');
}
