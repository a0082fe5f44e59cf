import { Agent, request } from 'undici';
import { contextHeaders } from '../../kernel/observability/call-context.js';
import {
  type CandidateRequest,
  type Cut,
  HostRefusal,
  type Opened,
  type OpenRequest,
  type Queued,
  REFUSAL_STATUS,
  type RefusalCode,
  SECRET_HEADER,
  type SpeechRequest,
} from './host-protocol.js';
import type { StreamStats } from './store.js';

/** A host that answers late is given up. Opening loads a presenter the first time. */
const DEADLINE_MS = 5000;
const OPEN_DEADLINE_MS = 15_000;
const CONNECT_WITHIN_MS = 2000;

/** A host could not be asked: `gone` nobody listens there any more, `silent` it did not answer in time or broke off. */
export class HostUnreachable extends Error {
  constructor(
    readonly how: 'gone' | 'silent',
    options: ErrorOptions,
  ) {
    super(how === 'gone' ? 'nobody listens at the stream host’s address' : 'the stream host did not answer', options);
    this.name = 'HostUnreachable';
  }
}

/** Sessions on other processes. Every call throws {@link HostRefusal} or {@link HostUnreachable}. */
export interface HostClient {
  open(hostUrl: string, session: OpenRequest): Promise<Opened>;
  answer(hostUrl: string, id: string, sdp: string): Promise<void>;
  addCandidate(hostUrl: string, id: string, request: CandidateRequest): Promise<void>;
  speak(hostUrl: string, id: string, request: SpeechRequest): Promise<Queued>;
  interrupt(hostUrl: string, id: string, scope: 'all' | 'current'): Promise<Cut>;
  stats(hostUrl: string, id: string): Promise<StreamStats>;
  close(hostUrl: string, id: string): Promise<void>;
  /** Closes the connections to hosts. */
  end(): Promise<void>;
}

/** @param secret shared by API and hosts. The caller ends it. */
export function createHostClient(secret: string): HostClient {
  // Connections are kept: a new one for each text would cost more than the rest of the call.
  const agent = new Agent({ connect: { timeout: CONNECT_WITHIN_MS }, keepAliveTimeout: 4000 });

  async function call<T>(
    url: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    options: { body?: object; deadlineMs?: number } = {},
  ): Promise<T> {
    const { body, deadlineMs = DEADLINE_MS } = options;
    const { statusCode, text } = await exchange(url, {
      method,
      headers: {
        ...contextHeaders(),
        [SECRET_HEADER]: secret,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(deadlineMs),
      dispatcher: agent,
    });
    if (statusCode === 200) return JSON.parse(text) as T;
    throw refusalOf(statusCode, text);
  }

  const at = (hostUrl: string, id: string, rest = '') => `${hostUrl}/streams/${id}${rest}`;
  return {
    open: (hostUrl, session) => call(`${hostUrl}/streams`, 'POST', { body: session, deadlineMs: OPEN_DEADLINE_MS }),
    answer: (hostUrl, id, sdp) => call(at(hostUrl, id), 'PUT', { body: { sdp } }),
    addCandidate: (hostUrl, id, body) => call(at(hostUrl, id, '/candidates'), 'POST', { body }),
    speak: (hostUrl, id, body) => call(at(hostUrl, id, '/speech'), 'POST', { body }),
    interrupt: (hostUrl, id, scope) => call(at(hostUrl, id, `/speech?scope=${scope}`), 'DELETE'),
    stats: (hostUrl, id) => call(at(hostUrl, id, '/stats'), 'GET'),
    close: (hostUrl, id) => call(at(hostUrl, id), 'DELETE'),
    end: () => agent.destroy(),
  };
}

async function exchange(
  url: string,
  options: Parameters<typeof request>[1],
): Promise<{ statusCode: number; text: string }> {
  try {
    const { statusCode, body } = await request(url, options);
    return { statusCode, text: await body.text() };
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    throw new HostUnreachable(isGone ? 'gone' : 'silent', { cause: error });
  }
}

function refusalOf(statusCode: number, text: string): Error {
  const { code, message } = JSON.parse(text) as { code?: string; message?: string };
  const isKnown = code !== undefined && code in REFUSAL_STATUS;
  if (!isKnown) return new Error(`the stream host answered ${statusCode}: ${message ?? text}`);
  return new HostRefusal(code as RefusalCode, message ?? '');
}
