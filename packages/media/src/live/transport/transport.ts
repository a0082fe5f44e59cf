import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import ndc, { type DataChannel, type PeerConnection, type RtcConfig, type Track } from 'node-datachannel';
import { type IceServer, LiveError } from '../contract.js';
import { Arrival, type Endpoint, streamRelays } from './arrival.js';
import { formatCandidate, type ParsedCandidate } from './candidate.js';
import { type Certificate, createCertificate } from './certificate.js';
import { parseIceUrl } from './ice-url.js';
import { DETOUR_ADDRESS, type Detour, openDetour } from './relay-detour.js';
import { type Answer, formatRemote, MIDS, PAYLOADS, type PeerParameters, type Sources } from './sdp.js';

/** The same message reaches every stream that it names; copies follow within this time. */
const COPY_MS = 5;

/** Candidates that are kept until the peer has come. */
const MOST_WAITING = 64;

/** What a transport tells. Nothing is called after `close`. */
export interface TransportEvents {
  /** Media and its feedback can flow. */
  onConnected(): void;
  /** The peer has closed the connection, or it could not be made. */
  onGone(how: 'closed' | 'failed'): void;
  /** Compound RTCP packets; the buffer is the receiver's. */
  onRtcp(packet: Uint8Array): void;
  /** The data channel has opened. */
  onEvents(): void;
}

/** What one peer connection is opened with. */
export interface TransportOptions {
  readonly name: string;
  readonly sources: Sources;
  readonly cname: string;
  readonly iceServers: readonly IceServer[];
  readonly events: TransportEvents;
}

/**
 * ICE, DTLS, SRTP and a data channel to one peer. RTP and RTCP go in and come out as whole packets: another stack can take
 * this one's place. Calls never throw for what the network did; who opens it closes it.
 */
export interface PeerTransport {
  /** Own parameters with all candidates. */
  readonly local: PeerParameters;
  /**
   * Takes the peer's parameters, once. Throws `LiveError('bad_answer')` when the stack refuses them; where peers may come through a relay, the
   * stack only gets them when the first check has come, and a refusal is told by `onGone`.
   */
  accept(answer: Answer): void;
  /** Adds a candidate after `accept`; one that the stack cannot use is ignored. */
  addCandidate(candidate: ParsedCandidate): void;
  /** Protects and sends an RTP or RTCP packet; false when it could not. */
  send(kind: 'audio' | 'video', packet: Uint8Array): boolean;
  /** Sends a text over the data channel; false while that is not open. */
  sendEvent(text: string): boolean;
  /** Idempotent. */
  close(): void;
}

/** Opens peer connections that share one UDP port and one certificate. Who creates it closes it, after its connections. */
export interface TransportHub {
  /** The UDP port of all connections. */
  readonly port: number;
  /** Takes no sockets or memory of the native side until the peer has answered: offers that nobody answers are free. */
  open(options: TransportOptions): PeerTransport;
  /** Idempotent. */
  close(): void;
}

/** Where a hub listens. */
export interface HubOptions {
  /** The first free port of the range is taken. */
  readonly ports: { readonly from: number; readonly to: number };
  /** Public address that takes the place of the machine's own in the candidates. */
  readonly address?: string;
  /** Local address to listen on; every one when absent. */
  readonly bind?: string;
  /** Told of errors that are nobody's fault here: a packet or a close that the native side refused. */
  readonly onWarning: (doing: string, error: unknown) => void;
}

/**
 * Takes a port and keeps it until `close`.
 * @throws LiveError `no_ports` when none of the range is free.
 */
export function openTransportHub(options: HubOptions): TransportHub {
  const { listener, port } = listen(options);
  const certificate = createCertificate();
  const candidates = hostCandidates(options, port);
  const arrivals = new Map<string, Arrival>();
  // Checks for connections that do not exist yet; without a peer that could come through a relay nobody asks.
  listener.onUnhandledStunRequest(({ localUfrag, host, port }) =>
    arrivals.get(localUfrag)?.onCheck({ address: host, port }),
  );
  let open = true;
  return {
    port,
    open: (peer) => new NativePeer(peer, { ...options, port, certificate, candidates, arrivals }),
    close() {
      if (!open) return;
      open = false;
      guard(options.onWarning, 'closing the UDP port', () => listener.stop());
    },
  };
}

type Listener = InstanceType<typeof ndc.IceUdpMuxListener>;

/** Holds the port, so that it stays this host's between two sessions. */
function listen(options: HubOptions): { listener: Listener; port: number } {
  const { from, to } = options.ports;
  let reason: unknown;
  for (let port = from; port <= to; port++) {
    try {
      const listener = options.bind ? new ndc.IceUdpMuxListener(port, options.bind) : new ndc.IceUdpMuxListener(port);
      return { listener, port };
    } catch (error) {
      reason = error;
    }
  }
  throw new LiveError('no_ports', `expected a free UDP port between ${from} and ${to}, found none`, {
    cause: reason,
  });
}

