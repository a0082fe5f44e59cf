import { parseRtp, writeRtp } from './packet.js';
import { writeSenderReport } from './rtcp.js';
import type { TransportSequence } from './transport-sequence.js';

/** Packets kept for sending again; more than 2 s of video at the highest rate. Power of two. */
const KEPT = 1024;
/** A packet that is older is of no use: the receiver has asked for a keyframe by then. */
const KEPT_MS = 2000;

/** How a stream is sent. */
export interface SenderOptions {
  readonly ssrc: number;
  /** Ticks a second of its timestamps. */
  readonly clockRate: number;
  readonly payloadType: number;
  /** Where repeated packets go (RFC 4588); without it nothing is repeated. */
  readonly rtx?: { readonly ssrc: number; readonly payloadType: number };
  /** Numbers every packet of the connection, when the peer wants it. */
  readonly transport?: { readonly id: number; readonly sequence: TransportSequence };
  /** Hands a packet to the connection; false when it could not take it. */
  readonly send: (packet: Uint8Array) => boolean;
  /** First values, so that packets of two sessions cannot be confused (RFC 3550 section 5.1). */
  readonly first: { readonly sequence: number; readonly timestamp: number };
}

interface Kept {
  readonly sequence: number;
  readonly packet: Uint8Array;
  readonly sentMs: number;
  repeatedMs: number;
}

/** One outgoing RTP stream: numbers packets, remembers them for repetition, counts for its reports. */
export class RtpSender {
  private sequence: number;
  private rtxSequence: number;
  private packets = 0;
  private bytes = 0;
  private readonly kept: (Kept | undefined)[] = [];

  constructor(private readonly options: SenderOptions) {
    this.sequence = options.first.sequence & 0xffff;
    this.rtxSequence = (options.first.sequence * 7 + 1) & 0xffff;
  }

  /** Bytes of media sent so far, repetitions included. */
  get sentBytes(): number {
    return this.bytes;
  }

  /** Packets sent so far, without repetitions. */
  get sentPackets(): number {
    return this.packets;
  }

  /**
   * Sends one frame's payloads. `ticks` is the frame's time on the stream's clock from 0. The marker goes to the last
   * packet of a video frame; for sound the caller says whether it starts after silence.
   */
  sendFrame(payloads: readonly Uint8Array[], ticks: number, at: { nowMs: number; marker: boolean }): void {
    const { payloadType, ssrc, rtx } = this.options;
    const timestamp = this.timestampOf(ticks);
    payloads.forEach((payload, index) => {
      const sequence = this.sequence;
      this.sequence = (sequence + 1) & 0xffff;
      const marker = at.marker && index === payloads.length - 1;
      const packet = this.finish({ payloadType, marker, sequence, timestamp, ssrc, payload }, at.nowMs);
      this.packets++;
      this.bytes += payload.length;
      if (rtx) this.kept[sequence & (KEPT - 1)] = { sequence, packet, sentMs: at.nowMs, repeatedMs: -Infinity };
    });
  }

  /** Sends lost packets again over the RTX stream. One that was repeated less than `roundTripMs` ago is on its way. */
  repeat(sequences: readonly number[], nowMs: number, roundTripMs: number): number {
    const { rtx } = this.options;
    if (!rtx) return 0;
    let repeated = 0;
    for (const sequence of sequences) {
      const kept = this.kept[sequence & (KEPT - 1)];
      if (!kept || kept.sequence !== sequence || nowMs - kept.sentMs > KEPT_MS) continue;
      if (nowMs - kept.repeatedMs < Math.max(10, roundTripMs)) continue;
      kept.repeatedMs = nowMs;
      const original = parseRtp(kept.packet);
      if (!original) continue;
      const payload = new Uint8Array(2 + original.payload.length);
      payload[0] = sequence >> 8;
      payload[1] = sequence & 255;
      payload.set(original.payload, 2);
      const { marker, timestamp } = original;
      const rtxSequence = this.rtxSequence;
      this.rtxSequence = (rtxSequence + 1) & 0xffff;
      this.finish(
        { payloadType: rtx.payloadType, marker, sequence: rtxSequence, timestamp, ssrc: rtx.ssrc, payload },
        nowMs,
      );
      this.bytes += payload.length;
      repeated++;
    }
    return repeated;
  }

  /** Sender report: the wall clock and the stream's clock at one instant. */
  report(wallMs: number, ticks: number, cname: string): Buffer {
    return writeSenderReport({
      ssrc: this.options.ssrc,
      wallMs,
      timestamp: this.timestampOf(ticks),
      packets: this.packets,
      bytes: this.bytes,
      cname,
    });
  }

  private timestampOf(ticks: number): number {
    // A stream may last for days: the remainder keeps the 32-bit conversion exact.
    return (this.options.first.timestamp + (Math.round(ticks) % 2 ** 32) + 2 ** 32) % 2 ** 32;
  }

  private finish(packet: Parameters<typeof writeRtp>[0], nowMs: number): Uint8Array {
    const { transport, send } = this.options;
    const numbered = transport
      ? { ...packet, transport: { id: transport.id, sequence: transport.sequence.next(packet.payload.length, nowMs) } }
      : packet;
    const bytes = writeRtp(numbered);
    send(bytes);
    return bytes;
  }
}
