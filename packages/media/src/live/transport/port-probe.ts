import { createSocket, type SocketType } from 'node:dgram';

/** A range of UDP ports, both ends included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The range without the ports at its beginning that somebody else has. The native side could find that out itself, but writes five lines to
 * standard output for each of them. When none is free the whole range comes back, and opening it fails as it should.
 * @param bind local address; every one when absent.
 */
export async function skipTaken(range: PortRange, bind?: string): Promise<PortRange> {
  for (let from = range.from; from <= range.to; from++) {
    if (await isFree(from, bind)) return { from, to: range.to };
  }
  return range;
}

/** Every address is asked for as the native side does it: IPv6 with IPv4 in it, IPv4 alone where there is no IPv6. */
async function isFree(port: number, bind: string | undefined): Promise<boolean> {
  if (bind !== undefined) return (await tryPort(bind.includes(':') ? 'udp6' : 'udp4', port, bind)) === undefined;
  const code = await tryPort('udp6', port, '::');
  if (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')
    return (await tryPort('udp4', port, '0.0.0.0')) === undefined;
  return code === undefined;
}

/** @returns why the port could not be taken; `undefined` when it could, and was given back. */
function tryPort(type: SocketType, port: number, address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(type);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code ?? 'unknown');
    });
    socket.bind({ port, address, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}
