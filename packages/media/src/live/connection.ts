import { randomInt } from 'node:crypto';
import { SAMPLE_RATE } from '@figurehead/presenter/time';
import { type IceServer, LiveError, type RoomLink } from './contract.js';
import { type Budget, LEAST_BITS, MOST_SOUND_BITS } from './rtp/budget.js';
import { Feedback } from './rtp/feedback.js';
import { Pacer } from './rtp/pacer.js';
import { RedPacketizer } from './rtp/red.js';
import { type FrameSending, RtpSender } from './rtp/sender.js';
import { TransportSequence } from './rtp/transport-sequence.js';
import type { ParsedCandidate } from './transport/candidate.js';
import { formatOffer, type OfferOptions, type ParsedAnswer, parseAnswer, type Ssrcs } from './transport/sdp.js';
import { answerOffer } from './transport/sdp-answer.js';
import type { PeerTransport, TransportEvents, TransportHub } from './transport/transport.js';
import type { VideoCodec } from './video/encoders.js';

/** Ticks per second of video timestamps (RFC 6184 section 8.2.1). */
const VIDEO_CLOCK = 90_000;
/** Candidates stored until the answer arrives. */
const MAX_EARLY = 32;
/** Pictures are skipped while others wait for longer. */
const MAX_BACKLOG_MS = 100;

/** Callbacks of a connection; none is called after `close`. */
export interface ConnectionEvents extends Omit<TransportEvents, 'onRtcp'> {
  /** The peer has accepted; opens what its codecs need while the connection is being made. */
  onAnswered(answer: ParsedAnswer): void;
  onKeyframeRequest(): void;
  /** The bandwidth, or what the peer misses of it, has changed. */
  onBudget(budget: Budget): void;
}

export interface ConnectionOptions {
  readonly hub: TransportHub;
  /** Appears in logs. */
  readonly name: string;
  readonly iceServers: readonly IceServer[];
  /** Offers to receive the viewer's microphone. */
  readonly microphone: boolean;
  /** Bits per second of video, initial and maximum. */
  readonly videoBits: { readonly start: number; readonly max: number };
  /** Offers no video, because the viewer draws the presenter. */
  readonly withoutVideo?: boolean;
  /** The codec of the session's pictures once an earlier connection has chosen it. */
  readonly codec: VideoCodec | undefined;
  /** Publishes to this room instead of a viewer, and leaves it at the end. */
  readonly room?: RoomLink | undefined;
  readonly events: ConnectionEvents;
}

/** What is sent to the peer, and what it says about it. */
interface Streams {
  readonly answer: ParsedAnswer;
  readonly audio: RtpSender | undefined;
  readonly red: RedPacketizer | undefined;
  readonly video: RtpSender | undefined;
  readonly feedback: Feedback;
}

/**
 * A viewer's connection to a session: one offer, one answer, and RTP streams with numbers of their own. A session may replace it by another one while it
 * goes on. The creator closes it.
 */
export class Connection {
  readonly offer: string;
  /** Time of the connection, ms of the monotonic clock. */
  connectedMs = 0;
  /** The data channel `events` is open. */
  canSendEvents = false;
  /** RTP timestamp of sample 0 of the session's clock in the sound. */
  readonly soundTimestamp = randomInt(2 ** 32);
  private readonly ssrcs = randomSsrcs();
  private readonly cname = `figurehead-${randomInt(2 ** 32).toString(36)}`;
  private readonly transport: PeerTransport;
  private answered: { readonly sdp: string; readonly reply?: string } | undefined;
  private streams: Streams | undefined;
  private readonly early: ParsedCandidate[] = [];
  private readonly pacer: Pacer;

  constructor(private readonly options: ConnectionOptions) {
    const { hub, name, iceServers, microphone, room, events } = options;
    this.pacer = new Pacer(options.videoBits.start + MOST_SOUND_BITS);
    this.transport = hub.open({
      name,
      ssrcs: this.ssrcs,
      cname: this.cname,
      iceServers,
      microphone,
      room,
      events: {
        ...events,
        onConnected: () => {
          this.connectedMs = performance.now();
          events.onConnected();
        },
        onGone: (how) => (room ? room.onGone() : events.onGone(how)),
        onRtcp: (packet) => this.streams?.feedback.onRtcp(packet, performance.now(), wallMs()),
        onChannel: () => {
          // The messages of a room have a form of their own.
          if (room) return room.onConnected();
          this.canSendEvents = true;
          events.onChannel();
        },
      },
    });
    this.offer = formatOffer(this.description);
  }

  /** Ids of the tracks in the offer. */
  get trackIds(): { readonly audio: string; readonly video: string } {
    return { audio: `${this.cname}-audio`, video: `${this.cname}-video` };
  }

  /** What the peer accepted. */
  get answer(): ParsedAnswer | undefined {
    return this.streams?.answer;
  }

  get feedback(): Feedback | undefined {
    return this.streams?.feedback;
  }

  /** Pictures wait for the network: another one now would only make it late. */
  get isCongested(): boolean {
    return this.pacer.backlogMs > MAX_BACKLOG_MS;
  }

  /** Bytes of media sent so far. */
  get sentBytes(): { readonly audio: number; readonly video: number } {
    return { audio: this.streams?.audio?.sentBytes ?? 0, video: this.streams?.video?.sentBytes ?? 0 };
  }

  /** Takes the answer to `offer`. Idempotent for the same SDP. Throws `LiveError('bad_answer')`. */
  acceptAnswer(sdp: string): void {
    if (this.answered?.sdp === sdp) return;
    if (this.answered)
      throw new LiveError(
        'bad_answer',
        'expected one answer, got another one: a stream has one viewer. Publish it to a LiveKit room for many.',
      );
    this.accept(parseAnswer(sdp, this.options.withoutVideo), { sdp });
  }

