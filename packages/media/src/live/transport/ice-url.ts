/** A STUN or TURN server. */
export interface IceServerAddress {
  readonly kind: 'stun' | 'turn' | 'turns';
  /** Name or address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Transport between client and server. */
  readonly transport: 'udp' | 'tcp' | 'tls';
}

/** Reads `stun:host:port` (RFC 7064) or `turn:host:port?transport=tcp` (RFC 7065); `undefined` for anything else. */
export function parseIceUrl(url: string): IceServerAddress | undefined {
  const [, kind, host, port, transport] =
    /^(stun|turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(udp|tcp))?$/.exec(url) ?? [];
  if (host === undefined || (kind !== 'stun' && kind !== 'turn' && kind !== 'turns')) return undefined;
  return {
    kind,
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port ?? (kind === 'turns' ? 5349 : 3478)),
    transport: kind === 'turns' ? 'tls' : transport === 'tcp' ? 'tcp' : 'udp',
  };
}
