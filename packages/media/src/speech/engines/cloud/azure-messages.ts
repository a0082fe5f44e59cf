import { randomUUID } from 'node:crypto';
import { field, listField, parseJson, textField } from './request.js';

/** A message of the service: its headers in lower case, and its body. */
interface AzureMessage {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A word or a viseme with its time, in seconds from the start of the sound. */
export type AzureEvent =
  | { readonly kind: 'word'; readonly text: string; readonly start: number; readonly end: number }
  | { readonly kind: 'viseme'; readonly start: number };

/** Ticks of the service's clock in a second: 100 ns. */
const TICKS = 10_000_000;

/** A text message: headers as in HTTP, an empty line, the body. */
export function writeMessage(path: string, options: { requestId: string; contentType: string; body: string }): string {
  const { requestId, contentType, body } = options;
  const headers = [
    `Path: ${path}`,
    `X-RequestId: ${requestId}`,
    `X-Timestamp: ${new Date().toISOString()}`,
    `Content-Type: ${contentType}`,
  ];
  return `${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Reads a message. Binary ones begin with the length of their headers in two bytes. `undefined` for malformed ones. */
export function readMessage(data: Buffer, isBinary: boolean): AzureMessage | undefined {
  if (isBinary) {
    const length = data.length < 2 ? data.length : data.readUInt16BE(0);
    return 2 + length > data.length
      ? undefined
      : { headers: headersOf(data.toString('latin1', 2, 2 + length)), body: data.subarray(2 + length) };
  }
  const end = data.indexOf('\r\n\r\n');
  return end < 0 ? undefined : { headers: headersOf(data.toString('utf8', 0, end)), body: data.subarray(end + 4) };
}

/** The events of an `audio.metadata` message; unknown kinds are skipped. */
export function eventsOf(body: Buffer): AzureEvent[] {
  return listField(parseJson('Azure', body.toString('utf8')), 'Metadata').flatMap((entry): AzureEvent[] => {
    const data = field(entry, 'Data');
    const start = Number(field(data, 'Offset')) / TICKS;
    if (!Number.isFinite(start)) return [];
    if (textField(entry, 'Type') === 'Viseme') return [{ kind: 'viseme', start }];
    if (textField(entry, 'Type') !== 'WordBoundary') return [];
    const seconds = Number(field(data, 'Duration')) / TICKS;
    const text = textField(field(data, 'text'), 'Text');
    return text === '' ? [] : [{ kind: 'word', text, start, end: start + Math.max(0, seconds || 0) }];
  });
}

/** An id in the service's format: a UUID without hyphens. */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Client description, sent when a connection opens. */
export const CLIENT_CONFIG = JSON.stringify({
  context: { system: { name: 'figurehead', version: '1', build: 'node', lang: 'JavaScript' } },
});

/** Requested output of a turn: PCM, and the times of words and visemes. */
export function synthesisContext(outputFormat: string): string {
  return JSON.stringify({
    synthesis: {
      audio: {
        metadataOptions: {
          bookmarkEnabled: false,
          punctuationBoundaryEnabled: false,
          sentenceBoundaryEnabled: false,
          sessionEndEnabled: false,
          visemeEnabled: true,
          wordBoundaryEnabled: true,
        },
        outputFormat,
      },
      language: { autoDetection: false },
    },
  });
}

function headersOf(lines: string): Map<string, string> {
  return new Map(
    lines.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? [] : [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const];
    }),
  );
}
