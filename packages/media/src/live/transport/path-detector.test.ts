import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseIceUrl } from './ice-url.js';
import { type Endpoint, PathDetector, streamRelays } from './path-detector.js';

const RELAY = { address: '192.0.2.9', port: 49_200 };
const DIRECT = { address: '198.51.100.4', port: 50_001 };

describe('the network path of a peer', () => {
  let decided: (Endpoint | undefined)[];
  let detector: PathDetector;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    decided = [];
    detector = new PathDetector(['192.0.2.9'], (relay) => decided.push(relay));
    await Promise.resolve();
    await Promise.resolve();
  });
  afterEach(() => {
    detector.close();
    vi.useRealTimers();
  });

  it('is direct as soon as a direct check and the answer have arrived', () => {
    detector.onCheck(DIRECT);
    expect(decided).toEqual([]);
    detector.begin();
    expect(decided).toEqual([undefined]);
  });

  it('is the relay when no direct check follows in time, with its IPv4 address also from a dual-stack socket', () => {
    detector.begin();
    detector.onCheck({ ...RELAY, address: '::ffff:192.0.2.9' });
    vi.advanceTimersByTime(59);
    expect(decided).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(decided).toEqual([RELAY]);
  });

  it('is direct when a direct check follows in time', () => {
    detector.onCheck(RELAY);
    detector.begin();
    detector.onCheck(DIRECT);
    vi.advanceTimersByTime(5000);
    expect(decided).toEqual([undefined]);
  });

  it('is assumed to be direct when no check arrives', () => {
    detector.begin();
    // An answer cannot be sent to port 0.
    detector.onCheck({ ...RELAY, port: 0 });
    vi.advanceTimersByTime(3000);
    expect(decided).toEqual([undefined]);
  });

  it('is not reported after the peer has gone', () => {
    detector.begin();
    detector.onCheck(RELAY);
    detector.close();
    vi.advanceTimersByTime(5000);
    expect(decided).toEqual([]);
  });
});

describe('relays that a peer can reach over TCP', () => {
  it('are those whose URLs contain transport=tcp, and all with TLS', () => {
    const urls = [
      'stun:a.example:3478',
      'turn:b.example:3478?transport=udp',
      'turn:c.example',
      'turn:d.example:443?transport=tcp',
      'turns:e.example:5349',
      'nonsense',
      'turn:[2001:db8::1]:3478?transport=tcp',
    ];
    expect(streamRelays([{ urls }, { urls: 'turn:d.example:80?transport=tcp' }])).toEqual([
      'd.example',
      'e.example',
      '2001:db8::1',
    ]);
  });
});

describe('an address of a STUN or TURN server', () => {
  it.each([
    ['turns:relay.example', { kind: 'turns', host: 'relay.example', port: 5349, transport: 'tls' }],
    ['turn:[::1]:99?transport=tcp', { kind: 'turn', host: '::1', port: 99, transport: 'tcp' }],
    ['stun:a', { kind: 'stun', host: 'a', port: 3478, transport: 'udp' }],
    ['http://a', undefined],
  ])('%s is read', (url, address) => {
    expect(parseIceUrl(url)).toEqual(address);
  });
});
