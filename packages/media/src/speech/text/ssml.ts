import type { SsmlElementName } from '@figurehead/contract/document';
import { DEEPEST_SSML, SSML_ELEMENTS } from '@figurehead/contract/document/ssml';
import { secondsToSamples } from '@figurehead/presenter/time';
import { SaxesParser } from 'saxes';
import { SpeechError } from '../contract.js';
import type { Prosody, Saying, ScriptPiece } from './piece.js';
import {
  BadValue,
  breakSeconds,
  combined,
  emphasisOf,
  ipaOfPhoneme,
  languageTag,
  NEUTRAL,
  prosodyOf,
  sayAsOf,
} from './ssml-values.js';

/** An open element and the settings inside it. */
interface Frame {
  readonly name: SsmlElementName;
  readonly prosody: Prosody;
  readonly locale: string | undefined;
  /** Instruction for its whole content. */
  readonly saying?: (range: { from: number; to: number }) => Saying;
  /** Offset of its content in the text of the piece. */
  readonly from: number;
  /** Offset of its start tag in the source. */
  readonly openedAt: number;
}

/**
 * Parses SSML 1.1 (the elements of {@link SSML_ELEMENTS}). Only XML's predefined entities and no document type are allowed, so that entity bombs are
 * impossible. Throws a {@link SpeechError} `bad_option` with line and column.
 */
export function readSsml(source: string): ScriptPiece[] {
  const reader = new SsmlReader(source);
  const parser = new SaxesParser<{ xmlns: false; position: true }>({ xmlns: false, position: true });
  parser.on('error', (error) => {
    throw reader.problem(parser.position, error.message.replace(/^\d+:\d+:\s*/u, ''));
  });
  parser.on('doctype', () => {
    throw reader.problem(reader.markupAt, 'a document type is not allowed');
  });
  parser.on('processinginstruction', () => reader.pass(parser.position));
  parser.on('xmldecl', () => reader.pass(parser.position));
  parser.on('comment', () => reader.pass(parser.position));
  parser.on('cdata', (text) => reader.cdata(text, parser.position));
  parser.on('opentag', ({ name, attributes }) => reader.open(name, attributes, parser.position));
  parser.on('closetag', () => reader.close(parser.position));
  parser.write(source).close();
  return reader.pieces;
}

/** XML's predefined entities. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const CDATA_START = '<![CDATA['.length;

/** Builds the pieces of the script from the parser's events. */
class SsmlReader {
  readonly pieces: ScriptPiece[] = [];
  readonly #source: string;
  readonly #frames: Frame[] = [];
  /** End of the previous markup. */
  #at = 0;
  #text = '';
  /** Source range of each UTF-16 unit of the text: start and end alternate. */
  #places: number[] = [];
  #sayings: Saying[] = [];
  #marks: { name: string; at: number }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  /** Offset of the markup that the parser has just read. */
  get markupAt(): number {
    const at = this.#source.indexOf('<', this.#at);
    return at < 0 ? this.#source.length : at;
  }

  problem(offset: number, message: string): SpeechError {
    const open = this.#frames.at(-1);
    const why =
      offset < this.#source.length || open === undefined
        ? message
        : `${message}; <${open.name}> at ${this.#placeOf(open.openedAt)} is not closed`;
    return new SpeechError('bad_option', `The SSML cannot be read at ${this.#placeOf(offset)}: ${why}`);
  }

