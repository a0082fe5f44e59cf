import type { CanvasObject } from '../document/objects/index.js';
import type { BrandRole } from './look.js';

/** A slide to begin with. Its objects have roles instead of colours; the `id` of a text is how a template fills it in. */
export interface SlideLayout {
  readonly label: string;
  readonly group: LayoutGroup;
  /** Search words, in addition to its label. */
  readonly words: string;
  readonly backdrop: BrandRole;
  /** On a canvas of 640 × 360 units, bottom first. */
  readonly objects: readonly CanvasObject[];
}

/** Groups of layouts, in the order in which they are offered. */
export const LAYOUT_GROUPS = ['Opening', 'Text', 'Comparison', 'Numbers', 'Steps', 'Closing'] as const;
export type LayoutGroup = (typeof LAYOUT_GROUPS)[number];

type Box = readonly [left: number, top: number, width: number, height: number];

const LINE_HEIGHT = 1.16;
const PLACE = { originX: 'left', originY: 'top' } as const;

function boxed([left, top, width, height]: Box) {
  return { ...PLACE, left, top, width, height };
}

function text(
  id: string,
  words: string,
  [left, top, width]: readonly [left: number, top: number, width: number],
  fontSize: number,
  brandRole: BrandRole,
  more: Partial<CanvasObject> = {},
): CanvasObject {
  const lineHeight = Number(more.lineHeight ?? LINE_HEIGHT);
  const height = Math.round(words.split('\n').length * fontSize * lineHeight);
  const isHeading = brandRole.toLowerCase().endsWith('heading');
  const letters = { fontSize, fontWeight: isHeading ? 'bold' : 'normal', lineHeight, textAlign: 'left' } as const;
  return { type: 'textbox', id, text: words, ...boxed([left, top, width, height]), ...letters, brandRole, ...more };
}

const rect = (box: Box, brandRole: BrandRole, rx = 0): CanvasObject => ({
  type: 'rect',
  ...boxed(box),
  rx,
  ry: rx,
  fill: '#000000',
  brandRole,
});

const disc = (left: number, top: number, side: number, brandRole: BrandRole): CanvasObject => ({
  type: 'circle',
  ...boxed([left, top, side, side]),
  radius: side / 2,
  fill: '#000000',
  brandRole,
});

const stroke = (path: string, box: Box, strokeWidth: number, brandRole: BrandRole): CanvasObject => ({
  type: 'path',
  ...boxed(box),
  path,
  pathOffset: { x: box[2] / 2, y: box[3] / 2 },
  fill: null,
  stroke: '#000000',
  strokeWidth,
  strokeLineCap: 'round',
  strokeLineJoin: 'round',
  brandRole,
});

const presenter = (box: Box, shape: 'full' | 'circle' | 'bust' = 'full'): CanvasObject => ({
  type: 'avatar',
  ...boxed(box),
  shape,
  ...(shape === 'circle' && { fill: '#000000', brandRole: 'accentSoft' }),
});

const RIGHT = presenter([322, 42, 318, 318]);
const CORNER = presenter([520, 244, 104, 104], 'circle');
const CENTRE = { textAlign: 'center' } as const;
const LIST = { lineHeight: 1.7 } as const;

/** A card with a heading and a text. */
function card(id: string, box: Box, [heading, words]: readonly [string, string]): CanvasObject[] {
  const [left, top, width] = box;
  return [
    rect(box, 'surface', 12),
    text(`${id}Title`, heading, [left + 16, top + 18, width - 32], 18, 'accentHeading'),
    text(id, words, [left + 16, top + 50, width - 32], 14, 'text', { lineHeight: 1.35 }),
  ];
}

/** A number with what it counts. */
function figure(id: string, [left, top, width]: readonly [number, number, number], value: string, counts: string) {
  return [
    text(id, value, [left, top, width], 46, 'accentHeading', CENTRE),
    text(`${id}Label`, counts, [left, top + 60, width], 14, 'muted', CENTRE),
  ];
}

/** A numbered disc. */
function marked(number: number, left: number, top: number): CanvasObject[] {
  return [
    disc(left, top, 36, 'accent'),
    text(`number${number}`, String(number), [left, top + 8, 36], 17, 'onAccentHeading', CENTRE),
  ];
}

const bar = (left: number, height: number, role: BrandRole): CanvasObject =>
  rect([left, 300 - height, 64, height], role, 6);

const heading = (words: string, width = 560) => text('title', words, [40, 36, width], 28, 'heading');

