import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import ndc, { type DataChannel, type PeerConnection, type RtcConfig, type Track } from 'node-datachannel';
import { type IceServer, LiveError, type RoomLink } from '../contract.js';
import { isRtcp } from '../rtp/packet.js';
import { formatCandidate, hostCandidate, type ParsedCandidate, type PeerParameters, PREFERENCES } from './candidate.js';
import { type Certificate, createCertificate } from './certificate.js';
import { parseIceUrl } from './ice-url.js';
import { type Endpoint, PathDetector, streamRelays } from './path-detector.js';
import { openRelayProxy, PROXY_ADDRESS, type RelayProxy } from './relay-proxy.js';
import { formatRemote, MIDS, PAYLOADS, type ParsedAnswer, type Ssrcs } from './sdp.js';

/** The native library reports an RTCP message once per stream in it; copies follow within this time. */
const COPY_MS = 5;

/** Candidates stored until the peer's path is known. */
const MAX_WAITING = 64;

/** Callbacks of a transport; none is called after `close`. */
export interface TransportEvents {
  /** Media and feedback can be sent. */
  onConnected(): void;
  /** The peer closed the connection, or the connection failed. */
  onGone(how: 'closed' | 'failed'): void;
  /** An RTP packet of the viewer's microphone. */
  onRtp(packet: Uint8Array): void;
  /** A compound RTCP packet; the callee owns the buffer. */
  onRtcp(packet: Uint8Array): void;
  /** A text on the data channel that the peer opened. */
  onMessage(text: string): void;
  /** The data channel `events` has opened. */
  onChannel(): void;
}

/** Settings of one peer connection. */
export interface TransportOptions {
  readonly name: string;
  readonly ssrcs: Ssrcs;
  readonly cname: string;
  readonly iceServers: readonly IceServer[];
  /** Receives the viewer's microphone. */
  readonly microphone: boolean;
  /** The peer is a server that takes the host's offer, such as LiveKit's, instead of a viewer. */
  readonly room?: RoomLink | undefined;
  readonly events: TransportEvents;
}

/** Opens peer connections that share one UDP port and one certificate. The creator closes it, after its connections. */
export interface TransportHub {
  /** The UDP port of all connections. */
  readonly port: number;
  /** Allocates no sockets or native memory until the peer has answered, so that unanswered offers cost nothing. */
  open(options: TransportOptions): PeerTransport;
  /** Idempotent. */
  close(): void;
}

export interface HubOptions {
  /** Range of UDP ports; the first free one is used. */
  readonly ports: { readonly from: number; readonly to: number };
  /** Public address for the candidates, instead of the machine's own addresses. */
  readonly address?: string | undefined;
  /** Receives errors of the native library that do not end a session, such as a refused packet. */
  readonly onWarning: (doing: string, error: unknown) => void;
}

/**
 * Binds a port until `close`.
 * @throws LiveError `no_ports` when no port of the range is free.
 */
export function openTransportHub(options: HubOptions): TransportHub {
  const { listener, port } = listen(options);
  const certificate = createCertificate();
  const candidates = hostCandidates(options, port);
  const pathDetectors = new Map<string, PathDetector>();
  // Checks for connections that do not exist yet.
  listener.onUnhandledStunRequest(({ localUfrag, host, port }) =>
    pathDetectors.get(localUfrag)?.onCheck({ address: host, port }),
  );
  let open = true;
  return {
    port,
    open: (peer) => new PeerTransport(peer, { ...options, port, certificate, candidates, pathDetectors }),
    close() {
      if (!open) return;
      open = false;
      guard(options.onWarning, 'closing the UDP port', () => listener.stop());
    },
  };
}

type Listener = InstanceType<typeof ndc.IceUdpMuxListener>;