/** Where the port can be reached: the public address, or what the machine's interfaces have. IPv4 is tried first. */
function hostCandidates({ address, bind }: HubOptions, port: number): ParsedCandidate[] {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((one) => !one.internal && !one.address.toLowerCase().startsWith('fe80:'))
    .map((one) => one.address);
  const found = address ? [address] : bind && bind !== '0.0.0.0' && bind !== '::' ? [bind] : own;
  // A machine without a network still serves itself.
  const all = found.length > 0 ? found : ['127.0.0.1'];
  return [...new Set(all)]
    .sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)))
    .map((one, index) => ({
      foundation: String(index + 1),
      component: 1,
      protocol: 'udp',
      // RFC 8445 section 5.1.2.1: type preference of hosts, then a local one that falls.
      priority: 126 * 2 ** 24 + (65_535 - index) * 2 ** 8 + 255,
      address: one,
      port,
      type: 'host',
    }));
}

/** What all connections of a hub share. */
interface Hub extends HubOptions {
  readonly port: number;
  readonly certificate: Certificate;
  readonly candidates: ParsedCandidate[];
  /** By own user fragment: peers of whom it is not known yet by which way they come. */
  readonly arrivals: Map<string, Arrival>;
}

/** What only exists once the peer has answered. */
interface Native {
  readonly connection: PeerConnection;
  readonly channel: DataChannel;
  readonly tracks: Record<'audio' | 'video', Track>;
}

class NativePeer implements PeerTransport {
  readonly local: PeerParameters;
  private native: Native | undefined;
  private isOpen = true;
  private readonly ready = { audio: false, video: false };
  private last: { packet: Uint8Array; atMs: number } | undefined;
  private readonly arrival: Arrival | undefined;
  /** The peer's answer and candidates until it is known by which way it comes. */
  private waiting: { readonly answer: Answer; readonly candidates: ParsedCandidate[] } | undefined;
  private detour: Detour | undefined;

  constructor(
    private readonly options: TransportOptions,
    private readonly hub: Hub,
  ) {
    this.local = {
      ufrag: randomText(8),
      pwd: randomText(24),
      fingerprint: hub.certificate.fingerprint,
      candidates: hub.candidates,
    };
    const relays = streamRelays(options.iceServers);
    if (relays.length === 0) return;
    this.arrival = new Arrival(relays, (relay) => void this.arrive(relay));
    hub.arrivals.set(this.local.ufrag, this.arrival);
  }

  /*
   * The native side takes the part of the answerer, although we made the offer: it stores the peer's fingerprint before
   * ICE starts. As offerer it starts ICE first, and a peer whose checks have already come in may finish its DTLS
   * handshake before the fingerprint is there: one connection in ten failed on a busy machine.
   */
  accept(answer: Answer): void {
    if (!this.isOpen || this.native || this.waiting) return;
    if (this.arrival) {
      this.waiting = { answer, candidates: [...answer.remote.candidates] };
      this.arrival.begin();
      return;
    }
    try {
      this.native = this.connect(answer);
    } catch (error) {
      throw new LiveError('bad_answer', 'the transport refused the answer', { cause: error });
    }
    for (const candidate of answer.remote.candidates) this.addCandidate(candidate);
  }

  addCandidate(candidate: ParsedCandidate): void {
    // Through a detour there is one way only.
    if (this.detour) return;
    if (this.waiting) {
      if (this.waiting.candidates.length < MOST_WAITING) this.waiting.candidates.push(candidate);
      return;
    }
    this.addReachable(candidate);
  }

  send(kind: 'audio' | 'video', packet: Uint8Array): boolean {
    const { native } = this;
    if (!this.isOpen || !native) return false;
    const track = native.tracks[kind];
    // Asked until it is: the question costs as much as the packet.
    this.ready[kind] ||= track.isOpen();
    if (!this.ready[kind]) return false;
    try {
      return track.sendMessageBinary(packet as Buffer);
    } catch (error) {
      this.ready[kind] = false;
      // The native side throws when the connection has gone away since.
      if (track.isOpen()) this.hub.onWarning('sending a packet', error);
      return false;
    }
  }

  sendEvent(text: string): boolean {
    return this.attempt('sending an event', ({ channel }) => channel.isOpen() && channel.sendMessage(text));
  }

  close(): void {
    if (!this.isOpen) return;
    this.arrival?.close();
    this.hub.arrivals.delete(this.local.ufrag);
    this.attempt('closing the data channel', ({ channel }) => channel.close());
    this.attempt('closing the sound', ({ tracks }) => tracks.audio.close());
    this.attempt('closing the picture', ({ tracks }) => tracks.video.close());
    this.attempt('closing the connection', ({ connection }) => connection.close());
    this.detour?.close();
    this.isOpen = false;
  }

