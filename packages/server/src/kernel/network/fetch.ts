import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import ipaddr from 'ipaddr.js';
import { FetchError, type FetchResult, type SafeFetch } from '../contract.js';

/** Redirects; following one would leave the checked address. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Metadata and control addresses of clouds inside public ranges (Azure). Those of other clouds are in special ranges.
 */
const CLOUD_CONTROL = new Set(['168.63.129.16']);
/**
 * The globally routable range assigned by the IANA (RFC 4291, 2.4); ipaddr.js also classifies unassigned space as
 * `unicast`.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Public IPv4 addresses as an IPv6-only network sees them (RFC 6052): DNS64 answers with these. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * True for addresses reachable from the whole internet: `unicast` by the ranges of ipaddr.js, so not private, loopback,
 * link-local, multicast, reserved, 6to4 or Teredo, and not a cloud's metadata service. An IPv4 address inside an IPv6
 * one (mapped or NAT64) is checked itself.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `process` converts ::ffff:127.0.0.1 to 127.0.0.1.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6) {
    if (parsed.match(NAT64)) return isPublicAddress(parsed.toByteArray().slice(12).join('.'));
    return parsed.range() === 'unicast' && parsed.match(GLOBAL_IPV6);
  }
  return parsed.range() === 'unicast' && !CLOUD_CONTROL.has(parsed.toString());
}

/** True for the host of a URL that is not public as far as its text shows; names are checked when they are resolved. */
export function isPrivateHost({ hostname }: URL): boolean {
  // The parser has already converted 2130706433 and 0x7f.1 to 127.0.0.1.
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
}

/** Bytes of a response's headers; some servers send long policies and cookies. */
const MAX_HEADER_BYTES = 65_536;

/** Content codings that servers use unasked (RFC 9110 section 12.5.3), such as stores of files that were compressed before. */
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

/** Implements {@link SafeFetch}. Each request has its own connection, so nothing stays open and nothing is resent. */
export function createSafeFetch(): SafeFetch {
  return async (target, options) => {
    const url = parseUrl(target);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // A literal address bypasses the lookup below.
    if (!options.allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw blocked(host);
    const deadline = AbortSignal.timeout(options.deadlineMs);
    const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    let isStalled = false;
    let close = () => {};
    try {
      // undici ends a request at 100 Continue.
      const request = open(url, {
        agent: false,
        method: options.method ?? 'GET',
        headers: options.headers ?? {},
        signal,
        maxHeaderSize: MAX_HEADER_BYTES,
        ...(options.allowPrivate ? {} : { lookup: guardedLookup }),
      });
      close = () => void request.destroy();
      request.setTimeout(options.stallMs ?? 0, () => {
        isStalled = true;
        close();
      });
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('response', resolve).on('error', reject).end(options.body);
        // Without `response` or `error` after an answer that switches to another protocol.
        request.on('close', () => reject(Object.assign(new Error('no answer'), { code: 'ECONNRESET' })));
      });
      return await readResponse(response, options);
    } catch (error) {
      if (options.signal?.aborted === true && !deadline.aborted) throw asAbort(options.signal.reason, url);
      throw asFetchError(error, { url, ...options, isLate: deadline.aborted, isStalled });
    } finally {
      close();
    }
  };
}

function parseUrl(target: string): URL {
  if (!URL.canParse(target)) throw new FetchError('bad_url', 'The address is not a URL.');
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchError('bad_url', `Only http and https are fetched, not ${url.protocol}`);
  }
  return url;
}

async function readResponse(
  response: IncomingMessage,
  { maxBytes, excess, onChunk }: Parameters<SafeFetch>[1],
): Promise<FetchResult> {
  const cut = excess === 'cut';
  const { statusCode = 0, headers } = response;
  if (REDIRECTS.has(statusCode)) {
    throw new FetchError('redirect', `The server answered ${statusCode}; redirects are not followed.`);
  }
  if (!cut && Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(response)) {
      size += chunk.length;
      if (size > maxBytes && !cut) throw tooLarge(maxBytes);
      if (onChunk !== undefined && statusCode === 200) onChunk(chunk);
      else chunks.push(chunk);
      if (size >= maxBytes && cut) break;
    }
  } catch (error) {
    // An excerpt is what can be read of it.
    if (!cut || !isWrongCoding(error)) throw error;
  }
  return { status: statusCode, body: Buffer.concat(chunks).subarray(0, maxBytes) };
}

/** The body without its content coding; as it is with one that is not known. */
function decoded(response: IncomingMessage): AsyncIterable<Buffer> {
  const { statusCode = 0, headers } = response;
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const open = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (open === undefined || statusCode === 204 || headers['content-length'] === '0') return response;
  // An error of one end is also that of the decoder, which is read.
  return pipeline(response, open(), () => undefined) as unknown as AsyncIterable<Buffer>;
}

function isWrongCoding(error: unknown): boolean {
  return /^(?:Z_|ERR_(?:_ERROR_FORMAT_|BROTLI))/.test((error as NodeJS.ErrnoException).code ?? '');
}

function tooLarge(maxBytes: number): FetchError {
  return new FetchError('too_large', `The answer is larger than ${maxBytes} bytes.`);
}

function blocked(host: string): FetchError {
  const settings = 'FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE=1 and FIGUREHEAD_MEDIA_ALLOW_PRIVATE=1';
  return new FetchError(
    'blocked_address',
    `${host} is a private, loopback or reserved address, which only the settings ${settings} allow.`,
  );
}

type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** Resolves a host name for a connection, and accepts only public addresses. */
export function guardedLookup(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) {
      callback(error, []);
      return;
    }
    const open = addresses.filter((entry) => isPublicAddress(entry.address));
    const first = open[0];
    if (first === undefined) callback(blocked(hostname), []);
    else if (options.all === true) callback(null, open);
    else callback(null, first.address, first.family);
  });
}

/** The caller's reason; a deadline of the caller is the same failure as the deadline of the request. */
function asAbort(reason: unknown, url: URL): unknown {
  if (!(reason instanceof DOMException) || reason.name !== 'TimeoutError') return reason;
  return new FetchError('timeout', `${url.host} did not answer in time.`, { cause: reason });
}

/** A connection that the other side closed. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

function asFetchError(
  error: unknown,
  request: { url: URL; deadlineMs: number; stallMs?: number; isLate: boolean; isStalled: boolean },
): FetchError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof FetchError) return cause;
  }
  const { host } = request.url;
  const failed = (code: FetchError['code'], what: string) => new FetchError(code, `${host} ${what}.`, { cause: error });
  if (request.isLate) return failed('timeout', `did not answer within ${request.deadlineMs / 1000} s`);
  if (request.isStalled)
    return failed('stalled', `sent nothing for ${(request.stallMs ?? request.deadlineMs) / 1000} s`);
  const { code, message } = error as NodeJS.ErrnoException;
  if (CLOSED.has(code ?? '')) return failed('closed', 'closed the connection before its answer was complete');
  if (isWrongCoding(error)) return failed('closed', 'sent a body that is not in its Content-Encoding');
  if (code === 'HPE_HEADER_OVERFLOW')
    return failed('closed', `sent more than ${MAX_HEADER_BYTES / 1024} kB of headers`);
  if (code?.startsWith('HPE_')) return failed('closed', 'sent something that is not HTTP');
  return failed('unreachable', `cannot be reached (${code ?? message})`);
}
