import {
  bandwidthLine,
  type ChosenAudio,
  type ChosenVideo,
  candidateLines,
  channelIn,
  EVENTS_LINES,
  type OfferOptions,
  opusLines,
  type ParsedAnswer,
  PLAYOUT_DELAY,
  sentSound,
  sessionLines,
  TRANSPORT_CC,
  transportLines,
  videoLines,
} from './sdp.js';
import {
  attribute,
  attributes,
  bad,
  type Description,
  extensionId,
  lines,
  type MediaSection,
  readParameters,
  readSessionDescription,
} from './sdp-reader.js';

/** The accepted part of a viewer's offer, and the answer to it. */
export interface AnsweredOffer {
  /** How audio and video are sent, in the same form as an answer to the host's own offer. */
  readonly answer: ParsedAnswer;
  readonly sdp: string;
}

/** A section of the offer and its accepted payload types; none when it is refused. */
interface Taken {
  readonly section: MediaSection;
  readonly lines: readonly string[];
  readonly bandwidth?: readonly string[];
  readonly payloads: readonly number[];
}

/**
 * Answers the offer of a viewer that receives audio, video or both (RFC 8829), such as a WHEP player. Accepts Opus, H.264 before VP8, and an offered
 * data channel; refuses other sections.
 * @throws LiveError `bad_offer` naming what is missing.
 */
export function answerOffer(offer: string, options: OfferOptions): AnsweredOffer {
  const description = readSessionDescription(offer, 'offer');
  const bundle = bundleOf(description);
  const find = (media: string): MediaSection | undefined => bundle.find((section) => section.media === media);
  const [audio, video, events] = [find('audio'), find('video'), find('application')];
  for (const { media } of offeredIn(description)) {
    if ((media === 'audio' || media === 'video') && !find(media))
      throw bad('offer', 'audio and video in one BUNDLE group', `${media} outside of it`);
  }
  // GStreamer leaves out the channels.
  const opus = audio && payloadOf(audio, /^opus\/48000(?:\/2)?$/i);
  const sound = audio && opus !== undefined ? chooseAudio(audio, opus) : undefined;
  const chosen = video && chooseVideo(video);
  const carrier = (opus !== undefined && audio) || (chosen && video);
  if (!carrier) throw bad('offer', 'a section of its BUNDLE group that receives Opus, H.264 or VP8', 'none');
  const answer: ParsedAnswer = {
    remote: readParameters(description, [carrier, ...bundle]),
    setup: setupOf(description, [carrier, ...bundle]),
    audio: sound,
    video: chosen,
    microphone: options.microphone && audio && opus !== undefined ? sentSound(audio, opus) : undefined,
    events: events && channelIn(events),
    transportCcId: extensionId(carrier, TRANSPORT_CC),
  };
  const taken = [
    ...(audio && sound ? [takeAudio(audio, sound, { ...options, isHeard: answer.microphone !== undefined })] : []),
    ...(video && chosen ? [takeVideo(video, chosen, options)] : []),
    ...(events ? [{ section: events, payloads: [], lines: EVENTS_LINES }] : []),
  ];
  return {
    answer,
    sdp: format(description, taken, { ...options, setup: answer.setup === 'active' ? 'passive' : 'active' }),
  };
}

/** Offered sections that share one transport. One section needs no group (RFC 8829 section 5.3.1); others would need a transport of their own. */
function bundleOf(description: Description): MediaSection[] {
  const offered = offeredIn(description);
  const { session } = description;
  const group = attributes(session, 'group').find((value) => value.startsWith('BUNDLE '));
  if (group === undefined) return offered.slice(0, 1);
  const mids = new Set(group.split(' ').slice(1));
  return offered.filter(({ lines: of }) => mids.has(attribute(of, 'mid') ?? ''));
}

const DIRECTIONS = ['sendrecv', 'recvonly', 'sendonly', 'inactive'];

