import { createHash, randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  type IceServerAddress,
  parseIceUrl,
  STUN_COOKIE,
  STUN_HEADER,
  stunAttributes,
  stunIntegrity,
} from '@figurehead/media';

// Client for two requests: the own address (STUN, RFC 8489) and a relayed address (TURN, RFC 8656).

const METHOD = { binding: 0x001, allocate: 0x003, refresh: 0x004 } as const;
const SUCCESS = 0x0100;
const ATTRIBUTE = {
  username: 0x0006,
  integrity: 0x0008,
  error: 0x0009,
  realm: 0x0014,
  nonce: 0x0015,
  xorRelayed: 0x0016,
  transport: 0x0019,
  lifetime: 0x000d,
  xorMapped: 0x0020,
} as const;
const UDP = 17;
/** A UDP request is repeated this many times before the server counts as silent. */
const TRIES = 4;
const TRY_MS = 750;

/** The server's answer. */
export interface ProbeResult {
  /** Our address as the server sees it. */
  readonly mapped?: string;
  /** The relayed address; absent for STUN. */
  readonly relayed?: string;
}

/**
 * Requests our address from a STUN server, or with credentials a relayed one from a TURN server, which is released
 * immediately.
 * @throws Error with the server's answer, or that it did not answer.
 */
export async function probeServer(
  url: string,
  credentials?: { username: string; password: string },
): Promise<ProbeResult> {
  const address = parseIceUrl(url);
  if (address === undefined) throw new Error(`expected a STUN or TURN address such as turn:host:3478, got ${url}`);
  const exchange = await open(address);
  try {
    if (address.kind === 'stun') {
      const answer = await exchange.ask(encode({ method: METHOD.binding, attributes: [] }));
      return { ...mappedOf(answer) };
    }
    if (credentials === undefined) throw new Error('FIGUREHEAD_TURN_SECRET is not set');
    return await allocate(exchange, credentials);
  } finally {
    exchange.close();
  }
}

async function allocate(
  exchange: Exchange,
  { username, password }: { username: string; password: string },
): Promise<ProbeResult> {
  const transport: Attribute = [ATTRIBUTE.transport, Buffer.from([UDP, 0, 0, 0])];
  const challenge = await exchange.ask(encode({ method: METHOD.allocate, attributes: [transport] }));
  const [realm, nonce] = [challenge.attributes.get(ATTRIBUTE.realm), challenge.attributes.get(ATTRIBUTE.nonce)];
  if (challenge.success || realm === undefined || nonce === undefined) {
    throw new Error(
      challenge.success
        ? 'the server is an open relay: it accepts allocations without credentials'
        : errorOf(challenge),
    );
  }
  const key = createHash('md5').update(`${username}:${realm.toString()}:${password}`).digest();
  const signed: Attribute[] = [
    [ATTRIBUTE.username, Buffer.from(username)],
    [ATTRIBUTE.realm, realm],
    [ATTRIBUTE.nonce, nonce],
  ];
  const answer = await exchange.ask(encode({ method: METHOD.allocate, attributes: [transport, ...signed], key }));
  if (!answer.success) throw new Error(errorOf(answer));
  const relayed = readAddress(answer, ATTRIBUTE.xorRelayed);
  const none: Attribute = [ATTRIBUTE.lifetime, Buffer.alloc(4)];
  await exchange.ask(encode({ method: METHOD.refresh, attributes: [none, ...signed], key }));
  return { ...mappedOf(answer), ...(relayed === undefined ? {} : { relayed }) };
}

type Attribute = readonly [type: number, value: Buffer];

interface Answer {
  readonly success: boolean;
  readonly attributes: ReadonlyMap<number, Buffer>;
  readonly transaction: Buffer;
}

/** A request with its own transaction id; with a key it is signed (RFC 8489, 14.5). */
function encode(request: { method: number; attributes: readonly Attribute[]; key?: Buffer }): Buffer {
  const body = Buffer.concat(
    request.attributes.map(([type, value]) => {
      const padded = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
      padded.writeUInt16BE(type, 0);
      padded.writeUInt16BE(value.length, 2);
      value.copy(padded, 4);
      return padded;
    }),
  );
  const integrity = Buffer.alloc(request.key === undefined ? 0 : 24);
  const header = Buffer.alloc(STUN_HEADER);
  header.writeUInt16BE(request.method, 0);
  header.writeUInt16BE(body.length + integrity.length, 2);
  header.writeUInt32BE(STUN_COOKIE, 4);
  randomBytes(12).copy(header, 8);
  if (request.key !== undefined) {
    integrity.writeUInt16BE(ATTRIBUTE.integrity, 0);
    integrity.writeUInt16BE(20, 2);
    const signed = Buffer.concat([header, body]);
    stunIntegrity(signed, signed.length, request.key).copy(integrity, 4);
  }
  return Buffer.concat([header, body, integrity]);
}