  /** Takes the peer's own offer instead, and returns the answer. Idempotent for the same SDP. Throws `LiveError('bad_offer')`. */
  acceptOffer(sdp: string): string {
    if (this.answered?.sdp === sdp && this.answered.reply !== undefined) return this.answered.reply;
    if (this.answered) throw new LiveError('bad_offer', 'expected one offer or answer, got another one');
    const { answer, sdp: reply } = answerOffer(sdp, this.description);
    this.accept(answer, { sdp, reply });
    return reply;
  }

  addCandidate(candidate: ParsedCandidate): void {
    if (this.answered) this.transport.addCandidate(candidate);
    else if (this.early.length < MAX_EARLY) this.early.push(candidate);
  }

  /** Sends a packet of sound; `sample` is its time on the session's clock. */
  sendSound(payload: Uint8Array, sample: number, at: FrameSending): void {
    const { audio, red, answer, feedback } = this.streams ?? {};
    const redundant = red?.next(payload, sample, feedback?.budget.copies ?? 0);
    const payloadType = redundant && answer?.audio?.redPayloadType;
    audio?.sendFrame([redundant ?? payload], sample, { ...at, payloadType });
  }

  /** Sends a picture; `sample` is its time on the session's clock. */
  sendPicture(payloads: readonly Uint8Array[], sample: number, at: FrameSending): void {
    this.streams?.video?.sendFrame(payloads, (sample * VIDEO_CLOCK) / SAMPLE_RATE, at);
  }

  /** Maps both streams' clocks to one wall clock, so that players can keep lips and sound in sync; `sample` is the present on the session's clock. */
  sendReports(sample: number): void {
    const wall = wallMs();
    const { audio, video } = this.streams ?? {};
    if (audio) this.transport.send('audio', audio.report(wall, sample, this.cname));
    if (video) this.transport.send('video', video.report(wall, (sample * VIDEO_CLOCK) / SAMPLE_RATE, this.cname));
  }

  sendEvent(text: string): void {
    this.transport.sendEvent(text);
  }

  sendMessage(text: string): void {
    this.transport.sendMessage(text);
  }

  /** Sends a message to the room. */
  sendData(message: Uint8Array): void {
    this.transport.sendData(message);
  }

  /** Idempotent. */
  close(): void {
    this.options.room?.leave();
    this.pacer.close();
    this.transport.close();
  }

  /** Inputs of the host's offer or answer. */
  private get description(): OfferOptions {
    const { ssrcs, cname, options } = this;
    const { videoBits, microphone, room, withoutVideo = false } = options;
    const { local } = this.transport;
    const isControlling = room !== undefined;
    return { local, ssrcs, cname, maxVideoBits: videoBits.max, microphone, isControlling, withoutVideo };
  }

  private accept(answer: ParsedAnswer, answered: NonNullable<Connection['answered']>): void {
    const { codec, events } = this.options;
    const chosen = answer.video?.codec;
    if (codec && chosen && chosen !== codec)
      throw new LiveError(
        answered.reply === undefined ? 'bad_answer' : 'bad_offer',
        `expected ${codec}, the session's codec, got ${chosen}`,
      );
    this.transport.accept(answer);
    this.answered = answered;
    this.streams = this.openStreams(answer);
    events.onAnswered(answer);
    for (const candidate of this.early.splice(0)) this.transport.addCandidate(candidate);
  }

  private openStreams(answer: ParsedAnswer): Streams {
    const { videoBits, events } = this.options;
    const sequence = new TransportSequence();
    const shared = answer.transportCcId === undefined ? {} : { transport: { id: answer.transportCcId, sequence } };
    const stream = (kind: 'audio' | 'video') => ({
      ...shared,
      pacer: this.pacer,
      ssrc: this.ssrcs[kind],
      first: {
        sequence: randomInt(2 ** 15),
        timestamp: kind === 'audio' ? this.soundTimestamp : randomInt(2 ** 32),
      },
      send: (packet: Uint8Array) => this.transport.send(kind, packet),
    });
    const audio =
      answer.audio && new RtpSender({ ...stream('audio'), kind: 'sound', payloadType: answer.audio.payloadType });
    const rtx = answer.video?.rtxPayloadType;
    const video =
      answer.video &&
      new RtpSender({
        ...stream('video'),
        kind: 'picture',
        payloadType: answer.video.payloadType,
        playoutDelayId: answer.video.playoutDelayId,
        ...(rtx === undefined ? {} : { rtx: { ssrc: this.ssrcs.rtx, payloadType: rtx } }),
      });
    const repeats = answer.audio?.redPayloadType !== undefined;
    const feedback = new Feedback({
      range: { min: LEAST_BITS, start: videoBits.start + MOST_SOUND_BITS, max: videoBits.max + MOST_SOUND_BITS },
      sequence,
      pacer: this.pacer,
      audioSsrc: this.ssrcs.audio,
      repeats,
      hasTransportFeedback: answer.transportCcId !== undefined,
      video: video && { sender: video, ssrc: this.ssrcs.video },
      onKeyframeRequest: () => events.onKeyframeRequest(),
      onBudget: (budget) => events.onBudget(budget),
    });
    const red = answer.audio && repeats ? new RedPacketizer(answer.audio.payloadType) : undefined;
    return { answer, audio, red, video, feedback };
  }
}

function randomSsrcs(): Ssrcs {
  const audio = 1 + randomInt(2 ** 31);
  return { audio, video: (audio + 0x2545f491) >>> 0, rtx: (audio + 0x4f6cdd1d) >>> 0 };
}

/** Monotonic wall time in ms since 1970, for sender reports. */
function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
