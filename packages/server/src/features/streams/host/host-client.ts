import { namesOf } from '@figurehead/contract/document/table';
import { Value } from '@sinclair/typebox/value';
import { Agent, type Dispatcher, request } from 'undici';
import { contextHeaders } from '../../../kernel/observability/call-context.js';
import {
  HEARTBEAT_MS,
  HostRefusal,
  type HostRequest,
  type HostResponse,
  OPERATIONS,
  type OperationName,
  REFUSAL_STATUS,
  type RefusalCode,
  SECRET_HEADER,
} from './host-protocol.js';

/** Deadlines for a host's response. Opening loads a presenter the first time; joining a room waits for another server. */
const DEADLINE_MS = 5000;
const OPEN_DEADLINE_MS = 15_000;
const CONNECT_WITHIN_MS = 2000;
const SLOW: ReadonlySet<OperationName> = new Set(['open', 'joinRoom']);
/** Connections to one host for short calls. In a burst, calls wait for one of these instead of opening a connection each. */
const CONNECTIONS = 32;

/** A host could not be reached. `gone`: its port is closed. `broken`: the connection ended before the answer. `silent`: it did not answer in time. */
export class HostUnreachable extends Error {
  constructor(
    readonly how: 'gone' | 'broken' | 'silent',
    options: ErrorOptions,
  ) {
    super(how === 'gone' ? 'the stream host’s port is closed' : 'the stream host did not answer', options);
    this.name = 'HostUnreachable';
  }
}

/** Sessions on other processes: the operations of the host at `hostUrl`. Every call throws {@link HostRefusal} or {@link HostUnreachable}. */
export type HostClient = {
  readonly [Name in OperationName]: (
    hostUrl: string,
    id: string,
    request: HostRequest<Name>,
  ) => Promise<HostResponse<Name>>;
} & {
  /** Events of a session until it ends or `signal` aborts. They end as well when the host is gone. */
  watch(hostUrl: string, id: string, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
  /** Closes the connections to hosts. */
  end(): Promise<void>;
};

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

  async function call(operation: OperationName, hostUrl: string, id: string, input: object): Promise<unknown> {
    const { method, path, response } = OPERATIONS[operation];
    const hasBody = method === 'POST' || method === 'PUT';
    const query = hasBody ? '' : new URLSearchParams({ ...input }).toString();
    const url = `${hostUrl}${path.replace('{id}', id)}${query === '' ? '' : `?${query}`}`;
    const { statusCode, text } = await exchange(url, {
      method,
      headers: {
        ...contextHeaders(),
        [SECRET_HEADER]: secret,
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
      },
      body: hasBody ? JSON.stringify(input) : null,
      signal: AbortSignal.timeout(SLOW.has(operation) ? OPEN_DEADLINE_MS : DEADLINE_MS),
      dispatcher: SLOW.has(operation) ? lasting : agent,
    });
    if (statusCode !== 200) throw refusalOf(statusCode, text);
    const output: unknown = JSON.parse(text);
    if (!Value.Check(response, output)) throw new Error(`the stream host's response to ${operation} is not valid`);
    return output;
  }

  type Call = (hostUrl: string, id: string, input: object) => Promise<unknown>;
  const calls = Object.fromEntries(
    namesOf(OPERATIONS).map((name): [OperationName, Call] => [name, (...to) => call(name, ...to)]),
  ) as Omit<HostClient, 'watch' | 'end'>;

  return {
    ...calls,
    async watch(hostUrl, id, signal) {
      const { statusCode, body } = await reach(`${hostUrl}/streams/${id}/events`, {
        headers: { ...contextHeaders(), [SECRET_HEADER]: secret },
        signal,
        dispatcher: lasting,
      });
      if (statusCode !== 200) throw refusalOf(statusCode, await body.text());
      return readLines(body);
    },
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
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isBroken = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
  return new HostUnreachable(code === 'ECONNREFUSED' ? 'gone' : isBroken ? 'broken' : 'silent', { cause: error });
}

/** The objects of a body, one JSON text a line; a connection that breaks ends them. */
async function* readLines(body: Dispatcher.ResponseData['body']): AsyncGenerator<unknown, void, void> {
  let rest = '';
  for await (const chunk of textOf(body)) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
}

/** The text of a body until it ends, its connection breaks, or the reader stops. */
async function* textOf(body: Dispatcher.ResponseData['body']): AsyncGenerator<string, void, void> {
  // A body whose reader has stopped emits an error afterwards: the request was aborted. Without a listener it would end the process.
  body.on('error', () => undefined);
  try {
    for await (const chunk of body.setEncoding('utf8')) yield chunk as string;
  } catch (error) {
    if (!body.destroyed) throw error;
  }
}

function refusalOf(statusCode: number, text: string): Error {
  const { code, message } = JSON.parse(text) as { code?: string; message?: string };
  const isKnown = code !== undefined && code in REFUSAL_STATUS;
  if (!isKnown) return new Error(`the stream host answered ${statusCode}: ${message ?? text}`);
  return new HostRefusal(code as RefusalCode, message ?? '');
}