/** Binds the port, so that it stays reserved between two sessions. */
function listen(options: HubOptions): { listener: Listener; port: number } {
  const { from, to } = options.ports;
  let reason: unknown;
  for (let port = from; port <= to; port++) {
    try {
      return { listener: new ndc.IceUdpMuxListener(port), port };
    } catch (error) {
      reason = error;
    }
  }
  throw new LiveError('no_ports', `expected a free UDP port between ${from} and ${to}, found none`, {
    cause: reason,
  });
}

/** Addresses of the port: the public one, or those of the machine's interfaces. IPv4 is preferred. */
function hostCandidates({ address }: HubOptions, port: number): ParsedCandidate[] {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter((one) => !one.internal && !one.address.toLowerCase().startsWith('fe80:'))
    .map((one) => one.address);
  const found = address ? [address] : own;
  // Without a network, local clients can still connect.
  const all = found.length > 0 ? found : ['127.0.0.1'];
  return [...new Set(all)]
    .sort((a, b) => Number(isIPv6(a)) - Number(isIPv6(b)))
    .map((one, order) =>
      hostCandidate({ address: one, port }, { foundation: String(order + 1), preference: PREFERENCES.host, order }),
    );
}

/** State that all connections of a hub share. */
interface Hub extends HubOptions {
  readonly port: number;
  readonly certificate: Certificate;
  readonly candidates: ParsedCandidate[];
  /** Peers whose path is not known yet, by the host's user fragment. */
  readonly pathDetectors: Map<string, PathDetector>;
}

/** Native objects, created when the peer has answered; for a room at once. */
interface Native {
  readonly connection: PeerConnection;
  readonly channel: DataChannel;
  /** The first channel that the peer opened; for a room the one of LiveKit's lossy messages, which its server waits for. */
  peerChannel?: DataChannel;
  readonly tracks: Record<'audio' | 'video', Track>;
}

/**
 * ICE, DTLS, SRTP and a data channel to one peer. RTP and RTCP cross this class as whole packets, so that the library behind it
 * can be replaced. Network failures never throw. The creator closes it.
 */
export class PeerTransport {
  /** The host's parameters with all candidates. */
  readonly local: PeerParameters;
  private native: Native | undefined;
  private isOpen = true;
  private readonly ready = { audio: false, video: false };
  private last: { packet: Uint8Array; atMs: number } | undefined;
  private readonly pathDetector: PathDetector;
  /** The peer may use a relay over TCP or TLS, so its path decides how it is connected. */
  private readonly hasRelays: boolean;
  /** The peer's answer and candidates until its path is known. */
  private waiting: { readonly answer: ParsedAnswer; readonly candidates: ParsedCandidate[] } | undefined;
  private relayProxy: RelayProxy | undefined;
  /**
   * The host's candidates until a room's server has answered. A server whose checks arrive before the answer may finish its DTLS handshake before its
   * fingerprint is stored: one of thirty connections failed. The trick of {@link accept} does not help there, because a server with ICE-lite
   * needs a controlling agent, which only a native offerer is.
   */
  private held: string[] | undefined;

  constructor(
    private readonly options: TransportOptions,
    private readonly hub: Hub,
  ) {
    this.local = {
      ufrag: randomText(8),
      pwd: randomText(24),
      fingerprint: hub.certificate.fingerprint,
      candidates: options.room ? [] : hub.candidates,
    };
    const relays = options.room ? [] : streamRelays(options.iceServers);
    this.hasRelays = relays.length > 0;
    this.pathDetector = new PathDetector(relays, (relay) => void this.onPathDetected(relay));
    if (options.room) {
      this.held = [];
      this.native = this.connect();
    } else hub.pathDetectors.set(this.local.ufrag, this.pathDetector);
  }