/** Slides to begin with, by name. */
export const SLIDE_LAYOUTS = {
  title: {
    label: 'Title with presenter',
    group: 'Opening',
    words: 'start cover name',
    backdrop: 'background',
    objects: [
      rect([40, 96, 56, 6], 'accent', 3),
      text('title', 'The title of\nyour video', [40, 118, 300], 36, 'heading'),
      text('subtitle', 'One line that says why to watch', [40, 214, 280], 16, 'muted'),
      RIGHT,
    ],
  },
  cover: {
    label: 'Bold cover',
    group: 'Opening',
    words: 'title start strong colour',
    backdrop: 'accent',
    objects: [
      text('title', 'A bold opening', [60, 124, 520], 44, 'onAccentHeading', CENTRE),
      text('subtitle', 'Your name · Your team', [60, 192, 520], 17, 'onAccent', CENTRE),
    ],
  },
  introduction: {
    label: 'Presenter with a name',
    group: 'Opening',
    words: 'speaker lower third person who',
    backdrop: 'surface',
    objects: [
      presenter([140, 10, 360, 350]),
      rect([40, 282, 270, 54], 'accent', 8),
      text('title', 'First and last name', [56, 290, 240], 18, 'onAccentHeading'),
      text('subtitle', 'What this person does', [56, 313, 240], 13, 'onAccent'),
    ],
  },
  agenda: {
    label: 'Agenda',
    group: 'Opening',
    words: 'contents overview plan list',
    backdrop: 'background',
    objects: [
      heading('What we will cover'),
      ...[0, 1, 2, 3].flatMap((index) => [
        ...marked(index + 1, 40, 96 + index * 60),
        text(`item${index + 1}`, `Topic number ${index + 1}`, [92, 104 + index * 60, 380], 17, 'text'),
      ]),
      CORNER,
    ],
  },
  section: {
    label: 'New section',
    group: 'Opening',
    words: 'chapter divider part',
    backdrop: 'accent',
    objects: [
      text('number', '1', [40, 96, 120], 88, 'onAccentHeading'),
      text('title', 'The name of\nthis section', [150, 112, 440], 38, 'onAccentHeading'),
    ],
  },
  news: {
    label: 'News desk',
    group: 'Opening',
    words: 'headline ticker announcement update studio',
    backdrop: 'surface',
    objects: [
      presenter([290, 0, 330, 330]),
      rect([0, 268, 640, 92], 'accent'),
      rect([32, 250, 92, 30], 'background', 4),
      text('kicker', 'NEWS', [32, 256, 92], 15, 'accentHeading', CENTRE),
      text('title', 'The headline of the day', [32, 290, 576], 26, 'onAccentHeading'),
      text('subtitle', 'One sentence with what happened', [32, 325, 576], 14, 'onAccent'),
    ],
  },
  presenter: {
    label: 'Presenter alone',
    group: 'Text',
    words: 'speaker talk full',
    backdrop: 'accentSoft',
    objects: [presenter([120, 0, 400, 360])],
  },
  bullets: {
    label: 'Points with presenter',
    group: 'Text',
    words: 'list bullets text',
    backdrop: 'background',
    objects: [
      text('title', 'The main points', [40, 44, 300], 28, 'heading'),
      text('body', 'The first point\nThe second point\nThe third point', [40, 108, 290], 17, 'text', {
        ...LIST,
        list: 'bullet',
      }),
      RIGHT,
    ],
  },
  statement: {
    label: 'One sentence',
    group: 'Text',
    words: 'big message claim idea',
    backdrop: 'background',
    objects: [
      rect([40, 110, 6, 140], 'accent', 3),
      text('title', 'One sentence that\npeople should\nremember.', [68, 108, 500], 40, 'heading'),
    ],
  },
  quote: {
    label: 'Quote',
    group: 'Text',
    words: 'citation customer testimonial said',
    backdrop: 'background',
    objects: [
      text('mark', '“', [40, 30, 120], 130, 'accentHeading', { lineHeight: 1 }),
      text('title', 'What a customer said,\nin their own words.', [92, 112, 470], 30, 'heading'),
      text('subtitle', 'Name, role', [92, 206, 380], 16, 'muted'),
      CORNER,
    ],
  },
  definition: {
    label: 'Definition',
    group: 'Text',
    words: 'term word explain meaning glossary',
    backdrop: 'background',
    objects: [
      text('title', 'Term', [40, 70, 290], 42, 'accentHeading'),
      rect([40, 132, 280, 2], 'line'),
      text(
        'body',
        'What it means, in one or two\nplain sentences that are easy\nto follow.',
        [40, 152, 290],
        18,
        'text',
        {
          lineHeight: 1.4,
        },
      ),
      RIGHT,
    ],
  },
  question: {
    label: 'Question and answer',
    group: 'Text',
    words: 'faq support ask',
    backdrop: 'background',
    objects: [
      disc(40, 60, 52, 'accent'),
      text('mark', '?', [40, 70, 52], 30, 'onAccentHeading', CENTRE),
      text('title', 'The question that\npeople ask', [110, 58, 440], 28, 'heading'),
      rect([40, 150, 450, 150], 'surface', 14),
      text('body', 'The answer, short enough to be read\nwhile it is spoken.', [62, 174, 410], 18, 'text', {
        lineHeight: 1.4,
      }),
      CORNER,
    ],
  },
  checklist: {
    label: 'Checklist',
    group: 'Text',
    words: 'todo done tick tasks',
    backdrop: 'background',
    objects: [
      heading('Before you begin'),
      ...[0, 1, 2, 3].flatMap((index) => [
        rect([40, 98 + index * 58, 32, 32], 'accentSoft', 8),
        stroke('M 0 7 L 6 13 L 17 0', [48, 108 + index * 58, 17, 13], 3, 'accent'),
        text(`item${index + 1}`, `Something to check`, [90, 103 + index * 58, 390], 17, 'text'),
      ]),
      CORNER,
    ],
  },
  comparison: {
    label: 'Comparison',
    group: 'Comparison',
    words: 'two columns versus options',
    backdrop: 'background',
    objects: [
      heading('Two ways to do it'),
      ...card('left', [40, 98, 272, 190], ['First option', 'What speaks for it\nWhat it costs\nWho it is for']),
      ...card('right', [328, 98, 272, 190], ['Second option', 'What speaks for it\nWhat it costs\nWho it is for']),
    ],
  },
  beforeAfter: {
    label: 'Before and after',
    group: 'Comparison',
    words: 'change improvement then now',
    backdrop: 'background',
    objects: [
      rect([0, 0, 320, 360], 'surface'),
      rect([320, 0, 320, 360], 'accent'),
      text('leftTitle', 'Before', [40, 60, 240], 30, 'heading'),
      text('left', 'How it used to be,\nand what was wrong\nwith it.', [40, 118, 240], 18, 'text', { lineHeight: 1.4 }),
      text('rightTitle', 'After', [360, 60, 240], 30, 'onAccentHeading'),
      text('right', 'How it is now,\nand what became\nbetter.', [360, 118, 240], 18, 'onAccent', {
        lineHeight: 1.4,
      }),
    ],
  },
  prosCons: {
    label: 'For and against',
    group: 'Comparison',
    words: 'pros cons advantages disadvantages',
    backdrop: 'background',
    objects: [
      heading('For and against'),
      rect([40, 96, 272, 6], 'accent', 3),
      text('left', 'A reason for it\nAnother one\nA third', [40, 118, 272], 17, 'text', { ...LIST, list: 'bullet' }),
      rect([328, 96, 272, 6], 'line', 3),
      text('right', 'A reason against it\nAnother one', [328, 118, 272], 17, 'text', { ...LIST, list: 'bullet' }),
      CORNER,
    ],
  },
  threeCards: {
    label: 'Three points',
    group: 'Comparison',
    words: 'features benefits columns cards',
    backdrop: 'background',
    objects: [
      heading('Three things to know'),
      ...card('first', [40, 98, 176, 200], ['Quick', 'What the first one\nmeans for you']),
      ...card('second', [232, 98, 176, 200], ['Simple', 'What the second one\nmeans for you']),
      ...card('third', [424, 98, 176, 200], ['Safe', 'What the third one\nmeans for you']),
    ],
  },
  pricing: {
    label: 'Plans and prices',
    group: 'Comparison',
    words: 'price offer packages cost',
    backdrop: 'background',
    objects: [
      heading('Choose a plan'),
      ...card('first', [40, 98, 176, 200], ['Start', 'For one person']),
      text('firstPrice', '0 €', [56, 212, 144], 34, 'heading'),
      rect([232, 86, 176, 224], 'accent', 14),
      text('secondTitle', 'Team', [248, 108, 144], 18, 'onAccentHeading'),
      text('second', 'For up to ten', [248, 140, 144], 14, 'onAccent'),
      text('secondPrice', '29 €', [248, 212, 144], 34, 'onAccentHeading'),
      ...card('third', [424, 98, 176, 200], ['Company', 'For everybody']),
      text('thirdPrice', '99 €', [440, 212, 144], 34, 'heading'),
    ],
  },
  number: {
    label: 'One number',
    group: 'Numbers',
    words: 'figure statistic percent big',
    backdrop: 'background',
    objects: [
      text('value', '87 %', [40, 88, 300], 92, 'accentHeading'),
      text('title', 'of people understand a video\nbetter than a page of text', [40, 206, 300], 19, 'text', {
        lineHeight: 1.35,
      }),
      RIGHT,
    ],
  },
  numbers: {
    label: 'Three numbers',
    group: 'Numbers',
    words: 'figures statistics report kpi',
    backdrop: 'background',
    objects: [
      heading('The year in numbers'),
      rect([40, 110, 560, 150], 'surface', 16),
      ...figure('first', [52, 140, 170], '+12 %', 'revenue'),
      ...figure('second', [235, 140, 170], '340', 'new customers'),
      ...figure('third', [418, 140, 170], '4.8', 'of 5 stars'),
    ],
  },
  barChart: {
    label: 'Bar chart',
    group: 'Numbers',
    words: 'graph diagram revenue growth quarter',
    backdrop: 'background',
    objects: [
      heading('Growth by quarter'),
      rect([40, 300, 450, 2], 'line'),
      bar(64, 70, 'accentSoft'),
      bar(168, 104, 'accentSoft'),
      bar(272, 140, 'accentSoft'),
      bar(376, 192, 'accent'),
      ...['Q1', 'Q2', 'Q3', 'Q4'].map((quarter, index) =>
        text(`label${index + 1}`, quarter, [64 + index * 104, 310, 64], 15, 'muted', CENTRE),
      ),
      presenter([506, 230, 118, 118], 'circle'),
    ],
  },
  lineChart: {
    label: 'Line chart',
    group: 'Numbers',
    words: 'graph diagram trend time',
    backdrop: 'background',
    objects: [
      heading('The trend this year'),
      rect([40, 300, 560, 2], 'line'),
      rect([40, 226, 560, 1], 'line'),
      rect([40, 152, 560, 1], 'line'),
      stroke('M 0 160 L 112 128 L 224 138 L 336 70 L 448 52 L 540 0', [50, 120, 540, 160], 5, 'accent'),
      disc(582, 112, 16, 'accent'),
      text('label1', 'January', [40, 312, 120], 14, 'muted'),
      text('label2', 'December', [480, 312, 120], 14, 'muted', { textAlign: 'right' }),
    ],
  },
  progress: {
    label: 'Progress',
    group: 'Numbers',
    words: 'share percent goal bars',
    backdrop: 'background',
    objects: [
      heading('How far we are'),
      ...[
        ['First goal', 374],
        ['Second goal', 258],
        ['Third goal', 143],
      ].flatMap(([label, width], index) => [
        text(`item${index + 1}`, String(label), [40, 100 + index * 68, 300], 16, 'text'),
        rect([40, 128 + index * 68, 440, 14], 'surface', 7),
        rect([40, 128 + index * 68, Number(width), 14], 'accent', 7),
      ]),
      CORNER,
    ],
  },
  table: {
    label: 'Table',
    group: 'Numbers',
    words: 'grid rows columns data',
    backdrop: 'background',
    objects: [
      heading('At a glance'),
      rect([40, 92, 560, 46], 'accent', 8),
      rect([40, 200, 560, 1], 'line'),
      rect([40, 262, 560, 1], 'line'),
      ...['Name', 'This year', 'Last year'].map((label, column) =>
        text(`head${column + 1}`, label, [56 + column * 188, 105, 170], 16, 'onAccentHeading'),
      ),
      ...[0, 1, 2].flatMap((row) =>
        ['A row', '120', '96'].map((value, column) =>
          text(`cell${row + 1}${column + 1}`, value, [56 + column * 188, 158 + row * 62, 170], 17, 'text'),
        ),
      ),
    ],
  },
  process: {
    label: 'Three steps',
    group: 'Steps',
    words: 'process how to flow workflow',
    backdrop: 'background',
    objects: [
      heading('How it works'),
      rect([76, 141, 400, 3], 'line'),
      ...[0, 1, 2].flatMap((index) => [
        disc(40 + index * 192, 106, 72, 'accent'),
        text(`number${index + 1}`, String(index + 1), [40 + index * 192, 124, 72], 30, 'onAccentHeading', CENTRE),
        text(
          `item${index + 1}Title`,
          ['First', 'Then', 'Finally'][index] ?? '',
          [40 + index * 192, 200, 170],
          19,
          'heading',
        ),
        text(`item${index + 1}`, 'What happens here,\nin a few words', [40 + index * 192, 228, 170], 14, 'muted', {
          lineHeight: 1.35,
        }),
      ]),
    ],
  },
  step: {
    label: 'One step',
    group: 'Steps',
    words: 'instruction how to guide training',
    backdrop: 'background',
    objects: [
      rect([40, 60, 96, 32], 'accent', 16),
      text('kicker', 'Step 1', [40, 67, 96], 15, 'onAccentHeading', CENTRE),
      text('title', 'What to do first', [40, 108, 290], 32, 'heading'),
      text('body', 'One or two sentences that\nsay how it is done.', [40, 190, 280], 17, 'text', { lineHeight: 1.4 }),
      RIGHT,
    ],
  },
  milestones: {
    label: 'Milestones',
    group: 'Steps',
    words: 'timeline history roadmap dates',
    backdrop: 'background',
    objects: [
      heading('The road ahead'),
      rect([40, 178, 560, 4], 'accentSoft', 2),
      ...['Spring', 'Summer', 'Autumn', 'Winter'].flatMap((label, index) => [
        disc(40 + index * 148, 168, 24, 'accent'),
        text(`item${index + 1}Title`, label, [40 + index * 148, 126, 140], 18, 'heading'),
        text(`item${index + 1}`, 'What is done\nby then', [40 + index * 148, 206, 130], 14, 'muted', {
          lineHeight: 1.35,
        }),
      ]),
    ],
  },
  product: {
    label: 'Product',
    group: 'Steps',
    words: 'feature screen app demo show picture',
    backdrop: 'background',
    objects: [
      rect([40, 54, 300, 206], 'ink', 14),
      rect([50, 64, 280, 176], 'surface', 6),
      rect([150, 262, 80, 10], 'line', 5),
      text('placeholder', 'Your picture here', [50, 142, 280], 15, 'muted', CENTRE),
      text('title', 'What it does', [368, 60, 240], 27, 'heading'),
      text('body', 'The first thing\nThe second thing\nThe third thing', [368, 104, 240], 16, 'text', {
        ...LIST,
        list: 'bullet',
      }),
      CORNER,
    ],
  },
  team: {
    label: 'People',
    group: 'Closing',
    words: 'team contact names staff',
    backdrop: 'background',
    objects: [
      heading('Your contacts'),
      ...[0, 1, 2].flatMap((index) => [
        disc(72 + index * 192, 106, 112, 'accentSoft'),
        text(
          `initials${index + 1}`,
          ['AB', 'CD', 'EF'][index] ?? '',
          [72 + index * 192, 144, 112],
          32,
          'accentHeading',
          CENTRE,
        ),
        text(`item${index + 1}Title`, 'First name', [40 + index * 192, 236, 176], 18, 'heading', CENTRE),
        text(`item${index + 1}`, 'What to ask them', [40 + index * 192, 264, 176], 14, 'muted', CENTRE),
      ]),
    ],
  },
  callToAction: {
    label: 'Call to action',
    group: 'Closing',
    words: 'button link website next contact',
    backdrop: 'background',
    objects: [
      text('title', 'Ready to try it?', [40, 90, 300], 34, 'heading'),
      text('body', 'Say what to do next, and where.', [40, 176, 270], 17, 'muted'),
      rect([40, 226, 210, 50], 'accent', 25),
      text('link', 'example.com', [40, 240, 210], 18, 'onAccentHeading', CENTRE),
      RIGHT,
    ],
  },
  thanks: {
    label: 'Thank you',
    group: 'Closing',
    words: 'end close goodbye',
    backdrop: 'accent',
    objects: [
      text('title', 'Thank you', [60, 120, 520], 52, 'onAccentHeading', CENTRE),
      text('subtitle', 'Questions? Write to hello@example.com', [60, 198, 520], 17, 'onAccent', CENTRE),
    ],
  },
} as const satisfies Readonly<Record<string, SlideLayout>>;
export type LayoutName = keyof typeof SLIDE_LAYOUTS;
