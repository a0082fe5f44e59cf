import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CloseReason,
  type IceCandidate,
  LiveError,
  type LiveEvent,
  type LiveHost,
  type LiveSession,
  type LiveState,
  type Recording,
  type Speak,
  type UtteranceHandle,
  type ViewerSpeech,
} from '@figurehead/media';

/** A session without a network: the test determines when the viewer connects and how long speech plays. */
export interface ScriptedSession extends LiveSession {
  readonly candidates: (IceCandidate | null)[];
  /** Number of synthesized samples by utterance. */
  readonly spoken: Map<string, number>;
  closedWith: string | undefined;
  isPaused: boolean;
  isTalking: boolean;
  connect(): void;
  /** Emits an event to the listeners. */
  emit(event: LiveEvent): void;
  /** The sound of the viewer's microphone. */
  hear(event: ViewerSpeech): void;
  /** A text on the viewer's own data channel. */
  receive(text: string): void;
  /** Texts that were sent on that channel. */
  readonly messages: string[];
  readonly listeners: number;
  /** Simulates a viewer that disconnects. */
  lose(why: CloseReason): void;
  /** Ends the playing utterance, with `holdSpeech`. */
  finish(): void;
  /** Billed time in `stats`. */
  connectedMs: number;
}

/** A {@link LiveHost} for tests of states and money. The real one is tested in its own folder and end to end. */
export interface ScriptedLiveHost extends LiveHost {
  readonly sessions: ReadonlyMap<string, ScriptedSession>;
}

/** Options of scripted sessions. */
export interface ScriptedOptions {
  /** Utterances play until `finish`; otherwise they end as soon as they are created. */
  readonly holdSpeech?: boolean;
  /** Speech emits its events: words when they are created, and its end. */
  readonly tellsSpeech?: boolean;
}

/** Opens scripted sessions. */
export function scriptedLiveHost(options: ScriptedOptions = {}): ScriptedLiveHost {
  const sessions = new Map<string, ScriptedSession>();
  return {
    sessions,
    async open({ id, record }) {
      const session = scriptedSession(id, options, record?.folder);
      sessions.set(id, session);
      void session.closed.then(() => sessions.delete(id));
      return session;
    },
    async close() {
      await Promise.all([...sessions.values()].map((session) => session.close()));
    },
  };
}

interface Queued {
  readonly handle: UtteranceHandle;
  readonly speak: Speak;
  readonly stop: AbortController;
  readonly end: (how: 'spoken' | 'interrupted' | 'failed') => void;
}