  /**
   * Takes the peer's parameters, once. Throws `LiveError('bad_answer')` when the library refuses them. When the peer may use a relay, the
   * library receives them only after the first check, and a refusal is reported by `onGone`.
   *
   * The native library acts as the answerer, although the host made the offer, because an answerer stores the peer's fingerprint before
   * ICE starts. As the offerer it starts ICE first, and a peer whose checks have already arrived may finish its DTLS
   * handshake before the fingerprint is stored: one of ten connections failed on a busy machine.
   */
  accept(answer: ParsedAnswer): void {
    if (this.held && this.native) this.acceptRoom(this.native, answer, this.held);
    if (!this.isOpen || this.native || this.waiting) return;
    if (this.hasRelays) {
      this.waiting = { answer, candidates: [...answer.remote.candidates] };
      this.pathDetector.begin();
      return;
    }
    try {
      this.native = this.connect(answer);
    } catch (error) {
      throw new LiveError('bad_answer', 'the transport refused the answer', { cause: error });
    }
    this.hub.pathDetectors.delete(this.local.ufrag);
    for (const candidate of [...answer.remote.candidates, ...this.checkedCandidates()]) this.addCandidate(candidate);
  }

  /** Adds a candidate after `accept`; a candidate that the library cannot use is ignored. */
  addCandidate(candidate: ParsedCandidate): void {
    // The relay proxy is the only candidate of such a peer.
    if (this.relayProxy) return;
    if (this.waiting) {
      if (this.waiting.candidates.length < MAX_WAITING) this.waiting.candidates.push(candidate);
      return;
    }
    this.addReachable(candidate);
  }

  /** Sends a binary message to a room; it is dropped while the data channel is not open. */
  sendData(message: Uint8Array): void {
    this.attempt('sending data', ({ channel }) => channel.isOpen() && channel.sendMessageBinary(message as Buffer));
  }

  /** Encrypts and sends an RTP or RTCP packet; it is dropped while that is impossible. */
  send(kind: 'audio' | 'video', packet: Uint8Array): void {
    const { native } = this;
    if (!this.isOpen || !native) return;
    const track = native.tracks[kind];
    // Cached once true, because `isOpen` costs as much as sending the packet.
    this.ready[kind] ||= track.isOpen();
    if (!this.ready[kind]) return;
    try {
      track.sendMessageBinary(packet as Buffer);
    } catch (error) {
      this.ready[kind] = false;
      // The native library throws when the connection has closed meanwhile.
      if (track.isOpen()) this.hub.onWarning('sending a packet', error);
    }
  }

  /** Sends a text over the data channel; it is dropped while that is not open. */
  sendEvent(text: string): void {
    this.attempt('sending an event', ({ channel }) => channel.isOpen() && channel.sendMessage(text));
  }

  /** Sends a text over the data channel that the peer opened; it is dropped while there is none. */
  sendMessage(text: string): void {
    this.attempt('sending a message', ({ peerChannel }) => peerChannel?.isOpen() && peerChannel.sendMessage(text));
  }

  /** Idempotent. */
  close(): void {
    if (!this.isOpen) return;
    this.pathDetector.close();
    this.hub.pathDetectors.delete(this.local.ufrag);
    this.attempt('closing the data channel', ({ channel }) => channel.close());
    this.attempt('closing the sound', ({ tracks }) => tracks.audio.close());
    this.attempt('closing the picture', ({ tracks }) => tracks.video.close());
    this.attempt('closing the connection', ({ connection }) => connection.close());
    this.relayProxy?.close();
    this.isOpen = false;
  }

  /**
   * A peer behind a relay gets its own agent on the loopback interface and a relay proxy to it, because its checks may have to be repaired.
   * The agent of the shared port would refuse the first of them, which ends the connection for the peer.
   */
  private async onPathDetected(relay: Endpoint | undefined): Promise<void> {
    this.hub.pathDetectors.delete(this.local.ufrag);
    const { onWarning } = this.hub;
    try {
      if (relay) {
        const relayProxy = await openRelayProxy({ peer: relay, password: this.local.pwd, onWarning });
        if (!this.isOpen) return relayProxy.close();
        this.relayProxy = relayProxy;
      }
      const { answer, candidates } = this.waiting!;
      this.waiting = undefined;
      this.native = this.connect(answer);
      const reachable = this.relayProxy ? [this.relayProxy.candidate] : [...candidates, ...this.checkedCandidates()];
      for (const candidate of reachable) this.addReachable(candidate);
    } catch (error) {
      if (!this.isOpen) return;
      onWarning('connecting a peer', error);
      this.handle('a failure', () => this.options.events.onGone('failed'));
    }
  }

