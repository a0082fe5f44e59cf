import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** An utterance of the engine: 48 kHz samples, and the times of the words. */
interface Spoken {
  readonly samples: Float32Array;
  readonly marks: {
    readonly words: readonly {
      readonly textStart: number;
      readonly textEnd: number;
      readonly start: number;
      readonly end: number;
    }[];
    readonly phonemes: readonly { readonly start: number }[];
  };
}

/** Real speech for the simulated providers. */
export type Voice = (text: string, speed: number) => Promise<Spoken>;

/** A running server that answers like ElevenLabs, Azure AI Speech and OpenAI at once, following their references. */
export interface SpeechProviders {
  readonly url: string;
  /** Received speech requests: path, headers and body. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[];
  /** Answer to an Azure WebSocket: 0 accepts it (initially), otherwise the HTTP status of the refusal. */
  socketStatus: number;
  /** Whether removals of cloned voices fail. */
  refusesRemovals: boolean;
  /** WebSocket connections so far. */
  readonly sockets: () => number;
  close(): Promise<void>;
}

/** The key that the simulated providers accept. */
export const PROVIDER_KEY = 'right-key';

/**
 * Starts the server. A text with `QUOTA` is refused with 429, one with `BREAK` is cut off halfway, one with `CRASH` is
 * answered with 500, one with `ODD` with data that is not PCM; one with `HANG` never.
 */
export async function startSpeechProviders(voice: Voice): Promise<SpeechProviders> {
  const requests: SpeechProviders['requests'] = [];
  const server = createServer((request, response) => {
    void answer({ request, response, voice, requests, clones, providers });
  });
  const clones: Exchange['clones'] = new Map();
  const sockets = new WebSocketServer({ noServer: true });
  let opened = 0;
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head) => {
    const isKnown = request.headers['ocp-apim-subscription-key'] === PROVIDER_KEY;
    const status = isKnown ? providers.socketStatus : 401;
    if (status !== 0) return void stream.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    opened += 1;
    sockets.handleUpgrade(request, stream, head, (socket) => serveAzure(socket, request, { voice, requests }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const providers: SpeechProviders = {
    socketStatus: 0,
    refusesRemovals: false,
    sockets: () => opened,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets.clients) socket.terminate();
      }),
  };
  return providers;
}

/**
 * Simulates a connection of Azure's WebSocket: one turn per `ssml`, with sound in two messages, words and mouth shapes.
 */
function serveAzure(
  socket: WebSocket,
  request: IncomingMessage,
  { voice, requests }: Pick<Exchange, 'voice' | 'requests'>,
): void {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  socket.on('message', (data: Buffer) => {
    const text = data.toString('utf8');
    const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
    const id = /^X-RequestId: *(\w{32})$/im.exec(head)?.[1];
    if (!/^Path: *ssml$/im.test(head) || id === undefined) return;
    requests.push({ path, headers: request.headers, body });
    void playTurn(socket, { id, body, voice });
  });
}

async function playTurn(
  socket: WebSocket,
  { id, body, voice }: { id: string; body: string; voice: Voice },
): Promise<void> {
  const { text, speed } = sentenceOf('/cognitiveservices/v1', body);
  if (text.includes('QUOTA')) return socket.close(4429, 'too many requests');
  if (text.includes('CRASH')) return socket.close(1011, 'internal');
  if (text.includes('HANG')) return;
  const send = (name: string, json: unknown): void =>
    socket.send(
      `X-RequestId:${id}\r\nContent-Type:application/json; charset=utf-8\r\nPath:${name}\r\n\r\n${JSON.stringify(json)}`,
    );
  const sound = (part: Buffer): void => {
    const head = Buffer.from(`X-RequestId:${id}\r\nContent-Type:audio/x-wav\r\nX-StreamId:A1\r\nPath:audio\r\n`);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(head.length);
    socket.send(Buffer.concat([length, head, part]));
  };
  send('turn.start', { context: { serviceTag: 'test' } });
  if (text.includes('ODD')) {
    sound(Buffer.from('odd'));
    return send('turn.end', {});
  }
  const spoken = await voice(text, speed);
  const pcm = pcm24(spoken.samples);
  const middle = Math.floor(pcm.length / 4) * 2;
  sound(pcm.subarray(0, middle));
  if (text.includes('BREAK')) return socket.terminate();
  const ticks = (samples: number): number => Math.round((samples / 48_000) * 10_000_000);
  for (const { textStart, textEnd, start, end } of spoken.marks.words) {
    const word = text.slice(textStart, textEnd).replace(/^\P{L}+|\P{L}+$/gu, '');
    if (word === '') continue;
    const boundary = { Offset: ticks(start), Duration: ticks(end - start), text: { Text: word, Length: word.length } };
    send('audio.metadata', { Metadata: [{ Type: 'WordBoundary', Data: boundary }] });
  }
  const visemes = spoken.marks.phonemes.map(({ start }) => ({
    Type: 'Viseme',
    Data: { Offset: ticks(start), VisemeId: 1, IsLastAnimation: false },
  }));
  send('audio.metadata', { Metadata: visemes });
  sound(pcm.subarray(middle));
  send('turn.end', {});
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly voice: Voice;
  readonly requests: SpeechProviders['requests'];
  /** ElevenLabs' cloned voices by their ids. */
  readonly clones: Map<string, { readonly name: string; readonly labels: unknown }>;
  readonly providers: SpeechProviders;
}

