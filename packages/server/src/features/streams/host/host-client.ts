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

export interface SessionAddress {
  readonly hostUrl: string;
  readonly id: string;
}

/** Sessions on other processes. Every call throws {@link HostRefusal} or {@link HostUnreachable}. The creator ends it. */
export class HostClient {
  // Connections are reused: a new one for each text would take longer than the rest of the call.
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_WITHIN_MS },
    connections: CONNECTIONS,
    keepAliveTimeout: 4000,
  });
  /** Openings, which may load a presenter, and readers of events keep a connection each: short calls do not wait for them. */
  readonly #lasting = new Agent({ connect: { timeout: CONNECT_WITHIN_MS }, bodyTimeout: 3 * HEARTBEAT_MS });

  /** @param secret shared by API and hosts. */
  constructor(private readonly secret: string) {}

  async call<Name extends OperationName>(
    name: Name,
    { hostUrl, id }: SessionAddress,
    input: HostRequest<Name>,
  ): Promise<HostResponse<Name>> {
    const { method, path, response } = OPERATIONS[name];
    const hasBody = method === 'POST' || method === 'PUT';
    const query = hasBody ? '' : new URLSearchParams(input as Record<string, string>).toString();
    const isSlow = SLOW.has(name);
    const text = await this.#request(`${hostUrl}${path.replace('{id}', id)}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: hasBody ? { 'content-type': 'application/json' } : {},
      body: hasBody ? JSON.stringify(input) : null,
      signal: AbortSignal.timeout(isSlow ? OPEN_DEADLINE_MS : DEADLINE_MS),
      dispatcher: isSlow ? this.#lasting : this.#agent,
    }).then((body) => body.text().catch(unreachable));
    const output: unknown = JSON.parse(text);
    if (!Value.Check(response, output)) throw new Error(`the stream host's response to ${name} is not valid`);
    return output as HostResponse<Name>;
  }

  /** Events of a session until it ends or `signal` aborts. They end as well when the host is gone. */
  async watch({ hostUrl, id }: SessionAddress, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    return readLines(
      await this.#request(`${hostUrl}/streams/${id}/events`, { headers: {}, signal, dispatcher: this.#lasting }),
    );
  }

  /** Closes the connections to hosts. */
  async end(): Promise<void> {
    await Promise.all([this.#agent.destroy(), this.#lasting.destroy()]);
  }

  async #request(
    url: string,
    { headers, ...options }: NonNullable<Parameters<typeof request>[1]> & { headers: Record<string, string> },
  ): Promise<Dispatcher.ResponseData['body']> {
    const own = { ...contextHeaders(), [SECRET_HEADER]: this.secret };
    const { statusCode, body } = await request(url, { ...options, headers: { ...own, ...headers } }).catch(unreachable);
    if (statusCode !== 200) throw refusalOf(statusCode, await body.text().catch(unreachable));
    return body;
  }
}

function unreachable(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isBroken = code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
  throw new HostUnreachable(code === 'ECONNREFUSED' ? 'gone' : isBroken ? 'broken' : 'silent', { cause: error });
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
