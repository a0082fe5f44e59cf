import { createSocket, type SocketType } from 'node:dgram';

/** A range of UDP ports, both ends included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The range without the used ports at its beginning. The native library would skip them too, but prints five lines to
 * standard output for each. Returns the whole range when no port is free; opening it then fails with the right error.
 */
export async function skipTaken(range: PortRange): Promise<PortRange> {
  for (let from = range.from; from <= range.to; from++) {
    if (await isFree(from)) return { from, to: range.to };
  }
  return range;
}

/** Binds all addresses as the native library does: a dual-stack socket, or IPv4 alone on a machine without IPv6. */
async function isFree(port: number): Promise<boolean> {
  const code = await tryPort('udp6', port, '::');
  if (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')
    return (await tryPort('udp4', port, '0.0.0.0')) === undefined;
  return code === undefined;
}

/** @returns the error code of the failed bind; `undefined` when it succeeded, and the port is free again. */
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