function decode(message: Buffer): Answer | undefined {
  if (message.length < STUN_HEADER || message.readUInt32BE(4) !== STUN_COOKIE) return undefined;
  const attributes = new Map([...stunAttributes(message)].map(({ type, value }) => [type, value]));
  return {
    success: (message.readUInt16BE(0) & 0x0110) === SUCCESS,
    attributes,
    transaction: message.subarray(8, 20),
  };
}

function errorOf({ attributes }: Answer): string {
  const value = attributes.get(ATTRIBUTE.error);
  if (value === undefined || value.length < 4) return 'the server refused without a reason';
  const code = (value[2] ?? 0) * 100 + (value[3] ?? 0);
  const hint = code === 401 ? ' (wrong shared secret, or the clocks differ)' : '';
  return `the server refused: ${code} ${value.subarray(4).toString()}${hint}`;
}

function mappedOf(answer: Answer): { mapped?: string } {
  const mapped = readAddress(answer, ATTRIBUTE.xorMapped);
  return mapped === undefined ? {} : { mapped };
}

/** XOR-MAPPED-ADDRESS and similar attributes (RFC 8489, 14.2). */
function readAddress({ attributes, transaction }: Answer, type: number): string | undefined {
  const value = attributes.get(type);
  if (value === undefined || value.length < 8) return undefined;
  const mask = Buffer.alloc(16);
  mask.writeUInt32BE(STUN_COOKIE, 0);
  transaction.copy(mask, 4);
  const port = value.readUInt16BE(2) ^ (STUN_COOKIE >>> 16);
  const bytes = value.subarray(4).map((byte, index) => byte ^ (mask[index] ?? 0));
  if (bytes.length === 4) return `${bytes.join('.')}:${port}`;
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  return `[${groups.join(':')}]:${port}`;
}

/** A connection to the server. The caller closes it. */
interface Exchange {
  ask(request: Buffer): Promise<Answer>;
  close(): void;
}

async function open({ host, port, transport }: IceServerAddress): Promise<Exchange> {
  return transport === 'udp' ? openUdp(host, port) : openTcp({ host, port, secure: transport === 'tls' });
}

function silence(host: string, port: number): Error {
  return new Error(`${host}:${port} does not answer`);
}

function openUdp(host: string, port: number): Exchange {
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' });
  return {
    ask: (request) =>
      new Promise<Answer>((resolve, reject) => {
        let tries = 0;
        const settle = (act: () => void) => {
          clearInterval(timer);
          socket.off('message', onMessage);
          socket.off('error', onError);
          act();
        };
        const onError = (error: Error) => settle(() => reject(error));
        const onMessage = (message: Buffer) => {
          const answer = decode(message);
          if (answer?.transaction.equals(request.subarray(8, 20))) settle(() => resolve(answer));
        };
        const send = () => {
          tries += 1;
          if (tries > TRIES) settle(() => reject(silence(host, port)));
          else socket.send(request, port, host, (error) => error && onError(error));
        };
        socket.on('message', onMessage);
        socket.on('error', onError);
        const timer = setInterval(send, TRY_MS);
        send();
      }),
    close: () => socket.close(),
  };
}

async function openTcp({ host, port, secure }: { host: string; port: number; secure: boolean }): Promise<Exchange> {
  const deadline = TRIES * TRY_MS;
  const socket: Socket = secure ? connectTls({ host, port, servername: host }) : connectTcp({ host, port });
  await new Promise<void>((resolve, reject) => {
    socket.setTimeout(deadline, () => socket.destroy(silence(host, port)));
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve());
    socket.once('error', reject);
  });
  let received = Buffer.alloc(0);
  return {
    ask: (request) =>
      new Promise<Answer>((resolve, reject) => {
        const onData = (chunk: Buffer) => {
          received = Buffer.concat([received, chunk]);
          const length = received.length < 20 ? Number.POSITIVE_INFINITY : 20 + received.readUInt16BE(2);
          if (received.length < length) return;
          const answer = decode(received.subarray(0, length));
          received = received.subarray(length);
          socket.off('data', onData);
          if (answer === undefined) reject(new Error(`${host}:${port} does not speak STUN`));
          else resolve(answer);
        };
        socket.on('data', onData);
        socket.once('error', reject);
        socket.once('close', () => reject(silence(host, port)));
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}
