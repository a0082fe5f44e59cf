import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { IceServer } from '../contract.js';
import { parseIceUrl } from './ice-url.js';

/** Source of datagrams. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * Time after a check through a relay in which a direct one still wins, because that path is shorter. Direct checks start with the answer, those
 * through a relay some round trips later, so this covers one lost check: browsers repeat them every 50 ms.
 */
const GRACE_MS = 60;
/** Time without any check after which the direct path is used: the peer's firewall may block checks until it has received one. */
const PATIENCE_MS = 3000;
/** Source addresses stored per peer. */
const MAX_SOURCES = 32;

/** Hosts of relays that a peer can reach over TCP or TLS. The host cannot see which protocol a peer uses, so every check from them counts. */
export function streamRelays(servers: readonly IceServer[]): readonly string[] {
  const addresses = servers.flatMap(({ urls }) => [urls].flat()).map(parseIceUrl);
  const hosts = addresses.flatMap((one) => (one && one.kind !== 'stun' && one.transport !== 'udp' ? [one.host] : []));
  return [...new Set(hosts)];
}

/**
 * Detects a peer's network path, direct or through one of `relays`, before any of its connectivity checks is answered. Decides once,
 * after {@link begin}. The creator closes it.
 */
export class PathDetector {
  private readonly sources = new Map<string, Endpoint>();
  private readonly relays = new Set<string>();
  private isResolved = false;
  private hasBegun = false;
  private isDecided = false;
  private readonly timers: NodeJS.Timeout[] = [];

  /**
   * @param relays names or addresses of relays.
   * @param decide receives the relay's source address; `undefined` for the direct path, and when no check came.
   */
  constructor(
    relays: readonly string[],
    private readonly decide: (relay: Endpoint | undefined) => void,
  ) {
    void this.resolve(relays);
  }

  /** Source addresses of the checks so far, where the peer waits for answers. */
  get checked(): readonly Endpoint[] {
    return [...this.sources.values()];
  }

  /** A check has arrived. */
  onCheck({ address, port }: Endpoint): void {
    // A datagram may have source port 0, but none can be sent there.
    if (this.isDecided || port === 0 || this.sources.size >= MAX_SOURCES) return;
    // Dual-stack sockets report IPv4 addresses in this form.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    this.sources.set(`${plain} ${port}`, { address: plain, port });
    this.tryToDecide();
  }

  /** Starts the decision. Call it when the peer's answer has arrived. */
  begin(): void {
    this.hasBegun = true;
    this.timers.push(setTimeout(() => this.finish(this.find(true)), PATIENCE_MS));
    this.tryToDecide();
  }

  /** Cancels the decision. Idempotent. */
  close(): void {
    this.isDecided = true;
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
  }

  private tryToDecide(): void {
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
              // A relay whose name does not resolve cannot be used by the peer.
              () => [],
            ),
      ),
    );
    for (const address of found.flat()) this.relays.add(address);
    this.isResolved = true;
    this.tryToDecide();
  }
}
