import { BlockList } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv6 bits that a provider assigns to one customer, who chooses the rest freely. */
const IPV6_NETWORK_BITS = 64;

/** The unit of limits per caller: an IPv4 address, or an IPv6 network of 64 bits. Other text is returned unchanged. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${IPV6_NETWORK_BITS}`).toString();
}

/** True for 127.0.0.0/8 and ::1, also in IPv6 notation. */
export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** @param ranges addresses and CIDR ranges. Returns a predicate for addresses in any of them. */
export function addressesIn(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return list.check(parsed.toString(), parsed.kind());
  };
}
