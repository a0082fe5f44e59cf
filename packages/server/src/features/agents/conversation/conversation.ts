import type { AgentSettings, ConversationState, TurnTaking } from '@figurehead/contract';
import type { LiveEvent, LiveSession, RecordedSpeech, ViewerSpeech } from '@figurehead/media';
import type { Kernel } from '../../../kernel/contract.js';
import { ModelError, type Recogniser, type StreamedChat } from '../../language-model/index.js';
import { type AgentVoice, Answer } from './answer.js';
import { History } from './history.js';
import { completeness, countSubstance, withoutNoise } from './spoken-words.js';
import { ToolCalls } from './tool-calls.js';
import type { Transcript } from './transcript.js';

// listening ──speech ends, or a text──▶ thinking ──first sound of the answer──▶ speaking ──answer spoken──▶ listening
//     ▲                                    │                                       │
//     └──────────────────── the viewer speaks or writes; nothing was said ─────────┘
//
// Speech of the viewer questions the answer: it pauses until the words are known. Enough words, or enough time, end it; otherwise it goes on where it was.

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
  readonly turns: TurnTaking;
  readonly session: Pick<
    LiveSession,
    'onEvent' | 'onViewerSpeech' | 'tell' | 'interrupt' | 'pause' | 'resume' | 'setAttention' | 'setTalking' | 'stats'
  >;
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
  /** The viewer speaks during speech that cannot be interrupted. */
  #isIgnoring = false;
  /** Speech is paused until it is known what the viewer says. */
  #isQuestioned = false;
  /** Ends questioned speech after the time of an interruption. */
  #interruption: NodeJS.Timeout | undefined;
  #isRecognisingPart = false;
  /** Words of the viewer's turn, which may go on, and the timer of its end. */
  #turn: string[] = [];
  #turnEnd: NodeJS.Timeout | undefined;
  #pausedAt = 0;
  /** Turns since the latest question to the model. */
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
    // Also while a noise goes on.
    this.parts.session.resume();
    this.#endTurn();
    this.#hear(text);
    this.#respond();
  }

  /** The button of push to talk; pressing it interrupts the answer. @returns false for a conversation without such a button. */
  talk(isTalking: boolean): boolean {
    const { session, turns } = this.parts;
    if (!turns.isPushToTalk) return false;
    if (isTalking && !this.#isHearing) this.#interrupt();
    session.setTalking(isTalking);
    return true;
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
    clearTimeout(this.#interruption);
    clearTimeout(this.#turnEnd);
    this.#closed.abort(new Error('the conversation has ended'));
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.stop();
    if (answer) this.#finish(answer, false);
    await this.parts.transcript.end();
  }

  #onEvent(event: LiveEvent): void {
    const isOurs = this.#answer?.onEvent(event) === true;
    if (isOurs && event.type === 'speech.started' && !this.#isQuestioned) this.#enter('speaking');
  }

  get #isSpeaking(): boolean {
    return this.#answer !== undefined || this.parts.session.stats().queued > 0;
  }

  #onSpeech(event: ViewerSpeech): void {
    if (this.#isOver) return;
    const { session, turns, onActivity } = this.parts;
    const isIgnored = this.#isIgnoring || (!this.#isHearing && !turns.isInterruptible && this.#isSpeaking);
    if (event.type === 'began' || event.type === 'ended') {
      onActivity();
      this.#isIgnoring = isIgnored && event.type === 'began';
    }
    if (isIgnored) return;
    if (event.type === 'suspected') session.pause();
    else if (event.type === 'dismissed') this.#resume();
    else if (event.type === 'began') this.#onBegan();
    else if (event.type === 'partial') void this.#recognisePart(event);
    else this.#onEnded(event);
  }

  #onBegan(): void {
    const { session, turns } = this.parts;
    this.#isHearing = true;
    clearTimeout(this.#turnEnd);
    this.#isQuestioned ||= this.#isSpeaking;
    session.pause();
    this.#enter('listening');
    clearTimeout(this.#interruption);
    if (this.#isQuestioned) this.#interruption = setTimeout(() => this.#interrupt(), 1000 * turns.interruptionSeconds);
  }

  #onEnded(event: ViewerSpeech & { type: 'ended' }): void {
    this.#isHearing = false;
    this.#pausedAt = this.parts.kernel.clock.monotonic();
    clearTimeout(this.#interruption);
    if (this.#recognising >= MOST_UTTERANCES) {
      this.#tellFailure('There was too much speech at once, and a part of it was not understood.');
      this.#settle();
      return;
    }
    this.#recognising += 1;
    if (!this.#isQuestioned) {
      this.#resume();
      this.#enter('thinking');
    }
    this.#recognition = this.#recognition.then(() => this.#recognise(event));
  }

  /** Never rejects. */
  async #recognise(speech: ViewerSpeech & { type: 'ended' }): Promise<void> {
    const { recogniser, language } = this.parts;
    const { signal } = this.#closed;
    try {
      const text = await recogniser.transcribe(speech, { language, deadlineMs: RECOGNISED_WITHIN_MS, signal });
      if (!signal.aborted) this.#take(withoutNoise(text));
    } catch (error) {
      if (!signal.aborted) this.#apologise(error);
    } finally {
      this.#recognising -= 1;
      this.#settle();
    }
  }

  /** Tells the words so far, unless the recogniser is busy. Never rejects: the whole utterance shows a failure. */
  async #recognisePart(speech: RecordedSpeech): Promise<void> {
    const { recogniser, language, session, kernel, turns } = this.parts;
    const { signal } = this.#closed;
    if (this.#isRecognisingPart || this.#recognising > 0) return;
    this.#isRecognisingPart = true;
    try {
      const heard = await recogniser.transcribe(speech, { language, deadlineMs: RECOGNISED_WITHIN_MS, signal });
      const text = [...this.#turn, withoutNoise(heard)].join(' ');
      // What comes after the end of the utterance would be older than its words.
      if (!this.#isHearing || signal.aborted || text === '') return;
      session.tell({ type: 'conversation.partial', id: kernel.ids.next(), text });
      if (this.#isQuestioned && countSubstance(text, language) >= turns.interruptionWords) this.#interrupt();
    } catch (error) {
      if (!signal.aborted) kernel.log.info({ err: error }, 'a part of an utterance was not recognised');
    } finally {
      this.#isRecognisingPart = false;
    }
  }

  /** Takes words into the viewer's turn; questioned speech ends with enough of them, and is not disturbed by fewer. */
  #take(text: string): void {
    const { language, turns } = this.parts;
    if (text === '') return;
    if (this.#isQuestioned) {
      if (countSubstance(text, language) < turns.interruptionWords) return;
      this.#interrupt();
    }
    this.#turn.push(text);
  }

  /** Ends the turn after a pause that is the longer, the less complete its words are. */
  #awaitTurnEnd(): void {
    const { kernel, turns, language } = this.parts;
    const { shortestPause, longestPause } = turns;
    const open = turns.isPushToTalk ? 0 : 1 - completeness(this.#turn.at(-1) ?? '', language);
    const more = 1000 * open * Math.max(0, longestPause - shortestPause);
    const left = more - (kernel.clock.monotonic() - this.#pausedAt);
    clearTimeout(this.#turnEnd);
    if (left <= 0) this.#endTurn();
    else
      this.#turnEnd = setTimeout(() => {
        this.#endTurn();
        this.#settle();
      }, left);
  }

  #endTurn(): void {
    clearTimeout(this.#turnEnd);
    const words = this.#turn.splice(0);
    if (words.length > 0) this.#hear(words.join(' '));
  }

  #hear(text: string): void {
    const { session, kernel, transcript } = this.parts;
    session.tell({ type: 'conversation.heard', id: kernel.ids.next(), text });
    transcript.add({ role: 'viewer', text });
    this.#unanswered.push(text);
  }

  /** Does what is next when something has ended. */
  #settle(): void {
    if (this.#closed.signal.aborted) return;
    const isQuiet = this.#recognising === 0 && !this.#isHearing;
    if (isQuiet) {
      this.#isQuestioned = false;
      this.#resume();
      if (this.#turn.length > 0) this.#awaitTurnEnd();
    }
    if (this.#answer !== undefined) return;
    if (isQuiet && this.#turn.length === 0 && this.#unanswered.length > 0) this.#respond();
    else this.#enter(this.#recognising > 0 && !this.#isHearing ? 'thinking' : 'listening');
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
    this.#isQuestioned = false;
    clearTimeout(this.#interruption);
    if (!this.#isHearing) this.parts.session.resume();
    if (answer) this.#finish(answer, false);
  }

  /** Lets speech go on, unless it is questioned. */
  #resume(): void {
    if (this.#isHearing || this.#isQuestioned) return;
    this.parts.session.resume();
    if (this.#answer !== undefined) this.#enter(this.#answer.hasSounded ? 'speaking' : 'thinking');
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
