import ndc, { type DataChannel, type PeerConnection, type Track } from 'node-datachannel';
import type { LiveEvent } from '../contract.js';
import { isRtcp, parseRtp, type RtpPacket } from '../rtp/packet.js';
import { writeNack, writePictureLoss, writeReceiverReport } from '../rtp/rtcp.js';
import { type PacketArrival, writeTransportFeedback } from '../rtp/transport-feedback.js';
import { releaseAtEnd } from '../transport/transport.js';

/** Extension id of the transport-wide sequence number in our offers. */
const TRANSPORT_ID = 3;
const FEEDBACK_MS = 50;
const REPORT_MS = 1000;
/** Missing packets are requested again after this time. */
const NACK_AGAIN_MS = 60;
const NACK_TIMES = 6;
/** A frame that is incomplete after this time is dropped, and a keyframe is requested. */
const PATIENCE_MS = 600;

/** How a receiver behaves. */
export interface ReceiverOptions {
  /** Returns true for packets that the link loses; `index` counts all RTP packets from 0, `nowMs` is the monotonic clock. */
  readonly loses?: (index: number, packet: RtpPacket, nowMs: number) => boolean;
  /** ms by which the link delays packet `index`; different delays reorder packets. */
  readonly delays?: (index: number) => number;
  /** Requests retransmission of lost packets; true when absent. */
  readonly nack?: boolean;
  readonly codec?: 'H264' | 'VP8';
  /** Accepts redundant sound; its packets reach `onSound` as they come. */
  readonly red?: boolean;
  readonly onSound?: (packet: RtpPacket) => void;
  readonly onFrame?: (frame: ReceivedFrame) => void;
  readonly onEvent?: (event: LiveEvent) => void;
}

/** A complete video frame's payloads, in order. */
export interface ReceivedFrame {
  readonly timestamp: number;
  readonly payloads: readonly Uint8Array[];
  readonly atMs: number;
}

/** Counters of a receiver. */
export interface ReceiverCounts {
  packets: number;
  lost: number;
  repeated: number;
  frames: number;
  /** Dropped frames. */
  broken: number;
  keyframeRequests: number;
  bytes: number;
  firstFrameMs: number | undefined;
  firstPacketMs: number | undefined;
}

/** A peer on plain RTP: it answers an offer, sends reports like a browser and simulates losses. The creator closes it. */
export class Receiver {
  readonly counts: ReceiverCounts = {
    packets: 0,
    lost: 0,
    repeated: 0,
    frames: 0,
    broken: 0,
    keyframeRequests: 0,
    bytes: 0,
    firstFrameMs: undefined,
    firstPacketMs: undefined,
  };
  private readonly connection: PeerConnection;
  private readonly tracks = new Map<string, Track>();
  private channel: DataChannel | undefined;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly video = new Map<number, RtpPacket>();
  private readonly missing = new Map<number, { times: number; nextMs: number; sinceMs: number }>();
  private readonly reports = new Map<number, { middle: number; atMs: number; wallMs: number; timestamp: number }>();
  private arrivals: PacketArrival[] = [];
  private feedbacks = 0;
  private index = 0;
  private nextFrame: number | undefined;
  private highest: number | undefined;
  private waitingForKey = true;
  private isClosed = false;
  private expected = 0;
  private received = 0;
  private readonly own = 0x1234567;
  private readonly firstTimestamp: { audio?: number; video?: number } = {};
  private ssrc: { audio: number; video: number };
  private payloads: { video: number; rtx: number };

  constructor(
    offer: string,
    private readonly options: ReceiverOptions = {},
  ) {
    this.ssrc = { audio: firstSsrc(offer, 'audio'), video: firstSsrc(offer, 'video') };
    this.payloads = options.codec === 'VP8' ? { video: 96, rtx: 97 } : { video: 102, rtx: 103 };
    this.connection = new ndc.PeerConnection('receiver', { iceServers: [], disableAutoNegotiation: true });
    // Releases the connection at its end, as `releaseAtEnd` does with other objects.
    this.connection.onStateChange(() => undefined);
    this.connection.onTrack((track) => {
      this.tracks.set(track.mid(), track);
      releaseAtEnd(track);
      track.onMessage((message) => this.onMessage(message));
    });
    this.connection.onDataChannel((channel) => {
      // The native library closes a channel that is garbage collected.
      this.channel = channel;
      releaseAtEnd(channel);
      channel.onMessage((text) => options.onEvent?.(JSON.parse(String(text)) as LiveEvent));
    });
    this.connection.setRemoteDescription(offer, 'offer');
  }