/** ElevenLabs' cloned voices; false for other requests. */
function serveClones({ request, response, clones, providers }: Exchange, body: string): boolean {
  const { method = '', url = '' } = request;
  if (method === 'POST' && url === '/v1/voices/add') {
    const name = /name="name"\r\n\r\n(.*?)\r\n/s.exec(body)?.[1];
    if (name === undefined || !/name="files"; filename=".+?"\r\nContent-Type: audio\/wav\r\n\r\nRIFF/.test(body)) {
      json(response, 422, { detail: 'name and files are required' });
      return true;
    }
    const id = `cl0ne${clones.size}`;
    const labels = /name="labels"\r\n\r\n(.*?)\r\n/s.exec(body)?.[1] ?? '{}';
    clones.set(id, { name, labels: JSON.parse(labels) });
    json(response, 200, { voice_id: id, requires_verification: false });
    return true;
  }
  const id = /^\/v1\/voices\/(\w+)$/.exec(url)?.[1];
  if (id === undefined) return false;
  const clone = clones.get(id);
  if (method === 'DELETE' && providers.refusesRemovals) json(response, 500, { error: 'internal' });
  else if (clone === undefined) json(response, 404, { detail: { status: 'voice_not_found' } });
  else if (method === 'DELETE') json(response, 200, { status: 'ok', deleted: clones.delete(id) });
  else json(response, 200, { voice_id: id, ...clone });
  return true;
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, voice, requests, clones } = exchange;
  let body = '';
  for await (const part of request) body += String(part);
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const { headers } = request;
  const key =
    headers['xi-api-key'] ?? headers['ocp-apim-subscription-key'] ?? headers.authorization?.slice('Bearer '.length);
  if (key !== PROVIDER_KEY) return json(response, 401, { detail: { status: 'invalid_api_key' } });
  if (serveClones(exchange, body)) return;
  if (path === '/v1/voices') {
    const added = [...clones].map(([id, clone]) => ({ voice_id: id, ...clone }));
    return json(response, 200, { voices: [...VOICES, ...added] });
  }
  if (request.method === 'GET') return json(response, 200, lists[path] ?? {});
  requests.push({ path, headers, body });

  const { text, speed } = sentenceOf(path, body);
  if (text.includes('QUOTA')) return json(response, 429, { detail: 'too many requests' });
  if (text.includes('CRASH')) return json(response, 500, { error: 'internal' });
  if (text.includes('HANG')) return;
  if (text.includes('ODD')) return void response.writeHead(200).end('odd');
  const spoken = await voice(text, speed);
  const sound = path.startsWith('/v1/text-to-speech/') ? timedLines(text, spoken) : pcm24(spoken.samples);
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  if (!text.includes('BREAK')) return void response.end(sound);
  response.write(sound.subarray(0, sound.length / 2));
  setTimeout(() => response.destroy(), 20);
}

function sentenceOf(path: string, body: string): { text: string; speed: number } {
  if (path === '/cognitiveservices/v1') {
    const [, rate = '0', text = ''] = /<prosody rate="([+-]?\d+)%">(.*)<\/prosody>/s.exec(body) ?? [];
    const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
    return { text: text.replace(/&(\w+);/g, (_, name: string) => entities[name] ?? ''), speed: 1 + Number(rate) / 100 };
  }
  const parsed = JSON.parse(body) as {
    text?: string;
    input?: string;
    speed?: number;
    voice_settings?: { speed?: number };
  };
  return { text: parsed.text ?? parsed.input ?? '', speed: parsed.speed ?? parsed.voice_settings?.speed ?? 1 };
}

/** 16-bit PCM at 24 kHz; the voices used have nothing above 8 kHz that could fold back. Never empty. */
function pcm24(samples: Float32Array): Buffer {
  const out = Buffer.alloc(Math.max(4800, 2 * Math.ceil(samples.length / 2)));
  for (let n = 0; 2 * n < samples.length; n++) out.writeInt16LE(Math.round(samples[2 * n]! * 16_000), 2 * n);
  return out;
}

/** ElevenLabs' stream: one JSON object per line, with characters and their times. */
function timedLines(text: string, spoken: Spoken): Buffer {
  const starts: number[] = [];
  const ends: number[] = [];
  for (let at = 0, last = 0; at < text.length; at++) {
    const word = spoken.marks.words.find(({ textStart, textEnd }) => at >= textStart && at < textEnd);
    const share = word ? (word.end - word.start) / (word.textEnd - word.textStart) : 0;
    const start = word ? (word.start + (at - word.textStart) * share) / 48_000 : last;
    last = start + share / 48_000;
    starts.push(start);
    ends.push(last);
  }
  const sound = pcm24(spoken.samples);
  const half = Math.floor(sound.length / 4) * 2;
  const middle = Math.floor(text.length / 2);
  const line = (from: number, to: number, part: Buffer): string =>
    JSON.stringify({
      audio_base64: part.toString('base64'),
      alignment: {
        characters: text.slice(from, to).split(''),
        character_start_times_seconds: starts.slice(from, to),
        character_end_times_seconds: ends.slice(from, to),
      },
    });
  return Buffer.from(
    `${line(0, middle, sound.subarray(0, half))}\n${line(middle, text.length, sound.subarray(half))}\n`,
  );
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

const VOICES = [
  { voice_id: 'v0ice1d', name: 'Rachel', labels: { gender: 'female', accent: 'american', language: 'en' } },
  { voice_id: 'v0ice2d', name: 'George', labels: { gender: 'male', accent: 'british', language: 'en' } },
];

const lists: Readonly<Record<string, unknown>> = {
  '/cognitiveservices/voices/list': [
    { ShortName: 'en-US-JennyNeural', DisplayName: 'Jenny', Locale: 'en-US', Gender: 'Female' },
    { ShortName: 'de-DE-ConradNeural', DisplayName: 'Conrad', Locale: 'de-DE', Gender: 'Male' },
  ],
};
