import { isSsml } from '@figurehead/contract/document/ssml';
import { endOf as endOfToken, type TextToken } from './reading/tokens.js';
import { isClauseEnd, type Sentence, SHORTEST_PHRASE, splitSentences } from './sentences.js';

/** After this time without a piece, a sentence that looks complete is accepted, although the next word is not known. */
const QUIET_MS = 250;

/** Maximum characters of an unclosed tag: shorter ones wait for the rest of the tag. */
const LONGEST_TAG = 60;

/** A part of an arriving text that can be spoken. */
export interface TextUnit {
  readonly text: string;
  /** UTF-16 offset in the whole text. */
  readonly start: number;
  /** Its last sentence: decides the pause after the unit. Absent for a whole SSML document. */
  readonly last?: Sentence;
}

/**
 * A text that arrives in pieces, such as the answer of a language model. Pieces may be empty and may end inside a word,
 * a tag or a surrogate pair. `units` returns what can be spoken: the first clause of 10 characters as soon as a word
 * follows it, then whole sentences. SSML is one unit.
 */
export class ArrivingText {
  #rest = '';
  #given = 0;
  #isEnded = false;
  #wake: (hasChanged: boolean) => void = () => undefined;

  constructor(private readonly locale: string) {}

  /** Does nothing after `end`. */
  append(piece: string): void {
    if (this.#isEnded || piece === '') return;
    this.#rest += piece;
    this.#wake(true);
  }

  /** Marks the end of the text; the rest becomes the last unit. Idempotent. */
  end(): void {
    this.#isEnded = true;
    this.#wake(true);
  }

  /** Every unit has been returned, and the text has ended. */
  get isFinished(): boolean {
    return this.#isEnded && this.#rest.trim() === '';
  }

  /** The units in order, until the end. For one reader. Throws the signal's reason. */
  async *units(signal: AbortSignal): AsyncGenerator<TextUnit, void, void> {
    const stop = () => this.#wake(true);
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (let isQuiet = false; ; ) {
        signal.throwIfAborted();
        const unit = this.#take(isQuiet);
        if (unit !== undefined) {
          yield unit;
          isQuiet = false;
        } else if (this.#isEnded) return;
        else isQuiet = !(await this.#change(isQuiet ? undefined : QUIET_MS));
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Resolves with true at the next change, with false after `limitMs` without one. */
  #change(limitMs: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(() => this.#wake(false), limitMs);
      this.#wake = (hasChanged) => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve(hasChanged);
      };
    });
  }

  #take(isQuiet: boolean): TextUnit | undefined {
    const text = this.#rest;
    if (isSsml(text)) return this.#isEnded ? this.#cut(text.length, undefined) : undefined;
    const sentences = [...splitSentences(text, this.locale)];
    if (this.#isEnded) return text.trim() === '' ? undefined : this.#cut(text.length, sentences.at(-1));
    const limit = unclosedTag(text);
    const whole = this.#wholeSentences(sentences, isQuiet).filter((sentence) => endOf(sentence) <= limit);
    const last = whole.at(-1);
    if (last !== undefined) return this.#cut(endOf(last), last);
    const clause = this.#given === 0 ? firstClause(sentences[0]?.tokens ?? []) : undefined;
    return clause === undefined || endOf(clause) > limit ? undefined : this.#cut(endOf(clause), clause);
  }

  /**
   * The sentences that a later piece cannot change: the word after them is complete, or nothing has arrived for a
   * while.
   */
  #wholeSentences(sentences: readonly Sentence[], isQuiet: boolean): readonly Sentence[] {
    if (isQuiet && this.#endsWhole()) return sentences;
    const open = sentences.at(-1);
    const isWordOpen = open?.tokens.length === 1 && open.tokens[0]?.end === this.#rest.length;
    return sentences.slice(0, isWordOpen ? -2 : -1);
  }

  /** Whether a capitalised word after the text would begin a sentence. */
  #endsWhole(): boolean {
    const text = `${this.#rest.trimEnd()} `;
    const last = [...splitSentences(`${text}Next`, this.locale)].at(-1);
    return last?.tokens[0]?.start === text.length;
  }

  #cut(end: number, last: Sentence | undefined): TextUnit {
    const unit = { text: this.#rest.slice(0, end), start: this.#given, ...(last && { last }) };
    this.#given += end;
    this.#rest = this.#rest.slice(end);
    return unit;
  }
}

/**
 * Up to the first clause mark that is long enough to be heard while the next words are synthesised, and is followed by
 * a word.
 */
function firstClause(tokens: readonly TextToken[]): Sentence | undefined {
  const start = tokens[0]?.start ?? 0;
  const at = tokens.slice(0, -1).findIndex((token) => isClauseEnd(token) && token.end - start >= SHORTEST_PHRASE);
  return at < 0 ? undefined : { tokens: tokens.slice(0, at + 1), pause: 'clause' };
}

/** The end of a sentence with the punctuation that stands alone after it. */
function endOf({ tokens }: Sentence): number {
  const last = tokens.at(-1);
  return last === undefined ? 0 : endOfToken(last);
}

/** Start of an unclosed tag, or the text's length when there is none. */
function unclosedTag(text: string): number {
  const at = text.lastIndexOf('<');
  return at < 0 || text.includes('>', at) || text.length - at > LONGEST_TAG ? text.length : at;
}