  /**
   * The sources of the peer's first checks, as candidates. Those checks were not answered, and a browser repeats them only after about 200 ms; a check
   * from the agent makes it send one at once. Its answer does not contain these addresses, because browsers hide them behind mDNS names.
   */
  private checkedCandidates(): ParsedCandidate[] {
    return this.pathDetector.checked.map((source, order) =>
      hostCandidate(source, { foundation: `checked${order}`, preference: PREFERENCES.peerReflexive, order }),
    );
  }

  private addReachable(candidate: ParsedCandidate): void {
    this.attempt('adding a candidate', ({ connection }) =>
      connection.addRemoteCandidate(formatCandidate(candidate), MIDS.audio),
    );
  }

  private acceptRoom({ connection }: Native, answer: ParsedAnswer, held: readonly string[]): void {
    try {
      connection.setRemoteDescription(formatRemote(answer), 'answer');
    } catch (error) {
      throw new LiveError('bad_answer', 'the transport refused the answer', { cause: error });
    }
    this.held = undefined;
    for (const candidate of held) this.options.room?.onCandidate(candidate);
    for (const candidate of answer.remote.candidates) this.addCandidate(candidate);
  }

  /** @param answer absent for a room, to which the host makes an offer. */
  private connect(answer?: ParsedAnswer): Native {
    const { ufrag: iceUfrag, pwd: icePwd } = this.local;
    const connection = new ndc.PeerConnection(this.options.name, this.config());
    try {
      const tracks = addTracks(connection, this.options);
      const channel = connection.createDataChannel(answer ? 'events' : '_reliable');
      const native: Native = { connection, channel, tracks };
      if (!answer) native.peerChannel = connection.createDataChannel('_lossy', { unordered: true, maxRetransmits: 0 });
      this.listenTo(native);
      if (answer) connection.setRemoteDescription(formatRemote(answer), 'offer');
      connection.setLocalDescription(answer ? 'answer' : 'offer', { iceUfrag, icePwd });
      return native;
    } catch (error) {
      // Its end is not the session's: the peer may send another answer.
      connection.onStateChange(() => undefined);
      connection.close();
      throw error;
    }
  }

  private config(): RtcConfig {
    const { port, certificate } = this.hub;
    const common = {
      disableAutoNegotiation: true,
      certificatePemFile: certificate.certificate,
      keyPemFile: certificate.key,
    };
    if (this.relayProxy) return { ...common, iceServers: [], bindAddress: PROXY_ADDRESS };
    const iceServers = this.options.iceServers.flatMap(toNativeServers);
    // The host calls the server of a room, so it needs no known port; on the shared one the connection takes 0.4 s longer.
    if (this.options.room) return { ...common, iceServers };
    return {
      ...common,
      iceServers,
      enableIceUdpMux: true,
      portRangeBegin: port,
      portRangeEnd: port,
    };
  }

  private listenTo(native: Native): void {
    const { connection, channel, peerChannel, tracks } = native;
    const { events, room } = this.options;
    connection.onDataChannel((opened) => this.handle('a data channel', () => this.takeChannel(native, opened)));
    connection.onLocalCandidate((candidate) =>
      this.handle('a candidate', () => (this.held ? this.held.push(candidate) : room?.onCandidate(candidate))),
    );
    connection.onStateChange((state) =>
      this.handle('a change of the connection', () => {
        if (state === 'connected') events.onConnected();
        else if (state === 'closed' || state === 'failed') events.onGone(state);
      }),
    );
    for (const track of [tracks.audio, tracks.video]) {
      track.onMessage((message) =>
        this.handle('a packet', () => (isRtcp(message) ? this.onRtcp(message) : events.onRtp(message))),
      );
      track.onError((error) => this.hub.onWarning('a track', error));
      releaseAtEnd(track);
    }
    channel.onOpen(() => this.handle('the data channel', () => events.onChannel()));
    for (const own of [channel, peerChannel]) {
      own?.onError((error) => this.hub.onWarning('the data channel', error));
      // A viewer's messages are discarded; without a listener they would be buffered without bound.
      own?.onMessage((message) =>
        this.handle('data', () => room && typeof message !== 'string' && room.onData(toBytes(message))),
      );
      if (own) releaseAtEnd(own);
    }
  }

