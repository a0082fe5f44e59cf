import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { splitAnnexB } from '../../encode/codecs/nal.js';
import { divide } from './budget.js';
import { packetizeH264 } from './h264.js';
import { Pacer } from './pacer.js';
import { isRtcp, parseRtp, type RtpPacket, writeRtp } from './packet.js';
import { RedPacketizer } from './red.js';
import { parseRtcp, roundTrip, writeNack, writePictureLoss, writeReceiverReport, writeSenderReport } from './rtcp.js';
import { RtpSender } from './sender.js';
import { writeTransportFeedback } from './transport-feedback.js';
import { TransportSequence } from './transport-sequence.js';
import { packetizeVp8 } from './vp8.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** A picture of `size` bytes, each of which depends on its position. */
const bytes = (size: number, from = 0): Uint8Array => Uint8Array.from({ length: size }, (_, n) => (n * 7 + from) | 1);

/** The packet in its own buffer. */
function write(packet: RtpPacket): Buffer {
  const out = Buffer.alloc(2048);
  return out.subarray(0, writeRtp(packet, out));
}

describe('RTP packets', () => {
  it('are written as RFC 3550 specifies', () => {
    const packet = write({
      payloadType: 102,
      marker: true,
      sequence: 0xfffe,
      timestamp: 0x01020304,
      ssrc: 0xdeadbeef,
      payload: hex('6742c01f'),
      transport: { id: 3, sequence: 0x1234 },
    });
    expect(packet.toString('hex')).toBe('90e6fffe01020304deadbeefbede00013112340067'.concat('42c01f'));
  });

  it('allow the player to show the picture at once, with and without the transport-wide number', () => {
    const packet = { payloadType: 102, marker: true, sequence: 1, timestamp: 2, ssrc: 3, payload: hex('aabb') };
    const plain = '00010000000200000003bede';
    expect(write({ ...packet, playoutDelayId: 5 }).toString('hex')).toBe(`90e6${plain}000152000028aabb`);
    const both = write({ ...packet, playoutDelayId: 5, transport: { id: 3, sequence: 7 } });
    expect(both.toString('hex')).toBe(`90e6${plain}00023100075200002800aabb`);
    expect(parseRtp(both, 3)).toMatchObject({ transport: { id: 3, sequence: 7 }, payload: hex('aabb') });
  });

  it('survive reading and writing', () => {
    const fixture = hex('90 6f 0001 00000bb8 12345678 bede 0001 31 0007 00 fc00ff');
    const packet = parseRtp(fixture, 3)!;
    expect(packet).toMatchObject({ payloadType: 111, marker: false, sequence: 1, transport: { id: 3, sequence: 7 } });
    expect(write(packet)).toEqual(fixture);
  });

  it('of other senders are read despite contributing sources, unknown extensions and padding', () => {
    const fixture = hex('b1 60 0002 00000001 0000000a 0000000b bede 0002 10 ff 31 0009 00 00 00 aabb 000003');
    const packet = parseRtp(fixture, 3)!;
    expect(packet.transport).toEqual({ id: 3, sequence: 9 });
    expect(Buffer.from(packet.payload).toString('hex')).toBe('aabb');
  });

  it('that are truncated or of another version are refused', () => {
    expect(parseRtp(hex('8060'))).toBeUndefined();
    expect(parseRtp(hex('4060000100000001000000010000'))).toBeUndefined();
    expect(parseRtp(hex('906000010000000100000001bede00ff'))).toBeUndefined();
  });
});

describe('H.264 packets', () => {
  it('aggregate the headers with a small picture and omit SEI', () => {
    const unit = hex('00000001 6742c01f 00000001 68ce3c80 000001 0605ff 000001 658884');
    const payloads = packetizeH264(unit);
    expect(payloads.map((payload) => Buffer.from(payload).toString('hex'))).toEqual([
      '78 0004 6742c01f 0004 68ce3c80 0003 658884'.replaceAll(' ', ''),
    ]);
  });

  it('fragment a large picture into parts that reassemble to it', () => {
    const unit = Uint8Array.of(0x65, ...bytes(5000));
    const payloads = packetizeH264(Uint8Array.of(0, 0, 0, 1, ...unit), 1000);
    expect(payloads.every((payload) => payload.length <= 1000)).toBe(true);
    expect(payloads.map((payload) => payload[0]! & 31)).toEqual(payloads.map(() => 28));
    expect([payloads[0]![1]! & 0xc0, payloads.at(-1)![1]! & 0xc0]).toEqual([0x80, 0x40]);
    const joined = payloads.flatMap((payload) => [...payload.subarray(2)]);
    expect([(payloads[0]![0]! & 0xe0) | (payloads[0]![1]! & 31), ...joined]).toEqual([...unit]);
  });

  it('find every unit of a stream, whatever its start codes', () => {
    const units = splitAnnexB(hex('000001 41aa 00000001 41bb00 000001 41cc'));
    expect(units.map((unit) => Buffer.from(unit).toString('hex'))).toEqual(['41aa', '41bb', '41cc']);
  });
});

