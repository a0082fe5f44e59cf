import { isSsml } from '@figurehead/contract/document/ssml';
import { endOf as endOfToken, type TextToken } from './reading/tokens.js';
import { isClauseEnd, type Sentence, SHORTEST_PHRASE, splitSentences } from './sentences.js';

/** After this time without a piece, a sentence that looks complete is accepted, although the next word is not known. */
const QUIET_MS = 250;

/** After this time from the first piece on, the whole words that are there are spoken. */
const FIRST_WORDS_MS = 550;
/** Duration of a character of speech, ms, at the tempo of a quick voice. */
const CHARACTER_MS = 55;
/** Later words are taken so long before the speech so far ends: time to synthesise them. */
const LEAD_MS = 400;
/** Least words of a unit that ends between words; fewer if they have {@link SHORTEST_PHRASE} characters. */
const FEWEST_WORDS = 3;
/** A word after which a unit may end: figures, abbreviations and what is after them are read together. */
const PLAIN_WORD = /^[\p{L}\p{M}]+[,;:!?…'’"”»)\]]*$/u;

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
 * follows it, then whole sentences; of a sentence that takes too long, the words so far. SSML is one unit.
 */
export class ArrivingText {
  #rest = '';
  #given = 0;
  #isEnded = false;
  #changedMs = 0;
  /** When the voice has to get the next words, ms. */
  #dueMs = Number.POSITIVE_INFINITY;
  #wake: () => void = () => undefined;

  constructor(private readonly locale: string) {}

  /** Does nothing after `end`. */
  append(piece: string): void {
    if (this.#isEnded || piece === '') return;
    this.#rest += piece;
    this.#changedMs = performance.now();
    if (this.#given === 0) this.#dueMs = Math.min(this.#dueMs, this.#changedMs + FIRST_WORDS_MS);
    this.#wake();
  }

  /** Marks the end of the text; the rest becomes the last unit. Idempotent. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Every unit has been returned, and the text has ended. */
  get isFinished(): boolean {
    return this.#isEnded && this.#rest.trim() === '';
  }

  /** The units in order, until the end. For one reader. Throws the signal's reason. */
  async *units(signal: AbortSignal): AsyncGenerator<TextUnit, void, void> {
    const stop = () => this.#wake();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        const now = performance.now();
        const unit = this.#take(now);
        if (unit !== undefined) yield unit;
        else if (this.#isEnded) return;
        else await this.#change([this.#changedMs + QUIET_MS, this.#dueMs].filter((at) => at > now && at < Infinity));
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Resolves at the next change, or at the first of some times. */
  #change(times: readonly number[]): Promise<void> {
    return new Promise((resolve) => {
      const waitMs = Math.ceil(Math.min(...times) - performance.now());
      const timer = times.length === 0 ? undefined : setTimeout(() => this.#wake(), waitMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => undefined;
        resolve();
      };
    });
  }

  #take(nowMs: number): TextUnit | undefined {
    const text = this.#rest;
    if (isSsml(text)) return this.#isEnded ? this.#cut(text.length, undefined) : undefined;
    const sentences = [...splitSentences(text, this.locale)];
    if (this.#isEnded) return text.trim() === '' ? undefined : this.#cut(text.length, sentences.at(-1));
    const limit = unclosedTag(text);
    const isQuiet = nowMs >= this.#changedMs + QUIET_MS;
    const whole = this.#wholeSentences(sentences, isQuiet).filter((sentence) => endOf(sentence) <= limit);
    const last = whole.at(-1);
    if (last !== undefined) return this.#cut(endOf(last), last);
    const { tokens = [] } = sentences[0] ?? {};
    const part =
      (this.#given === 0 ? firstClause(tokens) : undefined) ?? (nowMs >= this.#dueMs ? wordsSoFar(tokens) : undefined);
    return part === undefined || endOf(part) > limit ? undefined : this.#cut(endOf(part), part);
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
    const now = performance.now();
    // Until then the voice speaks what it has.
    const spokenMs = this.#given === 0 ? now : Math.max(now, this.#dueMs + LEAD_MS);
    this.#dueMs = spokenMs + unit.text.length * CHARACTER_MS - LEAD_MS;
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

/** The words that are known to be whole, up to the last clause mark that is long enough if there is one. */
function wordsSoFar(tokens: readonly TextToken[]): Sentence | undefined {
  const start = tokens[0]?.start ?? 0;
  const isEnough = (at: number) => at + 1 >= FEWEST_WORDS || (tokens[at]?.end ?? 0) - start >= SHORTEST_PHRASE;
  const ends = tokens
    .slice(0, -1)
    .flatMap((token, at) => (PLAIN_WORD.test(token.text) && isLetter(tokens[at + 1]!) && isEnough(at) ? [at] : []));
  const clause = ends.findLast((at) => isClauseEnd(tokens[at]!));
  const end = clause ?? ends.at(-1);
  if (end === undefined) return undefined;
  return { tokens: tokens.slice(0, end + 1), pause: clause === undefined ? 'none' : 'clause' };
}

function isLetter({ text }: TextToken): boolean {
  return /^\p{L}/u.test(text);
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
