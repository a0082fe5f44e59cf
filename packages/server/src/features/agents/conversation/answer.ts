import type { LiveEvent, UtteranceHandle } from '@figurehead/media';

/** How a conversation speaks on its stream. Both throw when the stream takes no more speech. */
export interface AgentVoice {
  /** Queues an utterance whose text arrives in pieces; `text` is its beginning. */
  open(text: string): UtteranceHandle;
  append(piece: { utteranceId: string; index: number; text: string; isLast?: boolean }): void;
}

/** An utterance of an answer. */
interface Part {
  readonly handle: UtteranceHandle;
  text: string;
  /** Characters that were spoken. */
  spoken: number;
  pieces: number;
  isOpen: boolean;
}

/** Of a tag; `5 < 7` has none. */
const TAG_START = /<(?![\s\d])/gu;
/** A word of the speech is looked for within so many characters: signs, and words that are spoken otherwise, are between. */
const WORD_WITHIN = 100;

/** One answer of the agent, spoken while it is written. */
export class Answer {
  readonly #parts: Part[] = [];
  readonly #stopped = new AbortController();
  /** Taken into the history. */
  isFinished = false;
  /** Its first words were heard. */
  hasSounded = false;

  constructor(private readonly voice: AgentVoice) {}

  /** Aborted when the answer is interrupted. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /** Characters so far, spoken or not. */
  get characters(): number {
    return this.#parts.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** What was spoken so far. */
  get said(): string {
    return this.#parts
      .map(({ text, spoken }) => text.slice(0, spoken).trim())
      .filter((text) => text !== '')
      .join(' ');
  }

  /** Adds a piece of text. In a plain one SSML and `<break/>` are words like others: a viewer could have asked the model for an hour of pauses. */
  say(text: string, { isPlain = false }: { readonly isPlain?: boolean } = {}): void {
    const last = this.#parts.at(-1);
    if (this.signal.aborted || text === '') return;
    const spoken = isPlain ? text.replace(TAG_START, '‹') : text;
    if (last?.isOpen) {
      this.voice.append({ utteranceId: last.handle.id, index: last.pieces++, text: spoken });
      last.text += text;
    } else if (text.trim() !== '') {
      const handle = this.voice.open(spoken);
      this.#parts.push({ handle, text, spoken: 0, pieces: 0, isOpen: true });
      // A call of the API may interrupt it too.
      void handle.ended.then((how) => {
        if (how === 'interrupted') this.stop();
      });
    }
  }

  /** Ends the open utterance; the next piece begins another one. */
  endUtterance(): void {
    const last = this.#parts.at(-1);
    if (!last?.isOpen) return;
    last.isOpen = false;
    this.voice.append({ utteranceId: last.handle.id, index: last.pieces, text: '', isLast: true });
  }

  /** Says nothing more. The caller interrupts the stream. */
  stop(): void {
    this.#stopped.abort(new Error('the answer was interrupted'));
    for (const part of this.#parts) part.isOpen = false;
  }

  /** Resolves when all utterances have ended. @returns `spoken` when all of it was spoken, `failed` when the voice failed. */
  async ended(): Promise<'spoken' | 'interrupted' | 'failed'> {
    const ends = await Promise.all(this.#parts.map(({ handle }) => handle.ended));
    return ends.find((how) => how === 'failed') ?? ends.find((how) => how === 'interrupted') ?? 'spoken';
  }

  /** Follows the events of the stream. @returns whether the event is about this answer. */
  onEvent(event: LiveEvent): boolean {
    const part = this.#parts.find(({ handle }) => handle.id === event.id);
    if (part === undefined) return false;
    if (event.type === 'speech.started') this.hasSounded = true;
    if (event.type === 'speech.ended') part.spoken = part.text.length;
    if (event.type !== 'speech.word') return true;
    const at = part.text.indexOf(event.text, part.spoken);
    if (at >= 0 && at - part.spoken <= WORD_WITHIN) part.spoken = at + event.text.length;
    return true;
  }
}