describe('VP8 packets', () => {
  it('carry a 15-bit picture number and mark the first part', () => {
    const payloads = packetizeVp8(bytes(2500), 0x1234, 1004);
    expect(payloads.map((payload) => Buffer.from(payload.subarray(0, 4)).toString('hex'))).toEqual([
      '90809234',
      '80809234',
      '80809234',
    ]);
    expect(payloads.flatMap((payload) => [...payload.subarray(4)])).toEqual([...bytes(2500)]);
  });
});

describe('RTCP', () => {
  it('of a sender contains a report and a source description', () => {
    const packet = writeSenderReport({
      ssrc: 0x11223344,
      wallMs: 500,
      timestamp: 0x01020304,
      packets: 7,
      bytes: 900,
      cname: 'ab',
    });
    expect(packet.toString('hex')).toBe(
      '80c8000611223344 83aa7e80 80000000 01020304 00000007 00000384 81ca0003 11223344 01026162 00000000'.replaceAll(
        ' ',
        '',
      ),
    );
    expect(isRtcp(packet)).toBe(true);
  });

  it('of a browser is parsed: report, lost packets, keyframe requests', () => {
    const compound = Buffer.concat([
      writeReceiverReport(1, {
        ssrc: 0xaabbccdd,
        lost: 0.25,
        totalLost: 12,
        highest: 70_000,
        jitter: 9,
        lastReport: 0x80000000,
        delay: 65_536,
      }),
      writeNack(1, 0xaabbccdd, [65_535, 0, 5, 40]),
      writePictureLoss(1, 0xaabbccdd),
      hex('84ce0004 00000001 00000000 aabbccdd 05000000'),
      hex('81cb0001 00000001'),
    ]);
    const messages = parseRtcp(compound);
    expect(messages).toMatchObject([
      { type: 'report', blocks: [{ ssrc: 0xaabbccdd, lost: 0.25, totalLost: 12, highest: 70_000 }] },
      { type: 'nack', ssrc: 0xaabbccdd, sequences: [65_535, 0, 5, 40] },
      { type: 'keyframe', by: 'pli' },
      { type: 'keyframe', by: 'fir' },
      { type: 'goodbye' },
    ]);
  });

  it('that is truncated is read up to the cut', () => {
    const whole = Buffer.concat([writePictureLoss(1, 2), writeNack(1, 2, [3])]);
    for (let length = 0; length < whole.length; length++) {
      const messages = parseRtcp(whole.subarray(0, length));
      expect(messages.length).toBeLessThanOrEqual(1);
    }
    expect(parseRtcp(hex('8fcd0003 00000001 00000002 00000000'))).toEqual([]);
  });

  it('computes the round trip from the report that the peer answers', () => {
    const wallMs = 1_000_000;
    // Middle 32 bits of NTP time one second earlier; the peer held it for 0.9 s.
    const seconds = (999 + 2_208_988_800) & 0xffff;
    const block = {
      ssrc: 1,
      lost: 0,
      totalLost: 0,
      highest: 0,
      jitter: 0,
      lastReport: (seconds << 16) >>> 0,
      delay: 58_982,
    };
    expect(roundTrip(block, wallMs)).toBeCloseTo(100, 0);
    expect(roundTrip({ ...block, lastReport: 0 }, wallMs)).toBeUndefined();
  });

  it('reports every packet by transport-wide feedback, in runs and vectors', () => {
    const arrivals = [
      { sequence: 65_534, atMs: 1000 },
      { sequence: 65_535, atMs: undefined },
      { sequence: 0, atMs: 1000.5 },
      { sequence: 1, atMs: 1200 },
      { sequence: 2, atMs: 1199 },
    ];
    const [message] = parseRtcp(writeTransportFeedback(1, 2, { count: 3, arrivals }));
    expect(message).toEqual({ type: 'transport', feedback: { count: 3, arrivals } });
    // A run of three small deltas, then a vector of 14 one-bit symbols, as browsers send them.
    const [runs] = parseRtcp(
      hex('8fcd0006 00000001 00000002 000a 0005 000001 00 2003 a000 04 08 00 0c 000000'.padEnd(70, '0')),
    );
    expect(runs?.type === 'transport' && runs.feedback.arrivals.map(({ atMs }) => atMs)).toEqual([
      65,
      67,
      67,
      70,
      undefined,
    ]);
  });
});

