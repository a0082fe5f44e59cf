import { Agent, request } from 'node:http';
import { connect } from 'node:net';

/** Timeout of a call; its response counts as status 0. */
const PATIENCE_MS = 30_000;

/**
 * Calls one server. The caller never repeats a call and uses one connection per concurrent call.
 * @returns `call(method, path, {token?, cookie?, headers?, body?, patienceMs?})` → `{status, ms, body}`; status 0: no answer came. A `Buffer` as
 * body is sent as it is, with the content type of `headers`; anything else as JSON.
 */
export function createWire(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const call = (method, path, { token, cookie, headers = {}, body, patienceMs = PATIENCE_MS } = {}) => {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const type = bytes === undefined || bytes === body ? {} : { 'content-type': 'application/json' };
    const sent = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      // The console's session is accepted only from a page of the same site.
      ...(cookie === undefined ? {} : { cookie, 'sec-fetch-site': 'same-origin' }),
      ...type,
      ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
      ...headers,
    };
    return exchange(`${url}${path}`, { agent, method, headers: sent, bytes, patienceMs });
  };
  return { call, close: () => agent.destroy() };
}

function exchange(address, { agent, method, headers, bytes, patienceMs }) {
  const at = performance.now();
  return new Promise((resolve) => {
    const out = request(address, { agent, method, headers });
    const timer = setTimeout(() => out.destroy(), patienceMs);
    const done = (status, body, answerHeaders = {}) => {
      clearTimeout(timer);
      resolve({ status, body, headers: answerHeaders, ms: performance.now() - at });
    };
    out.on('response', (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', () => done(0));
      answer.on('end', () => done(answer.statusCode, parse(Buffer.concat(chunks).toString('utf8')), answer.headers));
    });
    out.on('error', () => done(0));
    out.end(bytes);
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Opens bare connections, all at once, and writes `bytes` on each.
 * @returns the sockets that were accepted; destroy them.
 */
export async function openConnections(url, count, bytes) {
  const { hostname, port } = new URL(url);
  const opened = await Promise.all(
    Array.from({ length: count }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      return new Promise((resolve) => {
        socket.once('connect', () =>
          bytes === undefined ? resolve(socket) : socket.write(bytes, () => resolve(socket)),
        );
        // A server may refuse or close the connection as a defence; that is not an error of the attack.
        socket.on('error', () => resolve(undefined));
        socket.resume();
      });
    }),
  );
  return opened.filter((socket) => socket !== undefined);
}

/** The head of a request whose announced body is never sent in full. */
export function head(path, { token, type = 'application/json', length = 1000 } = {}) {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return `POST ${path} HTTP/1.1\r\nHost: figurehead\r\n${authorization}Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
}
