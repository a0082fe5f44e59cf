import type { AgentSettings, ConversationState } from '@figurehead/contract';
import type { LiveEvent, LiveSession, ViewerSpeech } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { ModelError, type Recogniser, type StreamedChat } from '../../language-model/index.js';
import { type AgentVoice, Answer } from './answer.js';
import { History } from './history.js';
import { ToolCalls } from './tool-calls.js';
import type { Transcript } from './transcript.js';

// listening ──speech ends, or a text──▶ thinking ──first sound of the answer──▶ speaking ──answer spoken──▶ listening
//     ▲                                    │                                       │
//     └──────────────────── the viewer speaks or writes; nothing was said ─────────┘

/** Time for the words of an utterance. */
const RECOGNISED_WITHIN_MS = 10_000;
/** Utterances that wait for the recogniser; further ones are dropped. */
const MOST_UTTERANCES = 3;
/** Times that the model may call tools in one answer. */
const MOST_ROUNDS = 5;

/** What a conversation is made of. */
export interface ConversationParts {
  readonly kernel: Pick<Kernel, 'clock' | 'ids' | 'log'>;
  readonly streamId: string;
  readonly agent: AgentSettings;
  /** ISO 639-1 code of the language that the viewer speaks. */
  readonly language: string;
  /** The viewer's sound is not listened to. */
  readonly inWriting?: boolean;
  readonly session: Pick<LiveSession, 'onEvent' | 'onViewerSpeech' | 'tell' | 'interrupt' | 'setAttention'>;
  readonly voice: AgentVoice;
  readonly chat: StreamedChat;
  readonly recogniser: Recogniser;
  readonly transcript: Transcript;
  /** The viewer has said something. */
  readonly onActivity: () => void;
  /** Minutes or turns of the agent are used up. */
  readonly onLimit: () => void;
}

function toldThat(disclosure: string): string {
  return `The conversation began with the words "${disclosure}" Never say or suggest that you are a human.`;
}

/** A conversation of one stream, which begins with the agent's disclosure and greeting. The creator closes it. */
export class AgentConversation {
  readonly #history: History;
  readonly #tools: ToolCalls;
  readonly #startedAt: number;
  readonly #closed = new AbortController();
  readonly #stops: (() => void)[];
  #answer: Answer | undefined;
  #answers = 0;
  /** Utterances are recognised one after the other, in order. */
  #recognition = Promise.resolve();
  #recognising = 0;
  #isHearing = false;
  /** What was heard since the latest question to the model. */
  #unanswered: string[] = [];
  #isOver = false;
  #state: ConversationState | undefined;

