import { randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AddTrackRequest,
  DataPacket,
  DisconnectReason,
  JoinRequest,
  type JoinResponse,
  LeaveRequest_Action,
  type ParticipantInfo,
  ParticipantInfo_State,
  SignalRequest,
  SignalResponse,
  TrackSource,
  TrackType,
  VideoQuality,
  WrappedJoinRequest,
} from '@livekit/protocol';
import WebSocket from 'ws';
import { type IceCandidate, LiveError, type LiveRoom, type RoomLink, type RoomPeer } from '../contract.js';

/*
 * new ──join──▶ joining ──connected──▶ joined ──leave, removed, replaced, lost──▶ left
 *
 * The signalling socket may break and be resumed in between: media and data do not need it. A server that shuts down or moves the room asks for another
 * connection, which is made like the first one.
 */

/** Version of LiveKit's signalling that is spoken: RPC and byte streams come as plain packets. */
const PROTOCOL = 16;
/** Time for the server's answer, and for the connection after it, ms. */
const JOIN_WITHIN_MS = 8000;
/** Times between attempts to resume the signalling, or to join again, ms: the server keeps a participant for about half a minute. */
const RETRY_AFTER_MS = [100, 500, 1000, 2000, 4000, 8000, 16_000] as const;
/** Time in which the server says why it closed a connection, ms. */
const REASON_WITHIN_MS = 1000;
/** Time that another participant has to answer a call, ms; answers are not waited for. */
const CALL_WITHIN_MS = 8000;
/** Code of an answer to an unknown call (LiveKit's `UNSUPPORTED_METHOD`). */
const UNSUPPORTED_METHOD = 1400;
/** Longest message of the server, bytes: a list of some thousand participants. */
const MAX_MESSAGE = 4 * 1024 * 1024;
/** Attribute of a participant that publishes for another one: that one's identity. */
const ON_BEHALF = 'lk.publish_on_behalf';

/** Where a room is. */
export interface RoomOptions {
  /** Address of the LiveKit server: ws, wss, http or https. */
  readonly url: string;
  /** Access token of a participant that may publish. It appears in no log and no error. */
  readonly token: string;
  /** Resolves the server's name, and may refuse its addresses with an error. */
  readonly lookup?: LookupFunction | undefined;
  /** Receives errors that do not end the room. */
  readonly onWarning: (doing: string, error: unknown) => void;
}

/** What other participants do. `sender` is vouched for by the server. */
export type RoomEvent =
  | {
      readonly type: 'stream.opened';
      readonly sender: string;
      readonly id: string;
      readonly topic: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly type: 'stream.chunk'; readonly sender: string; readonly id: string; readonly content: Uint8Array }
  | { readonly type: 'stream.closed'; readonly sender: string; readonly id: string }
  | { readonly type: 'participant.came'; readonly sender: string }
  /** `isFinal`: it left by itself; otherwise its connection may have broken. */
  | { readonly type: 'participant.left'; readonly sender: string; readonly isFinal: boolean };

/** Takes what happens in a room. */
export interface RoomListener {
  onEvent(event: RoomEvent): void;
  /** Answers another participant's call; `undefined` for an unknown method. */
  onCall(call: { readonly sender: string; readonly method: string; readonly payload: string }): string | undefined;
}

type Signal = NonNullable<NonNullable<ConstructorParameters<typeof SignalRequest>[0]>['message']>;
type Packet = NonNullable<NonNullable<ConstructorParameters<typeof DataPacket>[0]>['value']>;

/** One connection to a room. */
class Entry {
  readonly connected: Promise<void>;
  resolve: () => void = () => undefined;
  reject: (why: unknown) => void = () => undefined;
  peer: RoomPeer | undefined;

  constructor() {
    this.connected = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    // It may fail before it is waited for, and after.
    this.connected.catch(() => undefined);
  }
}

/** A participant that publishes one session to a LiveKit room (server 1.9 or newer): signalling, calls and byte streams over one peer connection. */
export class LiveKitRoom implements LiveRoom {
  readonly left: Promise<void>;
  #resolveLeft: () => void = () => undefined;
  #isLeft = false;
  #token: string;
  #socket: WebSocket | undefined;
  #joined: JoinResponse | undefined;
  #open: Parameters<LiveRoom['join']>[0] | undefined;
  #entry: Entry | undefined;
  #isRejoining = false;
  #listener: RoomListener | undefined;
  #heardMs = 0;
  #pings: NodeJS.Timeout | undefined;

