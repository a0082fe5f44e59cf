import { ConversationInput, MAX_TOOL_RESULT } from '@figurehead/contract';
import type { LiveEvent, LiveSession } from '@figurehead/media';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { HostRefusal } from './host-protocol.js';

// RTVI, the messages of Pipecat's clients (https://docs.pipecat.ai/client/rtvi-standard), on the data channel that the viewer opens:
//
//   client → server: client-ready; send-text; llm-function-call-result; disconnect-bot
//   server → client: bot-ready; the messages of `messagesOf`; user-started-speaking, user-stopped-speaking; error-response

const LABEL = 'rtvi-ai';
/** Version of the protocol that is spoken. */
const VERSION = '2.1.0';
/** Longest message, UTF-16 units: a tool's result and what is around it. */
const MOST_CHARACTERS = MAX_TOOL_RESULT + 4000;
/** Messages of a client within one second; further ones are dropped. */
const MOST_PER_SECOND = 20;

/** What protocol 2 says of a word that is heard, and `spoken` for clients of protocol 1. */
const SPOKEN_WORD = { aggregated_by: 'word', will_be_spoken: true, spoken_status: 'completed', spoken: true };

const Message = Type.Object({
  label: Type.Literal(LABEL),
  type: Type.String(),
  id: Type.String({ maxLength: 100 }),
  data: Type.Optional(Type.Unknown()),
});
const Text = Type.Object({ content: Type.String() });
const Result = Type.Object({ tool_call_id: Type.String(), result: Type.Unknown() });

/** What a client may do; both may throw `HostRefusal`. */
export interface RtviActions {
  converse(input: ConversationInput): void;
  close(): void;
}

/** Speaks RTVI with a viewer whose client says that it is ready. Ends with the session. */
export function serveRtvi(
  session: Pick<LiveSession, 'onEvent' | 'onMessage' | 'onViewerSpeech' | 'sendMessage' | 'stats'>,
  actions: RtviActions,
): void {
  let isReady = false;
  let second = { startedMs: 0, messages: 0 };
  const send: Send = (type, data = {}, id = '') =>
    session.sendMessage(JSON.stringify({ label: LABEL, type, id, data }));

  session.onMessage((text) => {
    const nowMs = performance.now();
    if (nowMs - second.startedMs >= 1000) second = { startedMs: nowMs, messages: 0 };
    second.messages += 1;
    const message = second.messages > MOST_PER_SECOND ? undefined : readMessage(text);
    if (message === undefined) return;
    if (message.type === 'client-ready') {
      send('bot-ready', { version: VERSION, about: { library: 'figurehead' } }, message.id);
      if (!isReady) follow(session, send);
      isReady = true;
      return;
    }
    try {
      obey(message, actions);
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      send('error-response', { error: error.message }, message.id);
    }
  });
}

type Send = (type: string, data?: unknown, id?: string) => void;

/** Tells a client what happens from now on. */
function follow(session: Pick<LiveSession, 'onEvent' | 'onViewerSpeech' | 'sendMessage' | 'stats'>, send: Send): void {
  // A greeting may have begun before the client was ready.
  let isSpeaking = session.stats().speaking;
  if (isSpeaking) send('bot-started-speaking');
  session.onViewerSpeech(({ type }) => {
    if (type === 'began') send('user-started-speaking');
    if (type === 'ended') send('user-stopped-speaking');
  });
  session.onEvent((event) => {
    const isStopped = event.type === 'speech.ended' || event.type === 'speech.interrupted';
    // An utterance that was dropped before it began never spoke.
    if (isStopped && !isSpeaking) return;
    if (isStopped || event.type === 'speech.started') isSpeaking = !isStopped;
    for (const { type, data } of messagesOf(event)) send(type, data);
    if (event.type === 'stream.closing') {
      session.sendMessage(JSON.stringify({ type: 'signalling', message: { type: 'peerLeft' } }));
    }
  });
}

/** Throws `HostRefusal` for a message that is not valid, not supported or not possible now. */
function obey({ type, data }: { type: string; data?: unknown }, actions: RtviActions): void {
  if (type === 'disconnect-bot') {
    actions.close();
    return;
  }
  const input = inputOf(type, data);
  if (!Value.Check(ConversationInput, input))
    throw new HostRefusal('bad_text', `${type} is not supported or not valid`);
  actions.converse(input);
}

function inputOf(type: string, data: unknown): unknown {
  if (type === 'send-text' && Value.Check(Text, data)) return { text: data.content };
  if (type === 'llm-function-call-result' && Value.Check(Result, data)) {
    return { callId: data.tool_call_id, result: data.result };
  }
  return undefined;
}

/** The RTVI messages that an event becomes. */
function messagesOf(event: LiveEvent): { readonly type: string; readonly data?: unknown }[] {
  switch (event.type) {
    case 'speech.started':
      return [{ type: 'bot-started-speaking' }, { type: 'bot-tts-started' }];
    case 'speech.word':
      return [
        { type: 'bot-tts-text', data: { text: event.text } },
        { type: 'bot-output', data: { text: event.text, ...SPOKEN_WORD } },
      ];
    case 'speech.ended':
    case 'speech.interrupted':
      return [{ type: 'bot-tts-stopped' }, { type: 'bot-stopped-speaking' }];
    case 'conversation.partial':
      return [{ type: 'user-transcription', data: transcription(event.text, false) }];
    case 'conversation.heard': {
      const { text } = event;
      return [
        { type: 'user-transcription', data: transcription(text, true) },
        { type: 'user-llm-text', data: { text } },
        { type: 'bot-llm-started' },
      ];
    }
    case 'conversation.said': {
      const data = { text: event.text };
      return [{ type: 'bot-llm-text', data }, { type: 'bot-transcription', data }, { type: 'bot-llm-stopped' }];
    }
    case 'conversation.tool': {
      const data = { function_name: event.name, tool_call_id: event.id, arguments: event.arguments };
      return [{ type: 'llm-function-call-in-progress', data }];
    }
    case 'conversation.failed':
      return [{ type: 'error', data: { error: event.error, message: event.error, fatal: false } }];
    default:
      return [];
  }
}

function transcription(text: string, final: boolean): object {
  return { text, final, timestamp: new Date().toISOString(), user_id: '' };
}

/** Undefined for other texts, such as the transport's pings. */
function readMessage(text: string): { type: string; id: string; data?: unknown } | undefined {
  if (text.length > MOST_CHARACTERS || !text.startsWith('{')) return undefined;
  try {
    const message: unknown = JSON.parse(text);
    return Value.Check(Message, message) ? message : undefined;
  } catch {
    // Not of this protocol.
    return undefined;
  }
}
