import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { IceServer } from '../contract.js';
import { parseIceUrl } from './ice-url.js';

/** Where datagrams come from. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** After a check through a relay, so long is waited for one without: that way is shorter. */
const GRACE_MS = 150;
/** Without any check a peer may be waiting for ours, behind a network that lets none in before one has gone out. */
const PATIENCE_MS = 3000;
/** Sources of one peer that are remembered. */
const MOST_SOURCES = 32;

/** Hosts of relays that a peer can reach over TCP or TLS. How one reaches its relay is not seen from outside: so all that comes from there counts. */
export function streamRelays(servers: readonly IceServer[]): readonly string[] {
  const addresses = servers.flatMap(({ urls }) => [urls].flat()).map(parseIceUrl);
  const hosts = addresses.flatMap((one) => (one && one.kind !== 'stun' && one.transport !== 'udp' ? [one.host] : []));
  return [...new Set(hosts)];
}

/**
 * Tells by which way a peer comes before anything has answered its connectivity checks: by itself, or through one of `relays`. Decides once,
 * after {@link begin}. Who makes it closes it.
 */
export class Arrival {
  private readonly sources = new Map<string, Endpoint>();
  private readonly relays = new Set<string>();
  private isResolved = false;
  private hasBegun = false;
  private isDecided = false;
  private readonly timers: NodeJS.Timeout[] = [];

  /**
   * @param relays names or addresses of relays.
   * @param decide gets where the relay sends from; `undefined` for a peer that comes by itself, or does not come.
   */
  constructor(
    relays: readonly string[],
    private readonly decide: (relay: Endpoint | undefined) => void,
  ) {
    void this.resolve(relays);
  }

  /** A check came in. */
  onCheck({ address, port }: Endpoint): void {
    // Port 0 is nobody's: a datagram may name it, none can be sent there.
    if (this.isDecided || port === 0 || this.sources.size >= MOST_SOURCES) return;
    // A socket for both families tells IPv4 so.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    this.sources.set(`${plain} ${port}`, { address: plain, port });
    this.weigh();
  }

  /** Begins to decide: the peer's parameters are there. */
  begin(): void {
    this.hasBegun = true;
    this.timers.push(setTimeout(() => this.finish(this.find(true)), PATIENCE_MS));
    this.weigh();
  }

  /** Nothing is decided any more. Idempotent. */
  close(): void {
    this.isDecided = true;
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
  }

  private weigh(): void {
    if (!this.hasBegun || !this.isResolved || this.isDecided) return;
    if (this.find(false)) this.finish(undefined);
    else if (this.find(true) && this.timers.length < 2)
      this.timers.push(setTimeout(() => this.finish(this.find(true)), GRACE_MS));
  }

  private find(isRelay: boolean): Endpoint | undefined {
    return [...this.sources.values()].find(({ address }) => this.relays.has(address) === isRelay);
  }

  private finish(relay: Endpoint | undefined): void {
    if (this.isDecided) return;
    this.close();
    this.decide(relay);
  }

  private async resolve(names: readonly string[]): Promise<void> {
    const found = await Promise.all(
      names.map((name) =>
        isIP(name)
          ? [name]
          : lookup(name, { all: true }).then(
              (all) => all.map(({ address }) => address),
              // A relay without an address is not one that a peer comes through.
              () => [],
            ),
      ),
    );
    for (const address of found.flat()) this.relays.add(address);
    this.isResolved = true;
    this.weigh();
  }
}
