import ndc, { type DataChannel, type PeerConnection, type RtcConfig, type Track } from 'node-datachannel';
import { formatCandidate, type ParsedCandidate } from './candidate.js';
import { type IceServer, LiveError } from './contract.js';
import {
  type Answer,
  formatTransportAnswer,
  MIDS,
  PAYLOADS,
  type PeerParameters,
  parseLocal,
  type Sources,
} from './sdp.js';

/** STUN and TURN servers that do not answer must not hold an offer back for longer. */
const GATHERING_MS = 1500;
/** The same message reaches every stream that it names; copies follow within this time. */
const COPY_MS = 5;

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
  /** Takes the peer's parameters. Throws `LiveError('bad_answer')` when the stack refuses them. */
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

/** Opens peer connections that share one UDP port. Who creates it closes it, after its connections. */
export interface TransportHub {
  /** The UDP port of all connections. */
  readonly port: number;
  /** Gathers candidates, then resolves. */
  open(options: TransportOptions): Promise<PeerTransport>;
  /** Idempotent. */
  close(): void;
}

/** Where a hub listens. */
export interface HubOptions {
  /** The first free port of the range is taken. */
  readonly ports: { readonly from: number; readonly to: number };
  /** Public address that takes the place of the host's own in the candidates. */
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
  let open = true;
  return {
    port,
    open: (peer) => openPeer(peer, { ...options, port }),
    close() {
      if (!open) return;
      open = false;
      guard(options.onWarning, 'closing the UDP port', () => listener.stop());
    },
  };
}

/** Frees the native threads of this process; connections must be closed before. Without it the process may not end. */
export function cleanUpTransports(): void {
  ndc.cleanup();
}

type Listener = InstanceType<typeof ndc.IceUdpMuxListener>;

/** Holds the port, so that it stays this host's between two sessions. */
function listen(options: HubOptions): { listener: Listener; port: number } {
  const { from, to } = options.ports;
  let reason: unknown;
  for (let port = from; port <= to; port++) {
    try {
      const listener = options.bind
        ? new ndc.IceUdpMuxListener(port, options.bind)
        : new ndc.IceUdpMuxListener(port);
      return { listener, port };
    } catch (error) {
      reason = error;
    }
  }
  throw new LiveError('no_ports', `expected a free UDP port between ${from} and ${to}, found none`, {
    cause: reason,
  });
}

async function openPeer(options: TransportOptions, hub: HubOptions & { port: number }): Promise<PeerTransport> {
  const config: RtcConfig = {
    iceServers: options.iceServers.flatMap(toNativeServers),
    enableIceUdpMux: true,
    portRangeBegin: hub.port,
    portRangeEnd: hub.port,
    disableAutoNegotiation: true,
    ...(hub.bind ? { bindAddress: hub.bind } : {}),
  };
  const connection = new ndc.PeerConnection(options.name, config);
  const tracks = addTracks(connection, options);
  const channel = connection.createDataChannel('events');
  await gather(connection);
  const description = connection.localDescription();
  if (!description) {
    connection.close();
    throw new Error('the transport made no description of itself');
  }
  const own = parseLocal(description.sdp);
  const local = hub.address ? { ...own, candidates: withPublicAddress(own.candidates, hub.address) } : own;
  return new NativePeer({ connection, tracks, channel, local, options, onWarning: hub.onWarning });
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

function gather(connection: PeerConnection): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, GATHERING_MS);
    connection.onGatheringStateChange((state) => {
      if (state !== 'complete') return;
      clearTimeout(timer);
      resolve();
    });
    connection.setLocalDescription('offer');
  });
}

class NativePeer implements PeerTransport {
  readonly local: PeerParameters;
  private readonly connection: PeerConnection;
  private readonly channel: DataChannel;
  private readonly tracks: Record<'audio' | 'video', Track>;
  private isOpen = true;
  private last: { packet: Uint8Array; atMs: number } | undefined;

