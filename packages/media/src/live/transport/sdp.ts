import { formatCandidate, type PeerParameters } from './candidate.js';
import {
  attribute,
  bad,
  extensionId,
  lines,
  type MediaSection,
  readParameters,
  readSessionDescription,
} from './sdp-reader.js';

/** SDP of a live session (RFC 8829, RFC 8866): an offer of audio, video and a data channel, and its answer. */

/** Order and names of the sections; the same for every session. */
export const MIDS = { audio: '0', video: '1', events: '2' } as const;

/** Payload types in the offer. */
export const PAYLOADS = { opus: 111, red: 63, h264: 102, h264Rtx: 103, vp8: 96, vp8Rtx: 97 } as const;

/** Header extension id of the transport-wide sequence number in the offer. */
const TRANSPORT_CC_ID = 3;
/** URI of that extension. */
export const TRANSPORT_CC = 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01';
/** Header extension id of the playout delay in the offer. */
const PLAYOUT_DELAY_ID = 5;
/** URI of that extension (minimum and maximum playout delay in units of 10 ms). */
export const PLAYOUT_DELAY = 'http://www.webrtc.org/experiments/rtp-hdrext/playout-delay';

/** SSRCs of the streams that a session sends. */
export interface Ssrcs {
  readonly audio: number;
  readonly video: number;
  readonly rtx: number;
}

export interface OfferOptions {
  readonly local: PeerParameters;
  readonly ssrcs: Ssrcs;
  readonly cname: string;
  /** Maximum video bits per second. */
  readonly maxVideoBits: number;
  /** Receives the peer's microphone. */
  readonly microphone: boolean;
  /** The transport makes the offer itself, and then is the controlling agent. */
  readonly isControlling?: boolean;
  /** The viewer draws the presenter. */
  readonly withoutVideo?: boolean;
}

/** How the answer takes Opus. */
export interface ChosenAudio {
  readonly payloadType: number;
  /** Of Opus with copies of earlier packets (RFC 2198), when the peer reads it. */
  readonly redPayloadType: number | undefined;
}

/** The video codec and ids that the answer chose. */
export interface ChosenVideo {
  readonly codec: 'H264' | 'VP8';
  readonly payloadType: number;
  readonly rtxPayloadType: number | undefined;
  /** Id of the playout delay extension, when the peer supports it. */
  readonly playoutDelayId: number | undefined;
}

/** A parsed answer. A section that the peer refused is `undefined`. */
export interface ParsedAnswer {
  readonly remote: PeerParameters;
  readonly setup: 'active' | 'passive';
  readonly audio: ChosenAudio | undefined;
  readonly video: ChosenVideo | undefined;
  /** The sound that the peer sends; only where it was offered to receive it. */
  readonly microphone: { readonly payloadType: number; readonly ssrc: number } | undefined;
  readonly events: { readonly sctpPort: number; readonly maxMessageSize: number } | undefined;
  /** Id of the transport-wide sequence number extension, when the peer supports it. */
  readonly transportCcId: number | undefined;
}

/** The offer: Opus, H.264 before VP8 (both with RTX) unless the viewer draws, the data channel. */
export function formatOffer(options: OfferOptions): string {
  const { local, ssrcs, cname, maxVideoBits } = options;
  const transport = transportLines(local, 'actpass');
  const sends = (kind: 'audio' | 'video'): string[] => [
    `a=mid:${MIDS[kind]}`,
    `a=extmap:${TRANSPORT_CC_ID} ${TRANSPORT_CC}`,
    kind === 'audio' && options.microphone ? 'a=sendrecv' : 'a=sendonly',
    `a=msid:${cname} ${cname}-${kind}`,
    'a=rtcp-mux',
    'a=rtcp-rsize',
  ];
  const source = (ssrc: number, kind: string): string[] => [
    `a=ssrc:${ssrc} cname:${cname}`,
    `a=ssrc:${ssrc} msid:${cname} ${cname}-${kind}`,
  ];
  const { opus, h264, h264Rtx, vp8, vp8Rtx } = PAYLOADS;
  // A room's server forwards the sound to subscribers who may not read RED.
  const red = options.isControlling ? undefined : PAYLOADS.red;
  const place = ['c=IN IP4 0.0.0.0', 'a=rtcp:9 IN IP4 0.0.0.0'];
  const video = [
    `m=video 9 UDP/TLS/RTP/SAVPF ${h264} ${h264Rtx} ${vp8} ${vp8Rtx}`,
    ...place,
    bandwidthLine(maxVideoBits),
    ...transport,
    ...sends('video'),
    `a=extmap:${PLAYOUT_DELAY_ID} ${PLAYOUT_DELAY}`,
    ...videoLines({ codec: 'H264', payloadType: h264, rtxPayloadType: h264Rtx }),
    ...videoLines({ codec: 'VP8', payloadType: vp8, rtxPayloadType: vp8Rtx }),
    `a=ssrc-group:FID ${ssrcs.video} ${ssrcs.rtx}`,
    ...source(ssrcs.video, 'video'),
    ...source(ssrcs.rtx, 'video'),
  ];
  const mids = Object.values(MIDS).filter((mid) => !options.withoutVideo || mid !== MIDS.video);
  return lines([
    ...sessionLines(options, mids),
    `m=audio 9 UDP/TLS/RTP/SAVPF ${opus}${red === undefined ? '' : ` ${red}`}`,
    ...place,
    ...(options.isControlling ? [] : candidateLines(local)),
    ...transport,
    ...sends('audio'),
    ...opusLines({ payloadType: opus, redPayloadType: red }),
    ...source(ssrcs.audio, 'audio'),
    ...(options.withoutVideo ? [] : video),
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
    'c=IN IP4 0.0.0.0',
    ...transport,
    `a=mid:${MIDS.events}`,
    ...EVENTS_LINES,
  ]);
}

