import { PACKET_OVERHEAD, type Pacer } from './pacer.js';
import { MAX_HEADER, type RtpPacket, writeRtp } from './packet.js';
import { writeSenderReport } from './rtcp.js';
import type { TransportSequence } from './transport-sequence.js';

/** Packets in the retransmit buffer: more than 2 s of video at the highest rate. Power of two. */
const BUFFERED_PACKETS = 1024;
/** Older packets are not retransmitted: the receiver has requested a keyframe by then. */
const BUFFERED_MS = 2000;
/** Room for any packet: payloads stay below what a UDP datagram carries everywhere. */
const MAX_BYTES = 2048;

/** How a stream is sent. */
export interface SenderOptions {
  readonly kind: 'sound' | 'picture';
  /** Of the connection; decides when packets leave. */
  readonly pacer: Pacer;
  readonly ssrc: number;
  readonly payloadType: number;
  /** RTX stream for retransmissions (RFC 4588); without it lost packets are not sent again. */
  readonly rtx?: { readonly ssrc: number; readonly payloadType: number };
  /** Transport-wide numbers of the connection's packets, when the peer supports them. */
  readonly transport?: { readonly id: number; readonly sequence: TransportSequence };
  /** Id of the playout delay's extension: the player shows pictures as soon as it has them. */
  readonly playoutDelayId?: number | undefined;
  /** Passes a packet to the connection, which copies it before it returns. */
  readonly send: (packet: Uint8Array) => void;
  /** First values, so that packets of two sessions cannot be confused (RFC 3550 section 5.1). */
  readonly first: { readonly sequence: number; readonly timestamp: number };
}

/** A sent packet for retransmission. Payloads of idle loops are shared by all sessions, so they take no memory here. */
interface BufferedPacket {
  readonly sequence: number;
  readonly timestamp: number;
  readonly marker: boolean;
  readonly payload: Uint8Array;
  readonly sentMs: number;
  retransmittedMs: number;
}

/** When and how a frame is sent. */
export interface FrameSending {
  readonly nowMs: number;
  /** Marker bit of the last packet. */
  readonly marker: boolean;
  /** Leaves the transport-wide number out: the peer then sends no feedback about it. */
  readonly unnumbered?: boolean;
  /** Instead of the stream's. */
  readonly payloadType?: number | undefined;
  /** Decoding begins here, so that nothing earlier is retransmitted. */
  readonly isKeyframe?: boolean;
}

/** One outgoing RTP stream: numbers packets, buffers them for retransmission and counts them for sender reports. */
export class RtpSender {
  private sequence: number;
  private rtxSequence: number;
  /** Time of the last keyframe. */
  private keyframeMs = Number.NEGATIVE_INFINITY;
  private packets = 0;
  private bytes = 0;
  private readonly retransmitBuffer: (BufferedPacket | undefined)[] = [];
  private readonly scratch = Buffer.allocUnsafe(MAX_HEADER + MAX_BYTES);

  constructor(private readonly options: SenderOptions) {
    this.sequence = options.first.sequence & 0xffff;
    this.rtxSequence = (options.first.sequence * 7 + 1) & 0xffff;
  }

  /** Bytes of media sent so far, retransmissions included. */
  get sentBytes(): number {
    return this.bytes;
  }

  /**
   * Sends one frame's payloads. `ticks` is the frame's time on the stream's clock from 0. The marker is set on the last
   * packet of a video frame; for sound the caller sets it on the first packet after silence.
   */
  sendFrame(payloads: readonly Uint8Array[], ticks: number, at: FrameSending): void {
    const { kind, pacer, ssrc, rtx } = this.options;
    const { nowMs, unnumbered = false, payloadType = this.options.payloadType } = at;
    if (at.isKeyframe) this.keyframeMs = nowMs;
    const timestamp = this.timestampOf(ticks);
    const last = payloads.length - 1;
    for (let index = 0; index <= last; index++) {
      const payload = payloads[index]!;
      const sequence = this.sequence;
      this.sequence = (sequence + 1) & 0xffff;
      const marker = at.marker && index === last;
      const packet = { payloadType, marker, sequence, timestamp, ssrc, payload };
      pacer.send(kind, payload.length, (sentMs) => this.finish(packet, sentMs, unnumbered));
      this.packets++;
      this.bytes += payload.length;
      if (!rtx) continue;
      const buffered = { sequence, timestamp, marker, payload, sentMs: nowMs, retransmittedMs: -Infinity };
      this.retransmitBuffer[sequence & (BUFFERED_PACKETS - 1)] = buffered;
    }
  }

  /**
   * Sends lost packets again over the RTX stream, except those that were retransmitted less than `roundTripMs` ago, those before the last keyframe,
   * and what the pacer's limit excludes. Returns the number of packets that will be sent.
   */
  retransmit(sequences: readonly number[], nowMs: number, roundTripMs: number): number {
    const { rtx, pacer } = this.options;
    if (!rtx) return 0;
    let retransmitted = 0;
    for (const sequence of sequences) {
      const buffered = this.retransmitBuffer[sequence & (BUFFERED_PACKETS - 1)];
      if (!buffered || buffered.sequence !== sequence || nowMs - buffered.sentMs > BUFFERED_MS) continue;
      if (nowMs - buffered.retransmittedMs < Math.max(10, roundTripMs)) continue;
      if (buffered.sentMs < this.keyframeMs) continue;
      const { marker, timestamp } = buffered;
      const payload = new Uint8Array(2 + buffered.payload.length);
      payload[0] = sequence >> 8;
      payload[1] = sequence & 255;
      payload.set(buffered.payload, 2);
      const isSent = pacer.send('repair', payload.length, (sentMs) => {
        const rtxSequence = this.rtxSequence;
        this.rtxSequence = (rtxSequence + 1) & 0xffff;
        this.finish(
          { payloadType: rtx.payloadType, marker, sequence: rtxSequence, timestamp, ssrc: rtx.ssrc, payload },
          sentMs,
          false,
        );
      });
      if (!isSent) break;
      buffered.retransmittedMs = nowMs;
      this.bytes += payload.length;
      retransmitted++;
    }
    return retransmitted;
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

  private finish(packet: RtpPacket, nowMs: number, unnumbered: boolean): void {
    const { transport: numbers, playoutDelayId, send } = this.options;
    const transport =
      numbers && !unnumbered
        ? { id: numbers.id, sequence: numbers.sequence.next(packet.payload.length + PACKET_OVERHEAD, nowMs) }
        : undefined;
    const { payloadType, marker, sequence, timestamp, ssrc, payload } = packet;
    const extended = { payloadType, marker, sequence, timestamp, ssrc, payload, transport, playoutDelayId };
    send(this.scratch.subarray(0, writeRtp(extended, this.scratch)));
  }
}