describe('a sender', () => {
  const open = (sent: Uint8Array[]): RtpSender =>
    new RtpSender({
      kind: 'picture',
      pacer: new Pacer(1_000_000),
      ssrc: 5,
      payloadType: 96,
      rtx: { ssrc: 6, payloadType: 97 },
      transport: { id: 3, sequence: new TransportSequence() },
      send: (packet) => sent.push(Uint8Array.from(packet)) > 0,
      first: { sequence: 65_534, timestamp: 2 ** 32 - 1000 },
    });

  it('numbers packets past the end of the range and marks the last of a frame', () => {
    const sent: Uint8Array[] = [];
    open(sent).sendFrame([bytes(3), bytes(3), bytes(3)], 3600, { nowMs: 0, marker: true });
    const packets = sent.map((packet) => parseRtp(packet, 3)!);
    expect(packets.map(({ sequence }) => sequence)).toEqual([65_534, 65_535, 0]);
    expect(packets.map(({ marker }) => marker)).toEqual([false, false, true]);
    expect(packets.map(({ timestamp }) => timestamp)).toEqual([2600, 2600, 2600]);
    expect(packets.map(({ transport }) => transport?.sequence)).toEqual([0, 1, 2]);
  });

  it('retransmits lost packets over RTX with their old number, once per round trip, and not when they are old', () => {
    const sent: Uint8Array[] = [];
    const sender = open(sent);
    sender.sendFrame([Uint8Array.of(1, 2, 3)], 0, { nowMs: 0, marker: true });
    expect(sender.retransmit([65_534, 17], 100, 50)).toBe(1);
    expect(sender.retransmit([65_534], 120, 50)).toBe(0);
    expect(sender.retransmit([65_534], 200, 50)).toBe(1);
    expect(sender.retransmit([65_534], 9000, 50)).toBe(0);
    const rtx = parseRtp(sent[1]!)!;
    expect(rtx).toMatchObject({ ssrc: 6, payloadType: 97, marker: true, timestamp: 2 ** 32 - 1000 });
    expect([...rtx.payload]).toEqual([0xff, 0xfe, 1, 2, 3]);
  });

  it('retransmits nothing from before the last keyframe', () => {
    const sent: Uint8Array[] = [];
    const sender = open(sent);
    sender.sendFrame([bytes(3)], 0, { nowMs: 0, marker: true });
    sender.sendFrame([bytes(3)], 3600, { nowMs: 40, marker: true, isKeyframe: true });
    expect(sender.retransmit([65_534, 65_535], 100, 50)).toBe(1);
    expect(parseRtp(sent[2]!)!.payload.subarray(0, 2)).toEqual(Uint8Array.of(0xff, 0xff));
  });
});