  constructor(private readonly parts: ConversationParts) {
    const { agent, session, kernel } = parts;
    const { disclosure, greeting } = agent;
    this.#history = new History(disclosure ? `${agent.prompt}\n\n${toldThat(disclosure)}` : agent.prompt);
    this.#tools = new ToolCalls({ session, ids: kernel.ids, tools: agent.tools, seconds: agent.toolSeconds });
    this.#startedAt = kernel.clock.monotonic();
    this.#stops = [
      session.onEvent((event) => this.#onEvent(event)),
      ...(parts.inWriting ? [] : [session.onViewerSpeech((event) => this.#onSpeech(event))]),
    ];
    this.#enter('listening');
    if (!parts.inWriting) parts.recogniser.prepare(parts.language);
    const opening = [disclosure, greeting].filter(Boolean).join(' ');
    if (opening !== '') this.#begin(async (answer) => answer.say(opening));
  }

  /** What the viewer typed; interrupts the answer. */
  say(text: string): void {
    this.#interrupt();
    this.#hear(text);
    this.#respond();
  }

  /** The page's result of a tool call. @returns false when no such call waits. */
  onToolResult(callId: string, result: unknown): boolean {
    return this.#tools.onResult(callId, result);
  }

  /** Ends a conversation that has lasted too long. Cheap; call it often. */
  expire(): void {
    const { kernel, agent } = this.parts;
    if (kernel.clock.monotonic() - this.#startedAt >= agent.maxMinutes * 60_000) this.#end();
  }

  /** Stops everything, and resolves when the transcript is stored. Idempotent. */
  async close(): Promise<void> {
    this.#isOver = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#closed.abort(new Error('the conversation has ended'));
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.stop();
    if (answer) this.#finish(answer, false);
    await this.parts.transcript.end();
  }

  #onEvent(event: LiveEvent): void {
    const isOurs = this.#answer?.onEvent(event) === true;
    if (isOurs && event.type === 'speech.started') this.#enter('speaking');
  }

  #onSpeech(event: ViewerSpeech): void {
    if (this.#isOver) return;
    this.parts.onActivity();
    if (event.type === 'began') {
      this.#isHearing = true;
      this.#interrupt();
      this.#enter('listening');
      return;
    }
    this.#isHearing = false;
    if (this.#recognising >= MOST_UTTERANCES) {
      this.#tellFailure('There was too much speech at once, and a part of it was not understood.');
      this.#settle();
      return;
    }
    this.#recognising += 1;
    this.#enter('thinking');
    this.#recognition = this.#recognition.then(() => this.#recognise(event));
  }

  /** Never rejects. */
  async #recognise(speech: ViewerSpeech & { type: 'ended' }): Promise<void> {
    const { recogniser, language } = this.parts;
    const { signal } = this.#closed;
    try {
      const text = await recogniser.transcribe(speech, { language, deadlineMs: RECOGNISED_WITHIN_MS, signal });
      if (!signal.aborted && text !== '') this.#hear(text);
    } catch (error) {
      if (!signal.aborted) this.#apologise(error);
    } finally {
      this.#recognising -= 1;
      this.#settle();
    }
  }

  #hear(text: string): void {
    const { session, kernel, transcript } = this.parts;
    session.tell({ type: 'conversation.heard', id: kernel.ids.next(), text });
    transcript.add({ role: 'viewer', text });
    this.#unanswered.push(text);
  }

  /** Does what is next when something has ended. */
  #settle(): void {
    if (this.#closed.signal.aborted || this.#answer !== undefined) return;
    if (this.#recognising > 0) this.#enter(this.#isHearing ? 'listening' : 'thinking');
    else if (this.#unanswered.length > 0 && !this.#isHearing) this.#respond();
    else this.#enter('listening');
  }

  #respond(): void {
    if (this.#isOver) return;
    // Only now: words that were recognised during an answer follow it.
    for (const text of this.#unanswered.splice(0)) this.#history.addViewer(text);
    this.#answers += 1;
    this.#enter('thinking');
    this.#begin((answer) => this.#write(answer));
  }

  /** Lets the model write an answer, with calls of tools between. */
  async #write(answer: Answer): Promise<void> {
    const { agent, chat } = this.parts;
    const { model, temperature, tools, maxAnswerCharacters } = agent;
    for (let round = 0; round <= MOST_ROUNDS; round++) {
      const full = new AbortController();
      const onText = (piece: string) => {
        const room = maxAnswerCharacters - answer.characters;
        answer.say(piece.length <= room ? piece : wholeWords(piece.slice(0, room)), { isPlain: true });
        if (piece.length > room) full.abort();
      };
      // In the last round the model has to answer in words.
      const offered = round < MOST_ROUNDS ? tools : [];
      const signal = AbortSignal.any([answer.signal, full.signal]);
      const { messages } = this.#history;
      const calls = await chat
        .answer({ messages, tools: offered, model, temperature, signal, onText })
        .catch((error: unknown) => {
          if (full.signal.aborted && !answer.signal.aborted) return [];
          throw error;
        });
      answer.endUtterance();
      if (calls.length === 0 && round === 0 && answer.characters === 0)
        throw new ModelError('the language model gave an empty answer');
      if (calls.length === 0) return;
      const results = await this.#tools.run(calls, answer.signal);
      answer.signal.throwIfAborted();
      this.#history.addCalls(results);
    }
  }

  #begin(work: (answer: Answer) => Promise<void>): void {
    const answer = new Answer(this.parts.voice);
    this.#answer = answer;
    void this.#run(answer, work);
  }

  /** Never rejects. */
  async #run(answer: Answer, work: (answer: Answer) => Promise<void>): Promise<void> {
    try {
      await work(answer);
      answer.endUtterance();
    } catch (error) {
      if (!answer.signal.aborted) this.#apologise(error, answer);
    }
    const how = await answer.ended();
    if (answer.isFinished) return;
    // No apology: the same voice would have to speak it.
    if (how === 'failed') this.#tellFailure("The agent's voice failed.");
    this.#finish(answer, how === 'spoken');
    this.#settle();
  }

  /** Takes an answer into the history, as far as it was spoken. Idempotent. */
  #finish(answer: Answer, isSpoken: boolean): void {
    if (answer.isFinished) return;
    answer.isFinished = true;
    const { said } = answer;
    const { session, kernel, transcript, agent } = this.parts;
    if (said !== '') {
      this.#history.addAgent(said);
      session.tell({ type: 'conversation.said', id: kernel.ids.next(), text: said });
      transcript.add({ role: 'agent', text: said, ...(isSpoken ? {} : { interrupted: true as const }) });
    }
    if (this.#answer === answer) this.#answer = undefined;
    if (this.#answers >= agent.maxTurns) this.#end();
  }

  /** Stops all speech of the stream: the viewer wants to say something. */
  #interrupt(): void {
    const answer = this.#answer;
    answer?.stop();
    this.parts.session.interrupt('all');
    if (answer) this.#finish(answer, false);
  }

  /** Reports a failure, and says the agent's apology where it has one. @param answer that failed. */
  #apologise(error: unknown, answer?: Answer): void {
    const { kernel, streamId, agent } = this.parts;
    kernel.log.warn({ err: error, streamId }, 'a conversation could not go on');
    this.#tellFailure(error instanceof ModelError ? `${capitalised(error.message)}.` : 'The agent could not answer.');
    const { apology } = agent;
    if (this.#isHearing || this.#isOver) return;
    const speak = (one: Answer) => {
      one.endUtterance();
      if (apology !== null) one.say(apology);
      one.endUtterance();
    };
    if (answer) {
      try {
        speak(answer);
      } catch (cause) {
        // The stream takes no more speech.
        kernel.log.info({ err: cause, streamId }, 'an apology could not be spoken');
      }
    } else if (apology !== null && this.#answer === undefined) this.#begin(async (one) => speak(one));
  }

  #tellFailure(error: string): void {
    this.parts.session.tell({ type: 'conversation.failed', id: this.parts.kernel.ids.next(), error });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.parts.onLimit();
  }

  #enter(state: ConversationState): void {
    if (this.#state === state || this.#closed.signal.aborted) return;
    this.#state = state;
    const { session, streamId } = this.parts;
    session.setAttention(state === 'speaking' ? 'idle' : state);
    session.tell({ type: 'conversation.state', id: streamId, state });
  }
}

/** The text without the word at its end, which is cut. */
function wholeWords(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1);
}

function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