/** The beginning of the host's description, for sections with these mids. */
export function sessionLines({ ssrcs, cname, isControlling }: OfferOptions, mids: readonly string[]): string[] {
  return [
    'v=0',
    `o=- ${ssrcs.audio} 2 IN IP4 127.0.0.1`,
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mids.join(' ')}`,
    // Makes the peer the controlling agent, although the transport acts as the answerer.
    ...(isControlling ? [] : ['a=ice-lite']),
    'a=extmap-allow-mixed',
    `a=msid-semantic: WMS ${cname}`,
  ];
}

/** ICE and DTLS parameters of a section. */
export function transportLines(
  { ufrag, pwd, fingerprint }: PeerParameters,
  setup: 'actpass' | 'active' | 'passive',
): string[] {
  return [`a=ice-ufrag:${ufrag}`, `a=ice-pwd:${pwd}`, `a=fingerprint:${fingerprint}`, `a=setup:${setup}`];
}

/** All candidates of one end. */
export function candidateLines({ candidates }: PeerParameters): string[] {
  return [...candidates.map((one) => `a=${formatCandidate(one)}`), 'a=end-of-candidates'];
}

/** The bandwidth of a video section, with a fifth more for headers and retransmissions. */
export function bandwidthLine(maxVideoBits: number): string {
  return `b=AS:${Math.ceil((maxVideoBits * 1.2) / 1000)}`;
}

/** Opus as it is sent, and with copies of earlier packets. */
export function opusLines({ payloadType: payload, redPayloadType: red }: ChosenAudio): string[] {
  return [
    `a=rtpmap:${payload} opus/48000/2`,
    `a=rtcp-fb:${payload} transport-cc`,
    `a=fmtp:${payload} minptime=10;useinbandfec=1`,
    ...(red === undefined ? [] : [`a=rtpmap:${red} red/48000/2`, `a=fmtp:${red} ${payload}/${payload}`]),
  ];
}

/** A video codec as it is sent, with its retransmissions. @param form of H.264, constrained baseline in fragments by default. */
export function videoLines(
  { codec, payloadType: payload, rtxPayloadType: rtx }: Omit<ChosenVideo, 'playoutDelayId'>,
  form: readonly string[] = ['packetization-mode=1', 'profile-level-id=42e01f'],
): string[] {
  const h264 = `a=fmtp:${payload} ${['level-asymmetry-allowed=1', ...form].join(';')}`;
  return [
    `a=rtpmap:${payload} ${codec}/90000`,
    ...['transport-cc', 'ccm fir', 'nack', 'nack pli'].map((feedback) => `a=rtcp-fb:${payload} ${feedback}`),
    ...(codec === 'H264' ? [h264] : []),
    ...(rtx === undefined ? [] : [`a=rtpmap:${rtx} rtx/90000`, `a=fmtp:${rtx} apt=${payload}`]),
  ];
}

/** The host's end of the data channel. */
export const EVENTS_LINES: readonly string[] = ['a=sctp-port:5000', 'a=max-message-size:262144'];

/**
 * Reads an answer to {@link formatOffer}.
 * @param withoutVideo the offer has no video.
 * @throws LiveError `bad_answer` naming what is missing.
 */
export function parseAnswer(sdp: string, withoutVideo = false): ParsedAnswer {
  const { session, sections } = readSessionDescription(sdp, 'answer');
  const byMid = new Map(sections.map((section) => [attribute(section.lines, 'mid') ?? '', section]));
  const accepted = (kind: keyof typeof MIDS): MediaSection | undefined => {
    const section = byMid.get(MIDS[kind]);
    if (!section) throw bad('answer', `a section with mid ${MIDS[kind]} for ${kind}`, 'none');
    return section.port === 0 || attribute(section.lines, 'inactive') !== undefined ? undefined : section;
  };
  const [audio, events] = [accepted('audio'), accepted('events')];
  const video = withoutVideo ? undefined : accepted('video');
  const carrier = audio ?? video;
  if (!carrier) throw bad('answer', 'sound or picture to be accepted', 'both refused');
  return {
    remote: readParameters({ kind: 'answer', session, sections }, [carrier]),
    setup: readSetup(attribute(carrier.lines, 'setup') ?? attribute(session, 'setup')),
    audio: audio && {
      payloadType: payloadFor(audio, PAYLOADS.opus),
      redPayloadType: audio.payloads.includes(PAYLOADS.red) ? PAYLOADS.red : undefined,
    },
    video: video && chooseVideo(video),
    microphone: audio && sentSound(audio, PAYLOADS.opus),
    events: events && channelIn(events),
    transportCcId: extensionId(carrier, TRANSPORT_CC),
  };
}

/** Rewrites the answer from its parsed fields, so that text from a client never reaches the transport. */
export function formatRemote(answer: ParsedAnswer): string {
  const { remote, setup, audio, video, microphone, events } = answer;
  const transport = transportLines(remote, setup);
  const media = (kind: 'audio' | 'video', codec: string, accepted: boolean): string[] => {
    const payload = kind === 'audio' ? PAYLOADS.opus : PAYLOADS.h264;
    return [
      `m=${kind} ${accepted ? 9 : 0} UDP/TLS/RTP/SAVPF ${payload}`,
      'c=IN IP4 0.0.0.0',
      `a=mid:${MIDS[kind]}`,
      kind === 'audio' && microphone ? 'a=sendrecv' : accepted ? 'a=recvonly' : 'a=inactive',
      'a=rtcp-mux',
      `a=rtpmap:${payload} ${codec}`,
      // The transport assigns incoming packets by their source.
      ...(kind === 'audio' && microphone ? [`a=ssrc:${microphone.ssrc} cname:viewer`] : []),
      ...transport,
    ];
  };
  const mids = [audio && MIDS.audio, video && MIDS.video, events && MIDS.events].filter((mid) => mid !== undefined);
  return lines([
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mids.join(' ')}`,
    ...media('audio', 'opus/48000/2', audio !== undefined),
    ...media('video', 'H264/90000', video !== undefined),
    `m=application ${events ? 9 : 0} UDP/DTLS/SCTP webrtc-datachannel`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${MIDS.events}`,
    `a=sctp-port:${events?.sctpPort ?? 5000}`,
    `a=max-message-size:${events?.maxMessageSize ?? 65_536}`,
    ...transport,
  ]);
}

/** The peer's end of the data channel. */
export function channelIn({ lines: of }: MediaSection): NonNullable<ParsedAnswer['events']> {
  return {
    sctpPort: Number(attribute(of, 'sctp-port')) || 5000,
    maxMessageSize: Number(attribute(of, 'max-message-size')) || 65_536,
  };
}

/** The sound that a peer's section says it sends; `undefined` when it sends none, or does not name its source. */
export function sentSound(section: MediaSection, payloadType: number): ParsedAnswer['microphone'] {
  const isSent = ['recvonly', 'inactive'].every((direction) => attribute(section.lines, direction) === undefined);
  const ssrc = Number(/^\d{1,10}/.exec(attribute(section.lines, 'ssrc') ?? '')?.[0]);
  return isSent && ssrc > 0 && ssrc < 2 ** 32 ? { payloadType, ssrc } : undefined;
}

function readSetup(value: string | undefined): 'active' | 'passive' {
  if (value === 'active' || value === 'passive') return value;
  throw bad('answer', 'setup:active or setup:passive', JSON.stringify(value ?? 'nothing'));
}

function payloadFor(section: MediaSection, offered: number): number {
  if (!section.payloads.includes(offered)) {
    throw bad('answer', `payload type ${offered}, as offered`, section.payloads.join(' '));
  }
  return offered;
}

/** The first payload type is what the peer prefers (RFC 8829 section 5.3.1). */
function chooseVideo(section: MediaSection): ChosenVideo {
  const codecs = [
    { codec: 'H264', payloadType: PAYLOADS.h264, rtx: PAYLOADS.h264Rtx },
    { codec: 'VP8', payloadType: PAYLOADS.vp8, rtx: PAYLOADS.vp8Rtx },
  ] as const;
  for (const payload of section.payloads) {
    const chosen = codecs.find(({ payloadType }) => payloadType === payload);
    if (!chosen) continue;
    return {
      codec: chosen.codec,
      payloadType: chosen.payloadType,
      rtxPayloadType: section.payloads.includes(chosen.rtx) ? chosen.rtx : undefined,
      playoutDelayId: extensionId(section, PLAYOUT_DELAY),
    };
  }
  throw bad('answer', 'H.264 or VP8 under their offered payload types', section.payloads.join(' '));
}
