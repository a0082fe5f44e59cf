/** An element of the SSML that speech understands (W3C SSML 1.1). */
interface SsmlElement {
  /** What it may say of itself; `required` ones must be there. */
  readonly attributes: Readonly<Record<string, 'required' | 'optional'>>;
  /** What it may hold, where that is not everything: nothing, or text without elements. */
  readonly content?: 'none' | 'text';
}

/** The subset of SSML 1.1: a speech that begins with `<speak>` is read by it, everything else is plain text. */
export const SSML_ELEMENTS = {
  speak: {
    attributes: {
      version: 'optional',
      xmlns: 'optional',
      'xml:lang': 'optional',
      'xmlns:xsi': 'optional',
      'xsi:schemaLocation': 'optional',
    },
  },
  p: { attributes: { 'xml:lang': 'optional' } },
  s: { attributes: { 'xml:lang': 'optional' } },
  lang: { attributes: { 'xml:lang': 'required' } },
  break: { attributes: { time: 'optional', strength: 'optional' }, content: 'none' },
  emphasis: { attributes: { level: 'optional' } },
  prosody: { attributes: { pitch: 'optional', range: 'optional', rate: 'optional', volume: 'optional' } },
  'say-as': { attributes: { 'interpret-as': 'required', format: 'optional', detail: 'optional' }, content: 'text' },
  sub: { attributes: { alias: 'required' }, content: 'text' },
  phoneme: { attributes: { ph: 'required', alphabet: 'optional' }, content: 'text' },
  mark: { attributes: { name: 'required' }, content: 'none' },
} as const satisfies Readonly<Record<string, SsmlElement>>;
export type SsmlElementName = keyof typeof SSML_ELEMENTS;

/** What `say-as` makes of figures and letters. */
export const SAY_AS = [
  'characters',
  'cardinal',
  'ordinal',
  'digits',
  'fraction',
  'date',
  'time',
  'telephone',
  'currency',
] as const;
export type SayAs = (typeof SAY_AS)[number];

/** Longest break, seconds: longer ones are shortened in plain text, and refused in SSML. */
export const LONGEST_BREAK_SECONDS = 10;

/** Elements may be nested this deep. */
export const DEEPEST_SSML = 32;

/** Whether a speech is SSML: it begins with `<speak>`, perhaps after an XML declaration. */
export function isSsml(speech: string): boolean {
  return /^\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<(?:speak[\s/>]|!DOCTYPE\s+speak\b)/u.test(speech);
}

/** A text as it may be put into SSML. */
export function escapeSsml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