/**
 * The sections that receive something, with the direction of the session where they have none. One with port 0 is offered only as part of its
 * bundle (`a=bundle-only`, RFC 9143).
 */
function offeredIn({ session, sections }: Description): MediaSection[] {
  const directionIn = (from: readonly string[]) => DIRECTIONS.find((each) => attribute(from, each) !== undefined);
  return sections.filter(({ port, lines: of }) => {
    if (port === 0 && attribute(of, 'bundle-only') === undefined) return false;
    return !['sendonly', 'inactive'].includes(directionIn(of) ?? directionIn(session) ?? 'sendrecv');
  });
}

/** The viewer's part in DTLS. It starts, as in the answers of browsers to the host's own offers, unless it waits to be called (RFC 8842 section 5.2). */
function setupOf({ session }: Description, bundle: readonly MediaSection[]): 'active' | 'passive' {
  const all = [...bundle.map(({ lines: of }) => of), session];
  const offered = all.map((from) => attribute(from, 'setup')).find((each) => each !== undefined) ?? 'actpass';
  if (offered === 'passive') return 'passive';
  if (offered === 'actpass' || offered === 'active') return 'active';
  throw bad('offer', 'setup:actpass, setup:active or setup:passive', JSON.stringify(offered.slice(0, 40)));
}

function payloadOf(
  section: MediaSection,
  codec: RegExp,
  accepts: (fmtp: string) => boolean = () => true,
): number | undefined {
  const codecs = new Map(attributes(section.lines, 'rtpmap').map((value) => split(value)));
  const parameters = new Map(attributes(section.lines, 'fmtp').map((value) => split(value)));
  return section.payloads.find(
    (payload) => codec.test(codecs.get(payload) ?? '') && payload < 128 && accepts(parameters.get(payload) ?? ''),
  );
}

function chooseAudio(section: MediaSection, opus: number): ChosenAudio {
  const redPayloadType = payloadOf(section, /^red\/48000\/2$/i, (fmtp) => fmtp.startsWith(`${opus}/${opus}`));
  return { payloadType: opus, redPayloadType };
}

/**
 * Prefers baseline H.264 in fragments, which costs the host less than VP8, and VP8 to other forms of H.264: decoders of every profile read the
 * baseline that the host sends, and receivers of single units (packetization-mode 0) read fragments too.
 */
function chooseVideo(section: MediaSection): ChosenVideo | undefined {
  const h264 = (accepts: (form: ReadonlyMap<string, string>) => boolean) =>
    payloadOf(section, /^H264\/90000$/i, (fmtp) => accepts(parametersOf(fmtp)));
  const isFragmented = (form: ReadonlyMap<string, string>) => form.get('packetization-mode') === '1';
  const profile = (form: ReadonlyMap<string, string>) => form.get('profile-level-id')?.toLowerCase() ?? '42e01f';
  const baseline =
    h264((form) => isFragmented(form) && profile(form).startsWith('42e0')) ??
    h264((form) => isFragmented(form) && profile(form).startsWith('42'));
  const vp8 = baseline === undefined ? payloadOf(section, /^VP8\/90000$/i) : undefined;
  const payloadType = baseline ?? vp8 ?? h264(isFragmented) ?? h264(() => true);
  if (payloadType === undefined) return undefined;
  return {
    codec: payloadType === vp8 ? 'VP8' : 'H264',
    payloadType,
    rtxPayloadType: payloadOf(
      section,
      /^rtx\/90000$/i,
      (fmtp) => parametersOf(fmtp).get('apt') === String(payloadType),
    ),
    playoutDelayId: extensionId(section, PLAYOUT_DELAY),
  };
}