function scriptedSession(id: string, options: ScriptedOptions, folder?: string): ScriptedSession {
  const { holdSpeech = false, tellsSpeech = false } = options;
  let state: LiveState = 'offered';
  let answered: string | undefined;
  let finishCurrent = (): void => undefined;
  const queue: Queued[] = [];
  const listeners = new Set<(event: LiveEvent) => void>();
  const messageListeners = new Set<(text: string) => void>();
  const ears = new Set<(event: ViewerSpeech) => void>();
  const closing = deferred<CloseReason>();

  const tellOf = (head: Queued, event: { type: string }) => {
    if (tellsSpeech) session.emit({ ...event, id: head.handle.id, at: 0 } as LiveEvent);
  };

  async function play(head: Queued): Promise<void> {
    const held = new Promise<void>((resolve) => {
      finishCurrent = resolve;
      head.stop.signal.addEventListener('abort', () => resolve());
    });
    try {
      let samples = 0;
      for await (const chunk of head.speak(head.stop.signal)) {
        if (samples === 0) tellOf(head, { type: 'speech.started' });
        for (const { text } of chunk.marks.words) tellOf(head, { type: 'speech.word', ...{ text, start: 0, end: 0 } });
        samples += chunk.samples.length;
        session.spoken.set(head.handle.id, samples);
        // Yields, because it consumes speech faster than a real host plays it.
        await new Promise(setImmediate);
      }
      if (holdSpeech) await held;
      if (!head.stop.signal.aborted) tellOf(head, { type: 'speech.ended', ...{ position: 0 } });
      head.end(head.stop.signal.aborted ? 'interrupted' : 'spoken');
    } catch {
      head.end(head.stop.signal.aborted ? 'interrupted' : 'failed');
    }
    if (queue[0] === head) queue.shift();
    playNext();
  }
  function playNext(): void {
    const head = queue[0];
    if (state === 'connected' && head !== undefined) void play(head);
  }
  function drop(list: readonly Queued[]): void {
    for (const { stop, end } of list) {
      stop.abort(new Error('interrupted'));
      end('interrupted');
    }
  }

  const session: ScriptedSession = {
    id,
    offer: `v=0\r\no=- ${id} 0 IN IP4 127.0.0.1\r\n`,
    candidates: [],
    spoken: new Map(),
    messages: [],
    onMessage(listener) {
      messageListeners.add(listener);
      return () => void messageListeners.delete(listener);
    },
    sendMessage: (text) => void session.messages.push(text),
    receive(text) {
      for (const listener of messageListeners) listener(text);
    },
    closedWith: undefined,
    connectedMs: 0,
    closed: closing.promise,
    recorded: closing.promise.then(() => recordingIn(folder)),
    get state() {
      return state;
    },
    reconnect(received = -1) {
      if (state === 'closed') throw new LiveError('closed', 'the session is closed');
      answered = undefined;
      return `v=0\r\ns=offer after ${received} events\r\n`;
    },
    async answer(sdp) {
      if (!sdp.startsWith('v=0')) throw new LiveError('bad_answer', 'expected SDP');
      if (answered !== undefined && answered !== sdp) throw new LiveError('bad_answer', 'answered before');
      answered = sdp;
    },
    async acceptOffer(sdp) {
      if (!sdp.startsWith('v=0')) throw new LiveError('bad_offer', 'expected SDP');
      answered = sdp;
      return `v=0\r\ns=answer to ${sdp.length}\r\n`;
    },
    join: async () => session.connect(),
    addCandidate(candidate) {
      if (candidate !== null && !candidate.candidate.startsWith('candidate:'))
        throw new LiveError('bad_candidate', 'nonsense');
      session.candidates.push(candidate);
    },
    speak(utteranceId, speak) {
      const ended = deferred<'spoken' | 'interrupted' | 'failed'>();
      const handle: UtteranceHandle = {
        id: utteranceId,
        position: queue.length,
        started: ended.promise.then(() => 1),
        ended: ended.promise,
      };
      queue.push({ handle, speak, stop: new AbortController(), end: ended.resolve });
      if (queue.length === 1) playNext();
      return handle;
    },
    interrupt(scope) {
      const playing = state === 'connected' ? queue.slice(0, 1) : [];
      const waiting = scope === 'all' ? queue.slice(playing.length) : [];
      queue.splice(playing.length, waiting.length);
      drop([...playing, ...waiting]);
      return { interrupted: playing.length > 0, dropped: waiting.length };
    },
    pause() {
      session.isPaused = true;
    },
    resume() {
      session.isPaused = false;
    },
    isPaused: false,
    setTalking(isTalking) {
      session.isTalking = isTalking;
    },
    isTalking: false,
    setAttention: () => undefined,
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell: (event) => session.emit({ ...event, at: 0 }),
    emit: (event) => {
      for (const listener of listeners) listener(event);
    },
    onViewerSpeech(listener) {
      ears.add(listener);
      return () => void ears.delete(listener);
    },
    hear: (event) => {
      for (const listener of ears) listener(event);
    },
    get listeners() {
      return listeners.size;
    },
    stats: () => ({
      state,
      codec: 'H264',
      framesPerSecond: 25,
      encodeMs: 3,
      drawMs: 1,
      bitrate: 500_000,
      loss: 0.01,
      roundTripMs: 2,
      videoBitrate: 450_000,
      firstSoundMs: 80,
      synthesisMs: 40,
      queueMs: 30,
      width: 512,
      height: 512,
      speaking: state === 'connected' && queue.length > 0,
      avOffsetMs: -5,
      queued: queue.length,
      connectedMs: session.connectedMs,
    }),
    async close(reason) {
      if (state === 'closed') return;
      state = 'closed';
      session.closedWith = reason;
      drop(queue.splice(0));
      closing.resolve('requested');
    },
    connect() {
      state = 'connected';
      playNext();
    },
    lose(why) {
      state = 'closed';
      drop(queue.splice(0));
      closing.resolve(why);
    },
    finish: () => finishCurrent(),
  };
  return session;
}

async function recordingIn(folder: string | undefined): Promise<Recording | undefined> {
  if (folder === undefined) return undefined;
  const path = join(folder, 'recording.mp4');
  await writeFile(path, 'pictures and sound');
  const words = [{ text: 'Hello', start: 0.5, end: 0.9 }];
  const cues = [{ start: 0.5, end: 0.9, text: 'Hello', words }];
  return { path, contentType: 'video/mp4', seconds: 2, bytes: 18, width: 512, height: 512, cues };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