describe('a pacer', () => {
  /** Sends `count` packets of 1140 bytes, with headers 9600 bits, and returns when each left. */
  const open = (target: number) => {
    let nowMs = 0;
    const pacer = new Pacer(target, () => nowMs);
    const left: { name: string; atMs: number }[] = [];
    const send = (kind: 'sound' | 'repair' | 'picture', name: string = kind) =>
      pacer.send(kind, 1140, (atMs) => left.push({ name, atMs }));
    return {
      pacer,
      left,
      send,
      /** Lets time pass in steps of 1 ms. */
      pass(ms: number) {
        for (let n = 0; n < ms; n++) {
          nowMs++;
          vi.advanceTimersByTime(1);
        }
      },
    };
  };

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends the first keyframe at once, and later ones at the rate of a narrow link, sound before them', () => {
    const { left, send, pass } = open(100_000);
    for (let n = 0; n < 41; n++) send('picture');
    expect(left).toHaveLength(41);
    pass(1000);
    for (let n = 0; n < 20; n++) send('picture');
    const before = left.length;
    send('sound');
    expect(left.slice(before).map(({ name }) => name)).toEqual(['sound']);
    pass(1000);
    const bits = 9600 * (left.length - 41);
    expect(bits).toBeGreaterThan(100_000);
    expect(bits).toBeLessThan(160_000);
  });

  it('puts retransmissions before pictures, limits them to a quarter of the bandwidth, and drops those that wait too long', () => {
    const { pacer, left, send, pass } = open(400_000);
    // Spends what may leave at once.
    for (let n = 0; n < 42; n++) send('picture');
    pass(1000);
    const accepted = Array.from({ length: 100 }, () => send('repair')).filter(Boolean).length;
    expect(accepted).toBe(Math.floor((400_000 * 0.25 * 0.5) / 9600));
    pass(1000);
    left.length = 0;
    send('picture', 'first');
    while (pacer.backlogMs < 20) send('picture', 'waiting');
    send('repair');
    pass(100);
    const names = left.map(({ name }) => name);
    expect(names.indexOf('repair')).toBeLessThan(names.lastIndexOf('waiting'));
    left.length = 0;
    for (let n = 0; n < 300; n++) send('sound');
    expect(send('repair', 'late')).toBe(true);
    pass(5000);
    expect(left.map(({ name }) => name)).not.toContain('late');
    expect(pacer.backlogMs).toBe(0);
  });

  it('sends nothing after it is closed', () => {
    const { pacer, left, send, pass } = open(100_000);
    for (let n = 0; n < 60; n++) send('picture');
    const sent = left.length;
    pacer.close();
    pass(2000);
    expect(left).toHaveLength(sent);
  });
});

describe('the bandwidth', () => {
  it('is for the sound first, and never leaves the picture less than 40 kbit/s', () => {
    const clean = { loss: 0, repeats: true };
    expect(divide(800_000, clean)).toEqual({ soundBits: 40_000, copies: 1, videoBits: 626_400 });
    expect(divide(200_000, clean)).toMatchObject({ soundBits: 40_000, copies: 0 });
    expect(divide(150_000, clean)).toMatchObject({ soundBits: 24_000, copies: 0 });
    expect(divide(120_000, clean)).toMatchObject({ soundBits: 16_000, copies: 0 });
    expect(divide(76_000, clean)).toEqual({ soundBits: 12_000, copies: 0, videoBits: 40_000 });
  });

  it('repeats sound by the measured loss, where the peer reads it', () => {
    const copies = (total: number, loss: number, repeats = true) => divide(total, { loss, repeats }).copies;
    expect([0, 0.03, 0.1].map((loss) => copies(150_000, loss))).toEqual([0, 1, 1]);
    expect([0, 0.03, 0.1].map((loss) => copies(500_000, loss))).toEqual([1, 2, 2]);
    expect(copies(500_000, 0.1, false)).toBe(0);
  });
});

describe('redundant sound', () => {
  it('is a packet of RFC 2198 with the payloads before it, oldest first', () => {
    const red = new RedPacketizer(111);
    expect(red.next(Uint8Array.of(1, 1), 0, 2)).toBeUndefined();
    expect(Buffer.from(red.next(Uint8Array.of(2, 2, 2), 960, 2)!).toString('hex')).toBe('ef0f00026f0101020202');
    // Ages of 1920 and 960 ticks in 14 bits, lengths of 2 and 3 bytes in 10 bits.
    expect(Buffer.from(red.next(Uint8Array.of(3), 1440, 2) ?? []).length).toBe(0);
    expect(Buffer.from(red.next(Uint8Array.of(3, 3), 1920, 2)!).toString('hex')).toBe(
      'ef1e0002ef0f00036f01010202020303',
    );
    expect(Buffer.from(red.next(Uint8Array.of(4, 4), 2880, 1)!).toString('hex')).toBe('ef0f00026f03030404');
    expect(red.next(Uint8Array.of(5, 5), 3840, 0)).toBeUndefined();
  });

  it('has no copies of what is too old for its header', () => {
    const red = new RedPacketizer(111);
    red.next(Uint8Array.of(1, 1), 0, 2);
    expect(red.next(Uint8Array.of(2, 2), 20_000, 2)).toBeUndefined();
  });
});
