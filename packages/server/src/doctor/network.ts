import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { turnCredentials } from '@figurehead/media';
import ipaddr from 'ipaddr.js';
import type { Config } from '../kernel/config/config.js';
import { claimPort, localAddress } from '../kernel/network/port.js';
import { examine, type Finding, type Found, skipped } from './finding.js';
import { probeServer } from './turn-probe.js';
import { isOurStreamHost } from './udp-owner.js';

const ECHO_WITHIN_MS = 2000;
const CREDENTIALS_LAST_MS = 60_000;

/** Checks how others reach this machine: the HTTP port, the UDP port of streams, their public address, TURN. */
export async function examineNetwork(config: Config): Promise<Finding[]> {
  const { turnUrls } = config;
  return [
    await examine('port', 'See the message.', () => httpPort(config)),
    await examine('address', 'Set FIGUREHEAD_URL to the address that users enter in the browser.', () =>
      publicUrl(config),
    ),
    await examine('UDP', 'Set FIGUREHEAD_RTC_PORTS to a UDP port that is free, and let it through the firewall.', () =>
      udpPort(config),
    ),
    await examine(
      'stream address',
      'Set FIGUREHEAD_RTC_ADDRESS to the address at which viewers reach this machine.',
      () => streamAddress(config),
    ),
    ...(turnUrls.length === 0
      ? [
          skipped(
            'TURN',
            'none is set',
            'Viewers behind strict firewalls need one: FIGUREHEAD_TURN_URLS, FIGUREHEAD_TURN_SECRET.',
          ),
        ]
      : await Promise.all(turnUrls.map((url) => examineServer(config, url)))),
  ];
}

function examineServer({ turnSecret }: Config, url: string): Promise<Finding> {
  const advice =
    'Check that the server runs, that its port is open, and that FIGUREHEAD_TURN_SECRET is its static-auth-secret.';
  return examine(url.startsWith('stun:') ? 'STUN' : 'TURN', advice, async () => {
    if (url.startsWith('stun:')) return { detail: `${url}: we are ${(await probeServer(url)).mapped}` };
    if (turnSecret === undefined)
      throw new Error(`${url}: FIGUREHEAD_TURN_SECRET is not set, so clients do not receive it`);
    const made = turnCredentials({ urls: [url], secret: turnSecret }, 'doctor', Date.now() + CREDENTIALS_LAST_MS);
    const { mapped, relayed } = await probeServer(url, {
      username: made.username ?? '',
      password: made.credential ?? '',
    });
    return { detail: `${url}: relays at ${relayed} for ${mapped}` };
  });
}

async function httpPort({ host, port }: Config): Promise<Found> {
  try {
    await claimPort({ host, port, patienceMs: 0 });
    return { detail: `${port} on ${host} is free` };
  } catch (error) {
    if (await isOurs(host, port)) return { detail: `${port} on ${host} is used by the running server` };
    throw error;
  }
}

/** True when our server answers on the port. */
async function isOurs(host: string, port: number): Promise<boolean> {
  return fetch(`${localAddress(host, port)}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}

async function publicUrl({ url }: Config): Promise<Found> {
  const { hostname, protocol } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(name) ? [name] : (await lookup(name, { all: true })).map(({ address }) => address);
  const detail = `${url} is ${addresses.join(', ')}`;
  const isLocal = addresses.every((address) => ipaddr.process(address).range() === 'loopback');
  if (isLocal)
    return { detail, advice: 'It is reachable from this machine only: set FIGUREHEAD_URL before others use it.' };
  if (protocol === 'http:') {
    return {
      status: 'warning',
      detail,
      advice: 'Browsers allow microphone and clipboard only on https pages; put a TLS proxy in front of it.',
    };
  }
  return { detail };
}

/** Binds the UDP port and sends a datagram to itself over loopback. */
async function udpPort({ rtcPorts }: Config): Promise<Found> {
  const candidates =
    rtcPorts === undefined
      ? [0]
      : Array.from({ length: Math.min(rtcPorts.to - rtcPorts.from + 1, 50) }, (_, n) => rtcPorts.from + n);
  let taken = 0;
  for (const candidate of candidates) {
    const port = await echo(candidate).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error;
      taken += 1;
      return undefined;
    });
    if (port === undefined) continue;
    const busy = taken === 0 ? '' : `; ${taken} lower ports are in use`;
    const which = rtcPorts === undefined ? 'any port' : `port ${port}`;
    return {
      detail: `${which} takes datagrams${busy}`,
      ...(rtcPorts === undefined
        ? { advice: 'For viewers in other networks set FIGUREHEAD_RTC_PORTS to one port and open it in the firewall.' }
        : {}),
    };
  }
  const [first = 0] = candidates;
  if (await isOurStreamHost(first)) return { detail: `${first} is used by the running stream host` };
  return {
    status: 'warning',
    detail: `${taken === 1 ? 'the port is' : `all ${taken} ports are`} in use`,
    advice: 'This is expected when a stream host of another user runs here; otherwise another program uses it.',
  };
}

async function echo(port: number): Promise<number> {
  const socket = createSocket('udp4');
  try {
    socket.bind({ port, exclusive: true });
    await once(socket, 'listening');
    const bound = socket.address().port;
    const arrived = once(socket, 'message', { signal: AbortSignal.timeout(ECHO_WITHIN_MS) });
    socket.send('figurehead', bound, '127.0.0.1');
    await arrived.catch((error: Error) => {
      throw error.name === 'AbortError'
        ? new Error(`a datagram to port ${bound} of this machine does not arrive`)
        : error;
    });
    return bound;
  } finally {
    socket.close();
  }
}

async function streamAddress({ rtcAddress, url, turnUrls }: Config): Promise<Found> {
  const own = Object.values(networkInterfaces())
    .flat()
    .flatMap((entry) => (entry === undefined || entry.internal ? [] : [entry.address]));
  if (rtcAddress === undefined) {
    const isPublic = own.some((address) => ipaddr.process(address.split('%')[0] ?? '').range() === 'unicast');
    const detail = `viewers are offered ${own.length === 0 ? 'only the loopback address' : own.join(', ')}`;
    const isOpen = new URL(url).hostname !== 'localhost' && !isPublic && turnUrls.length === 0;
    if (!isOpen) return { detail };
    return {
      status: 'warning',
      detail,
      advice: 'None of them is public. Behind NAT set FIGUREHEAD_RTC_ADDRESS, or a TURN server.',
    };
  }
  return {
    detail: `viewers are offered ${rtcAddress}${own.includes(rtcAddress) ? '' : ', which is not on this machine: NAT must forward its UDP port'}`,
  };
}