/** The parameters of a format, names in lower case. */
function parametersOf(fmtp: string): Map<string, string> {
  return new Map(
    fmtp.split(';').map((each): [string, string] => {
      const [name = '', value = ''] = each.split('=');
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
}

function takeAudio(
  section: MediaSection,
  chosen: ChosenAudio,
  { ssrcs, cname, isHeard }: OfferOptions & { isHeard: boolean },
): Taken {
  return {
    section,
    // The first one is what the viewer's microphone sends.
    payloads: [chosen.payloadType, ...(chosen.redPayloadType === undefined ? [] : [chosen.redPayloadType])],
    lines: [
      ...sends(section, [TRANSPORT_CC], cname, isHeard ? 'sendrecv' : 'sendonly'),
      ...opusLines(chosen),
      `a=ssrc:${ssrcs.audio} cname:${cname}`,
    ],
  };
}

function takeVideo(section: MediaSection, chosen: ChosenVideo, { ssrcs, cname, maxVideoBits }: OfferOptions): Taken {
  const { payloadType: payload, rtxPayloadType: rtx } = chosen;
  const [, offered = ''] = split(
    attributes(section.lines, 'fmtp').find((value) => value.startsWith(`${payload} `)) ?? '',
  );
  // As offered, because both ends of a payload type agree on its form (RFC 6184 section 8.2.2).
  const form = [...parametersOf(offered)]
    .filter(([name]) => /^(?:packetization-mode|profile-level-id)$/.test(name))
    .map(([name, value]) => `${name}=${value}`);
  return {
    section,
    payloads: [payload, ...(rtx === undefined ? [] : [rtx])],
    bandwidth: [bandwidthLine(maxVideoBits)],
    lines: [
      ...sends(section, [TRANSPORT_CC, PLAYOUT_DELAY], cname, 'sendonly'),
      ...videoLines(chosen, form),
      ...(rtx === undefined ? [] : [`a=ssrc-group:FID ${ssrcs.video} ${ssrcs.rtx}`]),
      // Browsers treat the first SSRC as the video.
      `a=ssrc:${ssrcs.video} cname:${cname}`,
      ...(rtx === undefined ? [] : [`a=ssrc:${ssrcs.rtx} cname:${cname}`]),
    ],
  };
}

function sends(
  section: MediaSection,
  extensions: readonly string[],
  cname: string,
  direction: 'sendonly' | 'sendrecv',
): string[] {
  const known = extensions.flatMap((uri) => {
    const id = extensionId(section, uri);
    return id === undefined ? [] : [`a=extmap:${id} ${uri}`];
  });
  return [...known, `a=${direction}`, `a=msid:${cname} ${cname}-${section.media}`, 'a=rtcp-mux', 'a=rtcp-rsize'];
}

/** Every section of the offer, in its order (RFC 3264 section 6); a refused one has port 0. */
function format(
  description: Description,
  taken: readonly Taken[],
  options: OfferOptions & { readonly setup: 'active' | 'passive' },
): string {
  const transport = transportLines(options.local, options.setup);
  const midOf = ({ lines: of }: MediaSection): string => attribute(of, 'mid') ?? '';
  const mids = description.sections.filter((section) => taken.some((one) => one.section === section)).map(midOf);
  const sections = description.sections.flatMap((section) => {
    const { media, protocol, formats } = section;
    const one = taken.find((candidate) => candidate.section === section);
    const mid = midOf(section) === '' ? [] : [`a=mid:${midOf(section)}`];
    const place = ['c=IN IP4 0.0.0.0', ...(one?.bandwidth ?? []), ...mid];
    if (!one) return [`m=${media} 0 ${protocol} ${formats.join(' ')}`, ...place, 'a=inactive'];
    const types = one.payloads.length > 0 ? one.payloads.join(' ') : formats.join(' ');
    const own = midOf(section) === mids[0] ? candidateLines(options.local) : [];
    return [`m=${media} 9 ${protocol} ${types}`, ...place, ...own, ...transport, ...one.lines];
  });
  return lines([...sessionLines(options, mids), ...sections]);
}

/** Splits `96 VP8/90000` into the payload type and the rest. */
function split(value: string): [number, string] {
  const at = value.indexOf(' ');
  return [Number(value.slice(0, at)), value.slice(at + 1).trim()];
}