  constructor(private readonly options: RoomOptions) {
    this.#token = options.token;
    this.left = new Promise((resolve) => {
      this.#resolveLeft = resolve;
    });
  }

  /** Identity of the agent for which the token publishes, if any. Known after `join`. */
  get agent(): string | undefined {
    return this.#joined?.participant?.attributes[ON_BEHALF] || undefined;
  }

  /** Adds the listener; there is one. Add it before `join`. */
  listen(listener: RoomListener): void {
    this.#listener = listener;
  }

  async join(open: Parameters<LiveRoom['join']>[0]): Promise<void> {
    try {
      await this.#enter(open);
      this.#open = open;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  /** Calls a method of another participant. Its answer is not waited for. */
  call(identity: string, method: string, payload: string): void {
    const rpcRequest = { id: randomUUID(), method, payload, responseTimeoutMs: CALL_WITHIN_MS, version: 1 };
    this.#sendPacket(identity, { case: 'rpcRequest', value: rpcRequest });
  }

  leave(): void {
    this.#signOut();
    this.#end(refused('it was left'));
  }

  #signOut(): void {
    this.#signal({ case: 'leave', value: { action: LeaveRequest_Action.DISCONNECT } });
    this.#socket?.close();
  }

  /** Signs in as a new participant, and publishes over a new connection. Throws `LiveError('room_refused')`. */
  async #enter(open: Parameters<LiveRoom['join']>[0]): Promise<void> {
    const entry = new Entry();
    this.#entry = entry;
    const deadline = setTimeout(() => {
      entry.reject(refused(`no connection to the media server came about within ${JOIN_WITHIN_MS / 1000} s`));
    }, JOIN_WITHIN_MS);
    try {
      await this.#signIn({});
      const { participant, iceServers } = this.#joined!;
      if (participant?.permission?.canPublish === false) throw refused('its token does not allow publishing');
      const servers = iceServers.map(({ urls, username, credential }) => ({ urls, username, credential }));
      entry.peer = open(servers, this.#linkOf(entry));
      this.#publish(entry.peer);
      await entry.connected;
      this.#tellOf(this.#joined!.otherParticipants);
    } catch (error) {
      this.#signOut();
      throw error;
    } finally {
      clearTimeout(deadline);
    }
  }

  #linkOf(entry: Entry): RoomLink {
    return {
      leave: () => this.#entry === entry && this.leave(),
      onConnected: entry.resolve,
      onGone: () => {
        entry.reject(refused('its connection failed'));
        const end = () => this.#entry === entry && !this.#isRejoining && this.#end(refused('its connection was lost'));
        setTimeout(end, REASON_WITHIN_MS).unref();
      },
      onCandidate: (candidate) => {
        const init = { candidate: candidate.replace(/^a=/, ''), sdpMid: '0', sdpMLineIndex: 0 };
        this.#signal({ case: 'trickle', value: { candidateInit: JSON.stringify(init) } });
      },
      onData: (message) => this.#onData(message),
    };
  }

