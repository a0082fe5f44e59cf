/**
 * Texts that are slow for a naive pattern or parser: unclosed brackets, long runs, endless marks.
 * Each entry creates a text of exactly `length` UTF-16 units.
 */
export const HOSTILE_TEXTS = Object.entries({
  'braces and spaces': (length) => filled('{{', ' ', length),
  'open braces': (length) => repeated('{{', length),
  'open braces with names': (length) => repeated('{{ a ', length),
  'open links': (length) => repeated('[a](', length),
  'nested brackets': (length) => repeated('[', length),
  'open quotes': (length) => repeated('“a "b ', length),
  punctuation: (length) => repeated('.,;!?', length),
  'dots and an end': (length) => `${'.'.repeat(length - 1)}x`,
  'spaces and an end': (length) => `${' '.repeat(length - 1)}x`,
  'open tags': (length) => repeated('<!--<a b="', length),
  markdown: (length) => repeated('**_`# ', length),
  digits: (length) => repeated('1,', length),
  addresses: (length) => repeated('a@a.', length),
  'combining marks': (length) => filled('e', '\u0301', length),
  emoji: (length) => repeated('👩‍👩‍👧‍👦', length),
  'right to left': (length) => repeated('\u202Eمرحبا ', length),
}).map(([name, make]) => ({ name, make }));

function filled(start, unit, length) {
  return start + unit.repeat(length - start.length);
}

/** Cut after a whole character and padded with full stops. */
function repeated(unit, length) {
  const text = unit.repeat(Math.floor(length / unit.length));
  return text + '.'.repeat(length - text.length);
}
