/** A supported element of SSML (W3C SSML 1.1). */
interface SsmlElement {
  /** Allowed attributes; `required` ones must be present. */
  readonly attributes: Readonly<Record<string, 'required' | 'optional'>>;
  /** Allowed content if restricted: nothing, or text without elements. */
  readonly content?: 'none' | 'text';
}

/** The supported subset of SSML 1.1, for speech that begins with `<speak>`; other speech is plain text. */
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

/** Values of `interpret-as` of `say-as`. */
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

/** Maximum nesting depth of elements. */
export const DEEPEST_SSML = 32;

/** Whether a speech is SSML: it begins with `<speak>`, optionally after an XML declaration. */
export function isSsml(speech: string): boolean {
  return /^\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<(?:speak[\s/>]|!DOCTYPE\s+speak\b)/u.test(speech);
}

/** Escapes a text for SSML. */
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