  private takeChannel(native: Native, channel: DataChannel): void {
    releaseAtEnd(channel);
    if (native.peerChannel) {
      channel.close();
      return;
    }
    native.peerChannel = channel;
    channel.onError((error) => this.hub.onWarning("the peer's data channel", error));
    channel.onMessage((message) => {
      if (typeof message === 'string') this.handle('a message', () => this.options.events.onMessage(message));
    });
  }

  /** The native library throws when the network fails between two calls. */
  private attempt(doing: string, act: (native: Native) => unknown): void {
    const { native } = this;
    if (this.isOpen && native) guard(this.hub.onWarning, doing, () => act(native));
  }

  /** An exception thrown into the native library would end the process. */
  private handle(what: string, act: () => void): void {
    if (this.isOpen) guard(this.hub.onWarning, `handling ${what}`, act);
  }

  private onRtcp(message: Uint8Array): void {
    const atMs = performance.now();
    const copy = this.last && atMs - this.last.atMs < COPY_MS && Buffer.compare(this.last.packet, message) === 0;
    if (copy) return;
    this.last = { packet: message, atMs };
    this.options.events.onRtcp(message);
  }
}

/**
 * The native library keeps the event loop alive for each object until it is garbage collected, which in an idle process may be never, except
 * for objects whose end is listened to.
 */
export function releaseAtEnd(object: Pick<Track | DataChannel, 'onClosed'>): void {
  object.onClosed(() => undefined);
}

/** Declares the SSRCs, because incoming RTCP is assigned to its stream by them. */
function addTracks(connection: PeerConnection, options: TransportOptions): Record<'audio' | 'video', Track> {
  const { ssrcs, cname, microphone } = options;
  const audio = new ndc.Audio(MIDS.audio, microphone ? 'SendRecv' : 'SendOnly');
  audio.addOpusCodec(PAYLOADS.opus);
  audio.addSSRC(ssrcs.audio, cname, cname, `${cname}-audio`);
  const video = new ndc.Video(MIDS.video, 'SendOnly');
  video.addH264Codec(PAYLOADS.h264);
  video.addSSRC(ssrcs.video, cname, cname, `${cname}-video`);
  video.addSSRC(ssrcs.rtx, cname, cname, `${cname}-video`);
  return { audio: connection.addTrack(audio), video: connection.addTrack(video) };
}

function toBytes(message: Buffer | ArrayBuffer): Uint8Array {
  return message instanceof ArrayBuffer ? new Uint8Array(message) : message;
}

/** Errors of `act` go to `onWarning`. */
function guard(onWarning: HubOptions['onWarning'], doing: string, act: () => unknown): void {
  try {
    act();
  } catch (error) {
    onWarning(doing, error);
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** ICE credentials, limited to letters and digits, which every parser accepts (RFC 8839 allows `+` and `/` too). */
function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A browser's server entry in the form of the native library, without unsupported servers. It supports STUN, and TURN over UDP. */
function toNativeServers({ urls, username = '', credential = '' }: IceServer): RtcConfig['iceServers'] {
  return [urls].flat().flatMap((url): RtcConfig['iceServers'] => {
    const server = parseIceUrl(url);
    if (server?.transport !== 'udp') return [];
    const { kind, host: hostname, port } = server;
    if (kind === 'stun') return [`stun:${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`];
    return [{ hostname, port, relayType: 'TurnUdp', username, password: credential }];
  });
}