  constructor(
    private readonly made: {
      connection: PeerConnection;
      tracks: Record<'audio' | 'video', Track>;
      channel: DataChannel;
      local: PeerParameters;
      options: TransportOptions;
      onWarning: HubOptions['onWarning'];
    },
  ) {
    const { connection, tracks, channel, local, options } = made;
    this.local = local;
    this.connection = connection;
    this.tracks = tracks;
    this.channel = channel;
    const { events } = options;
    connection.onStateChange((state) => {
      if (!this.isOpen) return;
      if (state === 'connected') events.onConnected();
      else if (state === 'closed' || state === 'failed') events.onGone(state);
    });
    for (const track of [tracks.audio, tracks.video]) {
      track.onMessage((message) => this.onRtcp(message));
      track.onError((error) => made.onWarning('a track', error));
    }
    channel.onOpen(() => {
      if (this.isOpen) events.onEvents();
    });
    channel.onError((error) => made.onWarning('the data channel', error));
    // A peer that writes into our channel must not make it grow without bound.
    channel.onMessage(() => undefined);
  }

  accept(answer: Answer): void {
    try {
      this.connection.setRemoteDescription(formatTransportAnswer(answer), 'answer');
    } catch (error) {
      throw new LiveError('bad_answer', 'the transport refused the answer', { cause: error });
    }
    for (const candidate of answer.remote.candidates) this.addCandidate(candidate);
  }

  addCandidate(candidate: ParsedCandidate): void {
    this.attempt('adding a candidate', () =>
      this.connection.addRemoteCandidate(formatCandidate(candidate), MIDS.audio),
    );
  }

  send(kind: 'audio' | 'video', packet: Uint8Array): boolean {
    return this.attempt('sending a packet', () => {
      const track = this.tracks[kind];
      return track.isOpen() && track.sendMessageBinary(packet as Buffer);
    });
  }

  sendEvent(text: string): boolean {
    return this.attempt('sending an event', () => this.channel.isOpen() && this.channel.sendMessage(text));
  }

  close(): void {
    if (!this.isOpen) return;
    this.attempt('closing the data channel', () => this.channel.close());
    this.attempt('closing the sound', () => this.tracks.audio.close());
    this.attempt('closing the picture', () => this.tracks.video.close());
    this.attempt('closing the connection', () => this.connection.close());
    this.isOpen = false;
  }

  /** The native side throws when the network went away between two calls. */
  private attempt(doing: string, act: () => unknown): boolean {
    if (!this.isOpen) return false;
    return guard(this.made.onWarning, doing, act);
  }

  private onRtcp(message: Uint8Array): void {
    if (!this.isOpen) return;
    const atMs = performance.now();
    const copy = this.last && atMs - this.last.atMs < COPY_MS && Buffer.compare(this.last.packet, message) === 0;
    if (copy) return;
    this.last = { packet: message, atMs };
    this.made.options.events.onRtcp(message);
  }
}

function guard(onWarning: HubOptions['onWarning'], doing: string, act: () => unknown): boolean {
  try {
    return act() !== false;
  } catch (error) {
    onWarning(doing, error);
    return false;
  }
}

/** Host candidates under the public address, one for each port; relayed ones stay. */
function withPublicAddress(candidates: readonly ParsedCandidate[], address: string): ParsedCandidate[] {
  const out = new Map<string, ParsedCandidate>();
  for (const candidate of candidates) {
    const moved = candidate.type === 'relay' ? candidate : { ...candidate, type: 'host' as const, address };
    const key = `${moved.address} ${moved.port} ${moved.type}`;
    if (!out.has(key)) out.set(key, moved);
  }
  return [...out.values()];
}

/** A browser's server entry in the stack's form; only what it speaks: STUN, and TURN over UDP. */
function toNativeServers(server: IceServer): RtcConfig['iceServers'] {
  const urls = typeof server.urls === 'string' ? [server.urls] : server.urls;
  return urls.flatMap((url): RtcConfig['iceServers'] => {
    const found = /^(stun|turn):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(\w+))?$/.exec(url);
    if (!found || (found[4] !== undefined && found[4] !== 'udp')) return [];
    const hostname = found[2]!.replace(/^\[|\]$/g, '');
    const port = Number(found[3] ?? 3478);
    if (found[1] === 'stun') return [`stun:${found[2]}:${port}`];
    return [
      {
        hostname,
        port,
        relayType: 'TurnUdp' as const,
        username: server.username ?? '',
        password: server.credential ?? '',
      },
    ];
  });
}
