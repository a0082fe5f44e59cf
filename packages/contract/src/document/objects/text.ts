import { choice, type Fields, flag, type MemberReader, number, special, text as words } from '../field.js';
import { objectType, type Placed, type ReadingContext } from './base.js';
import { LETTERS, readRanges, readTextStyle } from './text-style.js';

/** Maximum characters (UTF-16) of one text object; a frame full of the smallest legible letters has fewer. */
export const MAX_TEXT = 20_000;

const ALIGNMENTS = [
  'start',
  'end',
  'left',
  'center',
  'right',
  'justify',
  'justify-left',
  'justify-center',
  'justify-right',
] as const;
const LISTS = {
  none: 'none',
  bullet: 'bullet',
  bullets: 'bullet',
  unordered: 'bullet',
  number: 'number',
  numbered: 'number',
  ordered: 'number',
} as const;

const TEXT = {
  text: words({ default: '', examples: ['Welcome, {{name}}'], description: `At most ${MAX_TEXT} characters.` }),
  ...LETTERS,
  textAlign: choice(ALIGNMENTS, 'start', '`start` follows the direction of the text.'),
  direction: special<string | null, 'auto' | 'rtl'>(
    { type: 'string', enum: ['ltr', 'rtl'], description: 'From the text when absent.' },
    (raw) => (raw === 'rtl' ? 'rtl' : 'auto'),
  ),
  lineHeight: number({ default: 1.16, minimum: 0.1, maximum: 10, description: 'In font sizes.' }),
  charSpacing: number({
    default: 0,
    minimum: -1000,
    maximum: 10_000,
    description: 'Thousandths of an em between letters.',
  }),
  list: choice(Object.keys(LISTS) as (keyof typeof LISTS)[], 'none', 'Mark in front of every line.'),
  styles: special<unknown, unknown>(
    { description: 'Styles by letter in either form of Fabric: `[{start, end, style}]` or `{line: {letter: style}}`.' },
    (raw) => raw,
  ),
} as const satisfies Fields;

function readText(read: MemberReader<typeof TEXT>, base: Placed, { source, place }: ReadingContext) {
  let text = read('text').replace(/\r\n?/g, '\n');
  if (text.length > MAX_TEXT) {
    place.at('text').note(`a text object holds at most ${MAX_TEXT} characters, this one has ${text.length}`);
    text = '';
  }
  const [align, direction] = [read('textAlign'), read('direction')];
  return {
    text,
    style: readTextStyle(read, base),
    ranges: readRanges(source['styles'], text, place),
    align: alignmentOf(align, direction),
    direction,
    lineHeight: read('lineHeight'),
    charSpacing: read('charSpacing'),
    list: LISTS[read('list')],
  };
}

function alignmentOf(
  asked: (typeof ALIGNMENTS)[number],
  direction: 'auto' | 'rtl',
): 'start' | 'left' | 'center' | 'right' | 'justify' {
  switch (asked) {
    case 'start':
    case 'left':
    case 'center':
    case 'right':
      return asked;
    case 'end':
      return direction === 'rtl' ? 'left' : 'right';
    default:
      return 'justify';
  }
}

/** Text as wide as its longest line. */
export const text = objectType({
  label: 'Text',
  aliases: ['itext'],
  edits: ['text', 'fill', 'entrance'],
  fields: TEXT,
  read: (read, base, context) => ({ type: 'text', ...readText(read, base, context), fit: false as boolean }),
});

/** Text that wraps at its width. */
export const textbox = objectType({
  label: 'Text',
  edits: ['text', 'fill', 'entrance'],
  fields: { ...TEXT, fitTextBox: flag(false, 'The font shrinks until the text fits the box.') },
  create: () => ({
    left: 40,
    width: 260,
    height: 37,
    text: 'Your text',
    fontSize: 32,
    fontFamily: 'Inter',
    fontWeight: 'bold',
    fill: '#22211e',
    textAlign: 'left',
  }),
  read: (read, base, context) => ({
    type: 'textbox',
    ...readText(read, base, context),
    fit: context.fitTextBox || read('fitTextBox'),
  }),
});