  /** The answer with all candidates. */
  async answer(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.connection.onGatheringStateChange((state) => {
        if (state === 'complete') resolve();
      });
      this.connection.setLocalDescription('answer');
    });
    this.timers.push(setInterval(() => this.sendFeedback(), FEEDBACK_MS));
    this.timers.push(setInterval(() => this.sendReports(), REPORT_MS));
    const { sdp } = this.connection.localDescription() ?? { sdp: '' };
    // The library answers with all offered payload types; the preferred one must be first.
    const withChoice = sdp
      .replace(/(m=video \S+ \S+) [\d ]+/, `$1 ${this.payloads.video} ${this.payloads.rtx}`)
      .replace(/(m=audio \S+ \S+) [\d ]+/, this.options.red ? '$1 111 63' : '$1 111');
    const extension = `a=extmap:${TRANSPORT_ID} http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01`;
    return withChoice.includes('a=extmap:')
      ? withChoice
      : withChoice.replaceAll(/(a=mid:[01]\r\n)/g, `$1${extension}\r\n`);
  }

  /** The sender's wall clock (ms since 1900) at a timestamp of one of its streams, from its latest report. */
  wallMsOf(kind: 'audio' | 'video', timestamp: number): number | undefined {
    const report = this.reports.get(this.ssrc[kind]);
    return report && report.wallMs + ((timestamp - report.timestamp) | 0) / (kind === 'audio' ? 48 : 90);
  }

  /** Wall time of the first packet of picture minus that of the first packet of sound, ms. */
  get clockOffsetMs(): number | undefined {
    const { audio, video } = this.firstTimestamp;
    if (audio === undefined || video === undefined) return undefined;
    const [audioMs, videoMs] = [this.wallMsOf('audio', audio), this.wallMsOf('video', video)];
    return audioMs === undefined || videoMs === undefined ? undefined : videoMs - audioMs;
  }

  /** Requests a keyframe. */
  requestKeyframe(): void {
    this.counts.keyframeRequests++;
    this.send('1', writePictureLoss(this.own, this.ssrc.video));
  }

  /** Sends raw bytes back on the video stream. */
  sendRaw(bytes: Uint8Array): void {
    this.send('1', bytes);
  }

  /** Stops all feedback without closing the connection. */
  mute(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  /** Idempotent. */
  close(): void {
    this.isClosed = true;
    this.mute();
    for (const track of this.tracks.values()) track.close();
    this.tracks.clear();
    this.channel?.close();
    this.connection.close();
  }

  private onMessage(message: Uint8Array): void {
    if (isRtcp(message)) {
      this.onSenderReport(message, performance.now());
      return;
    }
    const packet = parseRtp(message, TRANSPORT_ID);
    if (!packet) return;
    const index = this.index++;
    const isLost = this.options.loses?.(index, packet, performance.now()) ?? false;
    const delayMs = this.options.delays?.(index) ?? 0;
    if (delayMs === 0) this.onPacket(message, packet, isLost);
    else setTimeout(() => this.onPacket(message, packet, isLost), delayMs);
  }

  private onPacket(message: Uint8Array, packet: RtpPacket, isLost: boolean): void {
    if (this.isClosed) return;
    const nowMs = performance.now();
    this.counts.firstPacketMs ??= nowMs;
    if (packet.transport) {
      this.arrivals.push({ sequence: packet.transport.sequence, atMs: isLost ? undefined : nowMs });
    }
    if (isLost) {
      this.counts.lost++;
      return;
    }
    this.counts.packets++;
    this.counts.bytes += message.length;
    if (packet.ssrc === this.ssrc.audio) {
      this.firstTimestamp.audio ??= packet.timestamp;
      this.options.onSound?.(packet);
      return;
    }
    this.onVideo(packet, nowMs);
  }

  private onVideo(packet: RtpPacket, nowMs: number): void {
    this.firstTimestamp.video ??= packet.timestamp;
    if (packet.payloadType === this.payloads.rtx) {
      const sequence = (packet.payload[0]! << 8) | packet.payload[1]!;
      this.counts.repeated++;
      this.take({ ...packet, sequence, payload: packet.payload.subarray(2) }, nowMs);
      return;
    }
    this.received++;
    if (this.highest === undefined) {
      this.nextFrame = packet.sequence;
      this.expected = 1;
    } else {
      const ahead = (packet.sequence - this.highest) & 0xffff;
      if (ahead < 0x8000) this.expected += ahead;
      for (let n = 1; n < ahead && ahead < 0x8000; n++) {
        this.missing.set((this.highest + n) & 0xffff, { times: 0, nextMs: nowMs, sinceMs: nowMs });
      }
    }
    const isLate = this.highest !== undefined && ((packet.sequence - this.highest) & 0xffff) >= 0x8000;
    if (!isLate) this.highest = packet.sequence;
    this.take(packet, nowMs);
    this.askForMissing(nowMs);
  }

  private take(packet: RtpPacket, nowMs: number): void {
    this.missing.delete(packet.sequence);
    this.video.set(packet.sequence, packet);
    this.assemble(nowMs);
  }

  /** Removes complete frames, in order. */
  private assemble(nowMs: number): void {
    for (;;) {
      if (this.nextFrame === undefined) return;
      const payloads: Uint8Array[] = [];
      let sequence = this.nextFrame;
      let packet = this.video.get(sequence);
      const timestamp = packet?.timestamp ?? 0;
      while (packet && !packet.marker) {
        payloads.push(packet.payload);
        sequence = (sequence + 1) & 0xffff;
        packet = this.video.get(sequence);
      }
      if (!packet) return;
      payloads.push(packet.payload);
      for (let at = this.nextFrame; at !== ((sequence + 1) & 0xffff); at = (at + 1) & 0xffff) this.video.delete(at);
      this.nextFrame = (sequence + 1) & 0xffff;
      this.onFrame({ timestamp, payloads, atMs: nowMs });
    }
  }

  private onFrame(frame: ReceivedFrame): void {
    if (this.waitingForKey && !this.isKeyframe(frame.payloads[0]!)) return;
    this.waitingForKey = false;
    this.counts.frames++;
    this.counts.firstFrameMs ??= frame.atMs;
    this.options.onFrame?.(frame);
  }

  private isKeyframe(payload: Uint8Array): boolean {
    // VP8: the P bit of the frame tag after our descriptor of four bytes. H.264: every keyframe starts with headers.
    if (this.options.codec === 'VP8') return (payload[4]! & 1) === 0;
    const type = payload[0]! & 31;
    return type === 24 || type === 7 || type === 5;
  }

  private askForMissing(nowMs: number): void {
    const wanted: number[] = [];
    for (const [sequence, gap] of this.missing) {
      if (nowMs - gap.sinceMs > PATIENCE_MS || (this.options.nack === false && nowMs - gap.sinceMs > 100)) {
        this.giveUp();
        return;
      }
      if (this.options.nack === false || gap.nextMs > nowMs || gap.times >= NACK_TIMES) continue;
      gap.times++;
      gap.nextMs = nowMs + NACK_AGAIN_MS;
      wanted.push(sequence);
    }
    if (wanted.length > 0) this.send('1', writeNack(this.own, this.ssrc.video, wanted));
  }

  /** Skips the incomplete frame and waits for a keyframe. */
  private giveUp(): void {
    this.missing.clear();
    this.video.clear();
    this.counts.broken++;
    this.waitingForKey = true;
    this.nextFrame = this.highest === undefined ? undefined : (this.highest + 1) & 0xffff;
    this.requestKeyframe();
  }

  private sendFeedback(): void {
    this.askForMissing(performance.now());
    if (this.arrivals.length === 0) return;
    const sorted = this.arrivals.sort((a, b) => ((a.sequence - b.sequence) << 16) >> 16);
    this.arrivals = [];
    this.send('1', writeTransportFeedback(this.own, this.ssrc.video, { count: this.feedbacks++, arrivals: sorted }));
  }

  private sendReports(): void {
    for (const [mid, ssrc] of [
      ['0', this.ssrc.audio],
      ['1', this.ssrc.video],
    ] as const) {
      const report = this.reports.get(ssrc);
      const lost = mid === '1' && this.expected > 0 ? Math.max(0, 1 - this.received / this.expected) : 0;
      if (mid === '1') [this.expected, this.received] = [0, 0];
      const block = {
        ssrc,
        lost,
        totalLost: 0,
        highest: mid === '1' ? (this.highest ?? 0) : 0,
        jitter: 0,
        lastReport: report?.middle ?? 0,
        delay: report ? Math.round(((performance.now() - report.atMs) * 65_536) / 1000) : 0,
      };
      this.send(mid, writeReceiverReport(this.own, block));
    }
  }

  private onSenderReport(message: Uint8Array, atMs: number): void {
    const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
    if (message[1] !== 200 || message.length < 28) return;
    const wallMs = view.getUint32(8) * 1000 + (view.getUint32(12) * 1000) / 2 ** 32;
    const middle = ((view.getUint16(10) << 16) | view.getUint16(12)) >>> 0;
    this.reports.set(view.getUint32(4), { middle, atMs, wallMs, timestamp: view.getUint32(16) });
  }

  private send(mid: string, packet: Uint8Array): void {
    const track = this.tracks.get(mid);
    if (track?.isOpen()) track.sendMessageBinary(packet as Buffer);
  }
}

function firstSsrc(offer: string, kind: 'audio' | 'video'): number {
  const section = offer.slice(offer.indexOf(`m=${kind}`));
  return Number(/a=ssrc:(\d+) /.exec(section)?.[1]);
}