  #placeOf(offset: number): string {
    const lines = this.#source.slice(0, offset).split('\n');
    return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  }

  /** Skips markup without content that ends at or right after `position`: the parser reports a comment before its closing `>`. */
  pass(position: number): void {
    this.#takeText();
    this.#at = this.#source.indexOf('>', position - 1) + 1;
  }

  cdata(text: string, end: number): void {
    const start = this.markupAt + CDATA_START;
    this.#takeText();
    for (let unit = 0; unit < text.length; unit++) this.#append(text[unit] ?? '', start + unit, start + unit + 1);
    this.#at = end;
  }

  open(name: string, attributes: Readonly<Record<string, string>>, end: number): void {
    const start = this.markupAt;
    this.#takeText();
    this.#at = end;
    try {
      this.#enter(this.#checked(name, attributes), attributes, start);
    } catch (error) {
      if (error instanceof BadValue) throw this.problem(start, `<${name}>: ${error.message}`);
      throw error;
    }
  }

  close(end: number): void {
    // A self-closing element ends where it begins.
    if (end !== this.#at) this.#takeText();
    this.#at = end;
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    if (frame.saying && this.#text.length > frame.from) {
      this.#sayings.push(frame.saying({ from: frame.from, to: this.#text.length }));
    }
    if (frame.name === 'p') this.#boundary('\n\n');
    if (frame.name === 's') this.#boundary('\n');
    if (frame.locale !== this.#frames.at(-1)?.locale || frame.name === 'speak') this.#flush(frame.locale);
  }

  #checked(name: string, attributes: Readonly<Record<string, string>>): SsmlElementName {
    const isRoot = this.#frames.length === 0;
    if (!Object.hasOwn(SSML_ELEMENTS, name) || isRoot !== (name === 'speak')) {
      const known = Object.keys(SSML_ELEMENTS).filter((each) => each !== 'speak');
      throw new BadValue(
        isRoot ? 'expected <speak>' : `the element is not supported; supported elements: ${known.join(', ')}`,
      );
    }
    const element: (typeof SSML_ELEMENTS)[SsmlElementName] = SSML_ELEMENTS[name as SsmlElementName];
    const known: Readonly<Record<string, 'required' | 'optional'>> = element.attributes;
    const parent = this.#frames.at(-1)?.name;
    const outer = parent && SSML_ELEMENTS[parent];
    if (outer !== undefined && 'content' in outer)
      throw new BadValue(`<${parent}> holds ${outer.content === 'none' ? 'nothing' : 'only text'}`);
    if (this.#frames.length >= DEEPEST_SSML) throw new BadValue(`elements are nested more than ${DEEPEST_SSML} deep`);
    for (const each of Object.keys(attributes)) {
      if (!Object.hasOwn(known, each))
        throw new BadValue(
          `the attribute ${each} is not supported; supported attributes: ${Object.keys(known).join(', ')}`,
        );
    }
    const missing = Object.keys(known).find((each) => known[each] === 'required' && !attributes[each]?.trim());
    if (missing !== undefined) throw new BadValue(`the attribute ${missing} is missing`);
    return name as SsmlElementName;
  }

  #enter(name: SsmlElementName, attributes: Readonly<Record<string, string>>, openedAt: number): void {
    const parent = this.#frames.at(-1);
    const tag = attributes['xml:lang'];
    const locale = tag === undefined ? parent?.locale : languageTag(tag);
    const outer = parent?.prosody ?? NEUTRAL;
    const prosody =
      name === 'prosody'
        ? combined(outer, prosodyOf(attributes))
        : name === 'emphasis'
          ? combined(outer, emphasisOf(attributes))
          : outer;
    if (name === 'p') this.#boundary('\n\n');
    if (name === 's') this.#boundary('\n');
    if (locale !== parent?.locale) this.#flush(parent?.locale);
    if (name === 'break') {
      this.#flush(locale);
      this.pieces.push({ kind: 'pause', samples: secondsToSamples(breakSeconds(attributes)) });
    }
    if (name === 'mark') this.#marks.push({ name: attributes['name'] ?? '', at: this.#text.length });
    const saying = this.#sayingOf(name, attributes);
    this.#frames.push({ name, prosody, locale, from: this.#text.length, openedAt, ...(saying && { saying }) });
  }

  #sayingOf(name: SsmlElementName, attributes: Readonly<Record<string, string>>): Frame['saying'] {
    if (name === 'sub') {
      const words = attributes['alias'] ?? '';
      return (range) => ({ kind: 'words', words, ...range });
    }
    if (name === 'phoneme') {
      const ipa = ipaOfPhoneme(attributes);
      return (range) => ({ kind: 'phones', ipa, ...range });
    }
    if (name === 'say-as') {
      const how = sayAsOf(attributes);
      return (range) => ({ kind: 'as', ...how, ...range });
    }
    return undefined;
  }

  /** Adds the text before the markup, with entities replaced by characters. */
  #takeText(): void {
    const end = this.markupAt;
    const raw = this.#source.slice(this.#at, end);
    const from = this.#text.length;
    for (const { 0: written, 1: entity, index } of raw.matchAll(/&(#?\w{1,10});|[\s\S]/gu)) {
      // A line break in SSML does not end a sentence.
      const characters = entity === undefined ? written.replace(/\s/u, ' ') : characterOf(entity);
      const start = this.#at + index;
      for (let unit = 0; unit < characters.length; unit++) {
        const isEntity = entity !== undefined;
        this.#append(
          characters[unit] ?? '',
          start + (isEntity ? 0 : unit),
          isEntity ? start + written.length : start + unit + 1,
        );
      }
    }
    this.#at = end;
    const { prosody } = this.#frames.at(-1) ?? { prosody: NEUTRAL };
    const isPlain = Object.values(prosody).every((factor) => factor === 1);
    if (!isPlain && this.#text.length > from) {
      this.#sayings.push({ kind: 'prosody', prosody, from, to: this.#text.length });
    }
  }

  #append(unit: string, from: number, to: number): void {
    this.#text += unit;
    this.#places.push(from, to);
  }

  /** Ends a sentence or a paragraph, like line breaks in plain text. */
  #boundary(lines: string): void {
    if (this.#text.trim() === '') return;
    for (const line of lines) this.#append(line, this.#at, this.#at);
  }

  #flush(locale: string | undefined): void {
    const [text, places, sayings, marks] = [this.#text, this.#places, this.#sayings, this.#marks];
    [this.#text, this.#places, this.#sayings, this.#marks] = ['', [], [], []];
    if (text.trim() === '') {
      this.pieces.push(...marks.map(({ name }) => ({ kind: 'mark' as const, name })));
      return;
    }
    const placeOf = (unit: number) => ({ from: places[2 * unit] ?? 0, to: places[2 * unit + 1] ?? 0 });
    this.pieces.push({ kind: 'text', text, sayings, marks, placeOf, ...(locale === undefined ? {} : { locale }) });
  }
}

/** The character of `amp`, `#233` or `#xe9`; the parser has refused all others. */
function characterOf(entity: string): string {
  if (!entity.startsWith('#')) return ENTITIES[entity] ?? '';
  const code = /^#x/iu.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return String.fromCodePoint(code);
}