  /**
   * A peer that comes through a relay gets an agent of its own on the loopback, and a detour to it: its checks may have to be repaired, and
   * the agent of the shared port would have refused the first of them, which ends the connection for the peer.
   */
  private async arrive(relay: Endpoint | undefined): Promise<void> {
    this.hub.arrivals.delete(this.local.ufrag);
    const { bind, onWarning } = this.hub;
    try {
      if (relay) {
        const options = { peer: relay, password: this.local.pwd, onWarning };
        const detour = await openDetour(bind === undefined ? options : { ...options, bind });
        if (!this.isOpen) return detour.close();
        this.detour = detour;
      }
      const { answer, candidates } = this.waiting!;
      this.waiting = undefined;
      this.native = this.connect(answer);
      for (const candidate of this.detour ? [this.detour.candidate] : candidates) this.addReachable(candidate);
    } catch (error) {
      if (!this.isOpen) return;
      onWarning('connecting a peer', error);
      this.hear('a failure', () => this.options.events.onGone('failed'));
    }
  }

  private addReachable(candidate: ParsedCandidate): void {
    this.attempt('adding a candidate', ({ connection }) =>
      connection.addRemoteCandidate(formatCandidate(candidate), MIDS.audio),
    );
  }

  private connect(answer: Answer): Native {
    const { ufrag, pwd } = this.local;
    const connection = new ndc.PeerConnection(this.options.name, this.config());
    try {
      const tracks = addTracks(connection, this.options);
      const channel = connection.createDataChannel('events');
      const native = { connection, channel, tracks };
      this.listenTo(native);
      connection.setRemoteDescription(formatRemote(answer), 'offer');
      connection.setLocalDescription('answer', { iceUfrag: ufrag, icePwd: pwd });
      return native;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private config(): RtcConfig {
    const { port, certificate, bind } = this.hub;
    const common = {
      disableAutoNegotiation: true,
      certificatePemFile: certificate.certificate,
      keyPemFile: certificate.key,
    };
    if (this.detour) return { ...common, iceServers: [], bindAddress: DETOUR_ADDRESS };
    return {
      ...common,
      iceServers: this.options.iceServers.flatMap(toNativeServers),
      enableIceUdpMux: true,
      portRangeBegin: port,
      portRangeEnd: port,
      ...(bind ? { bindAddress: bind } : {}),
    };
  }

  private listenTo({ connection, channel, tracks }: Native): void {
    const { events } = this.options;
    connection.onStateChange((state) =>
      this.hear('a change of the connection', () => {
        if (state === 'connected') events.onConnected();
        else if (state === 'closed' || state === 'failed') events.onGone(state);
      }),
    );
    for (const track of [tracks.audio, tracks.video]) {
      track.onMessage((message) => this.hear('a report', () => this.onRtcp(message)));
      track.onError((error) => this.hub.onWarning('a track', error));
    }
    channel.onOpen(() => this.hear('the data channel', () => events.onEvents()));
    channel.onError((error) => this.hub.onWarning('the data channel', error));
    // A peer that writes into our channel must not make it grow without bound.
    channel.onMessage(() => undefined);
  }

  /** The native side throws when the network went away between two calls. */
  private attempt(doing: string, act: (native: Native) => unknown): boolean {
    const { native } = this;
    if (!this.isOpen || !native) return false;
    return guard(this.hub.onWarning, doing, () => act(native));
  }

  /** An exception out of a callback would end the process: the native side does not know them. */
  private hear(what: string, act: () => void): void {
    if (!this.isOpen) return;
    guard(this.hub.onWarning, `hearing of ${what}`, act);
  }

  private onRtcp(message: Uint8Array): void {
    const atMs = performance.now();
    const copy = this.last && atMs - this.last.atMs < COPY_MS && Buffer.compare(this.last.packet, message) === 0;
    if (copy) return;
    this.last = { packet: message, atMs };
    this.options.events.onRtcp(message);
  }
}

/** SSRCs are named, because incoming RTCP finds its stream by them. */
function addTracks(connection: PeerConnection, { sources, cname }: TransportOptions): Record<'audio' | 'video', Track> {
  const audio = new ndc.Audio(MIDS.audio, 'SendOnly');
  audio.addOpusCodec(PAYLOADS.opus);
  audio.addSSRC(sources.audio, cname, cname, `${cname}-audio`);
  const video = new ndc.Video(MIDS.video, 'SendOnly');
  video.addH264Codec(PAYLOADS.h264);
  video.addSSRC(sources.video, cname, cname, `${cname}-video`);
  video.addSSRC(sources.rtx, cname, cname, `${cname}-video`);
  return { audio: connection.addTrack(audio), video: connection.addTrack(video) };
}

/** False when `act` gave false or threw; what it threw is told. */
function guard(onWarning: HubOptions['onWarning'], doing: string, act: () => unknown): boolean {
  try {
    return act() !== false;
  } catch (error) {
    onWarning(doing, error);
    return false;
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** ICE credentials: of RFC 8839's characters those that no parser trips over. */
function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A browser's server entry in the stack's form; only what it speaks: STUN, and TURN over UDP. */
function toNativeServers({ urls, username = '', credential = '' }: IceServer): RtcConfig['iceServers'] {
  return [urls].flat().flatMap((url): RtcConfig['iceServers'] => {
    const server = parseIceUrl(url);
    if (server?.transport !== 'udp') return [];
    const { kind, host: hostname, port } = server;
    if (kind === 'stun') return [`stun:${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`];
    return [{ hostname, port, relayType: 'TurnUdp', username, password: credential }];
  });
}
