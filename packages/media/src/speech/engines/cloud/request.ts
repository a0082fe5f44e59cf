import { SpeechError } from '../../contract.js';

/** A request to a provider. */
export interface CloudRequest {
  /** Name of the provider, for messages. */
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as POST. */
  readonly body?: string | FormData;
  /** POST with a body, otherwise GET when absent. */
  readonly method?: 'DELETE';
  readonly signal?: AbortSignal;
}

/** Deadline for a sentence. */
const DEADLINE_MS = 30_000;

/** Maximum size of a response: about ten minutes of 48 kHz sound. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Sends a request and reads the whole response. Throws {@link SpeechError}, or the signal's reason. */
export async function request({ provider, url, headers, body, method, signal }: CloudRequest): Promise<Buffer> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body };
    const response = await fetch(url, { ...init, ...(method && { method }), redirect: 'error', signal: either });
    const answer = await readAll(response, provider);
    if (!response.ok) {
      const detail = answer.toString('utf8', 0, 300).replace(/\s+/g, ' ').trim();
      throw refusal(provider, { status: response.status, detail });
    }
    return answer;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SpeechError) throw error;
    const why = deadline.aborted
      ? `did not answer within ${DEADLINE_MS / 1000} s`
      : 'could not be reached or closed the connection';
    throw new SpeechError('provider_failed', `${provider} ${why}`, { cause: error });
  }
}

/** Sends a request and parses the response. Throws {@link SpeechError}, or the signal's reason. */
export async function requestJson(call: CloudRequest): Promise<unknown> {
  return parseJson(call.provider, (await request(call)).toString('utf8'));
}

async function readAll(response: Response, provider: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new SpeechError('provider_failed', `${provider} sent more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The error for an HTTP status other than 2xx. */
export function refusal(provider: string, { status, detail }: { status: number; detail: string }): SpeechError {
  const said = `${provider} answered ${status}${detail ? `: ${detail}` : ''}`;
  if (status === 429) return new SpeechError('rate_limited', said);
  if (status === 401 || status === 403) {
    return new SpeechError('not_configured', `${said} (check the key of this provider)`);
  }
  if (status === 404) return new SpeechError('unknown_voice', said);
  return new SpeechError('provider_failed', said);
}

/** Parses a JSON response. Throws {@link SpeechError} for anything else. */
export function parseJson(provider: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SpeechError('provider_failed', `expected JSON from ${provider}`, { cause: error });
  }
}

/** A field of an unknown value; `undefined` when it is not an object or has no such field. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** A string field; `''` for any other type. */
export function textField(value: unknown, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : '';
}

/** A list field; empty for any other type. */
export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