  #onData(message: Uint8Array): void {
    const { participantIdentity: sender, value: packet } = DataPacket.fromBinary(message);
    switch (packet.case) {
      case 'streamHeader': {
        const { streamId: id, topic, attributes, contentHeader } = packet.value;
        if (contentHeader.case === 'byteHeader') this.#tell({ type: 'stream.opened', sender, id, topic, attributes });
        break;
      }
      case 'streamChunk':
        this.#tell({ type: 'stream.chunk', sender, id: packet.value.streamId, content: packet.value.content });
        break;
      case 'streamTrailer':
        this.#tell({ type: 'stream.closed', sender, id: packet.value.streamId });
        break;
      case 'rpcRequest': {
        const { id: requestId, method, payload } = packet.value;
        this.#sendPacket(sender, { case: 'rpcAck', value: { requestId } });
        const answer = this.#listener?.onCall({ sender, method, payload });
        const error = { code: UNSUPPORTED_METHOD, message: 'Method not supported at destination' };
        const value =
          answer === undefined
            ? ({ case: 'error', value: error } as const)
            : ({ case: 'payload', value: answer } as const);
        this.#sendPacket(sender, { case: 'rpcResponse', value: { requestId, value } });
        break;
      }
    }
  }

  /** Opens the signalling socket, and resolves when the server has let the participant in. Throws `LiveError('room_refused')`. */
  async #signIn(resumed: { readonly reconnect?: boolean; readonly participantSid?: string }): Promise<void> {
    const join = new JoinRequest({
      clientInfo: { protocol: PROTOCOL },
      connectionSettings: { autoSubscribe: false },
      ...resumed,
    });
    const wrapped = Buffer.from(new WrappedJoinRequest({ joinRequest: join.toBinary() }).toBinary());
    const url = signalUrl(this.options.url);
    // The alphabet of URLs, with padding, is what the server reads.
    url.searchParams.set('join_request', wrapped.toString('base64').replaceAll('+', '-').replaceAll('/', '_'));
    const { lookup } = this.options;
    const socket = dial(url, {
      // Not in the address, which proxies log.
      headers: { authorization: `Bearer ${this.#token}` },
      handshakeTimeout: JOIN_WITHIN_MS,
      maxPayload: MAX_MESSAGE,
      ...(lookup && { lookup }),
    });
    this.#socket = socket;
    try {
      await new Promise<void>((resolve, reject) => {
        socket.on('unexpected-response', (request, { statusCode = 0 }) => {
          // The body of a refusal contains the token.
          request.destroy();
          reject(refused(reasonOf(statusCode)));
        });
        socket.on('error', (error) => reject(refused(`its LiveKit server cannot be reached: ${error.message}`, error)));
        socket.on('close', () => reject(refused('its LiveKit server closed the connection')));
        socket.on('message', (data: Buffer) => {
          this.#guard('reading a message of the LiveKit server', () => {
            this.#heardMs = performance.now();
            if (this.#onSignal(SignalResponse.fromBinary(data).message)) resolve();
          });
        });
      });
    } catch (error) {
      socket.terminate();
      throw error;
    }
    socket.on('close', () => void this.#resume(socket));
  }

  /** @returns true for the message that lets the participant in. */
  #onSignal(message: SignalResponse['message']): boolean {
    switch (message.case) {
      case 'join':
        this.#joined = message.value;
        this.#startPings(message.value);
        return true;
      case 'reconnect':
        return true;
      case 'answer':
        this.#entry?.peer?.acceptAnswer(message.value.sdp);
        break;
      case 'trickle':
        this.#entry?.peer?.addCandidate(JSON.parse(message.value.candidateInit) as IceCandidate);
        break;
      case 'refreshToken':
        this.#token = message.value;
        break;
      case 'update':
        this.#tellOf(message.value.participants);
        break;
      case 'leave':
        if (message.value.action === LeaveRequest_Action.RESUME) this.#socket?.close();
        else if (message.value.action === LeaveRequest_Action.RECONNECT && this.#open) void this.#rejoin(this.#open);
        else this.#end(refused('its LiveKit server ended it'));
        break;
    }
    return false;
  }

  #publish({ offer, trackIds, picture: { codec, width, height } }: RoomPeer): void {
    const audio = { cid: trackIds.audio, name: 'voice', type: TrackType.AUDIO, source: TrackSource.MICROPHONE };
    const video = { cid: trackIds.video, name: 'face', type: TrackType.VIDEO, source: TrackSource.CAMERA };
    const layers = [{ quality: VideoQuality.HIGH, width, height }];
    const simulcastCodecs = [{ codec: codec.toLowerCase(), cid: trackIds.video }];
    this.#signal({ case: 'addTrack', value: new AddTrackRequest({ ...audio, disableRed: true }) });
    this.#signal({
      case: 'addTrack',
      value: new AddTrackRequest({ ...video, width, height, layers, simulcastCodecs }),
    });
    this.#signal({ case: 'offer', value: { type: 'offer', sdp: offer } });
  }

  #startPings({ pingInterval, pingTimeout }: JoinResponse): void {
    clearInterval(this.#pings);
    if (pingInterval <= 0) return;
    this.#pings = setInterval(() => {
      const isSilent = pingTimeout > 0 && performance.now() - this.#heardMs > 1000 * pingTimeout;
      if (isSilent) this.#socket?.terminate();
      else this.#signal({ case: 'pingReq', value: { timestamp: BigInt(Date.now()) } });
    }, 1000 * pingInterval);
  }

  /** Signs in as the same participant after its socket broke; media and data go on meanwhile. Never rejects. */
  async #resume(lost: WebSocket): Promise<void> {
    const entry = this.#entry;
    const isOver = () => this.#isLeft || this.#isRejoining || this.#entry !== entry;
    for (const waitMs of RETRY_AFTER_MS) {
      if (isOver() || this.#socket !== lost) return;
      await delay(waitMs, undefined, { ref: false });
      if (isOver()) return;
      try {
        return await this.#signIn({ reconnect: true, participantSid: this.#joined?.participant?.sid ?? '' });
      } catch (error) {
        this.options.onWarning('resuming the signalling of a room', error);
        lost = this.#socket;
      }
    }
    this.#end(refused('its LiveKit server was out of reach'));
  }

  /** Enters again when the server wants it, for example because it shuts down; speech goes on unheard meanwhile. Never rejects. */
  async #rejoin(open: Parameters<LiveRoom['join']>[0]): Promise<void> {
    if (this.#isRejoining) return;
    this.#isRejoining = true;
    this.#socket?.close();
    for (const waitMs of RETRY_AFTER_MS) {
      await delay(waitMs, undefined, { ref: false });
      if (this.#isLeft) return;
      try {
        await this.#enter(open);
        this.#isRejoining = false;
        return;
      } catch (error) {
        this.options.onWarning('joining a room again', error);
      }
    }
    this.#end(refused('its LiveKit server did not let it in again'));
  }

  /** Tells who can be called: the server drops packets for a participant whose data channel is not open yet. */
  #tellOf(participants: readonly ParticipantInfo[]): void {
    for (const { identity: sender, state, disconnectReason } of participants) {
      if (state === ParticipantInfo_State.ACTIVE) this.#tell({ type: 'participant.came', sender });
      if (state === ParticipantInfo_State.DISCONNECTED) {
        const isFinal = disconnectReason === DisconnectReason.CLIENT_INITIATED;
        this.#tell({ type: 'participant.left', sender, isFinal });
      }
    }
  }

  #tell(event: RoomEvent): void {
    this.#listener?.onEvent(event);
  }

  #signal(message: Signal): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(new SignalRequest({ message }).toBinary());
  }

  #sendPacket(identity: string, value: Packet): void {
    this.#entry?.peer?.sendData(new DataPacket({ destinationIdentities: [identity], value }).toBinary());
  }

  #guard(doing: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.options.onWarning(doing, error);
      // Before it is published the room is of no use without the message.
      this.#entry?.reject(error);
    }
  }

  #end(why: LiveError): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    clearInterval(this.#pings);
    this.#socket?.close();
    this.#entry?.reject(why);
    this.#resolveLeft();
  }
}

/** Throws `LiveError('room_refused')` for a token that no header can have. */
function dial(url: URL, options: WebSocket.ClientOptions): WebSocket {
  try {
    return new WebSocket(url, options);
  } catch (cause) {
    throw refused('its token or its address cannot be used', cause);
  }
}

function signalUrl(text: string): URL {
  const url = new URL(text);
  url.hash = '';
  url.protocol = url.protocol.replace('http', 'ws');
  url.pathname = `${url.pathname.replace(/\/$/, '')}/rtc/v1`;
  return url;
}

function reasonOf(statusCode: number): string {
  if (statusCode === 401 || statusCode === 403) return `its LiveKit server refused the token (${statusCode})`;
  if (statusCode === 404) return 'its address has no LiveKit server of version 1.9 or newer (404)';
  return `its LiveKit server answered ${statusCode}`;
}

function refused(reason: string, cause?: unknown): LiveError {
  return new LiveError('room_refused', `The room cannot be joined: ${reason}.`, { cause });
}
