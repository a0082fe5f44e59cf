import type { CanvasObject } from '../../document/objects/index.js';
import { type Box, columns, type Frame } from '../frame.js';
import { layoutsOf } from '../layout.js';
import { BULLETS, card, corner, heading, PROSE, rect, text } from '../parts.js';

/** Share of a card's width that its words have next to its price. */
const BESIDE_PRICE = 0.6;

/** The two halves of the canvas: left and right, or top and bottom on the tall one. */
const halves = (on: Frame): Box[] => columns(on, [0, 0, on.width, on.height], { count: 2, gap: 0, narrow: 'tall' });

export const COMPARISON_LAYOUTS = layoutsOf('Comparison', {
  comparison: {
    label: 'Comparison',
    words: 'two columns versus options',
    objects: (on) => {
      const about = 'What speaks for it\nWhat it costs\nWho it is for';
      const [left, right] = columns(on, on.page, { count: 2, narrow: 'tall' }) as [Box, Box];
      return [
        heading(on, 'Two ways to do it'),
        ...card(on, 'left', left, ['First option', about]),
        ...card(on, 'right', right, ['Second option', about]),
      ];
    },
  },
  beforeAfter: {
    label: 'Before and after',
    words: 'change improvement then now',
    objects: (on) => {
      const [left, right] = halves(on) as [Box, Box];
      const at = ([x, y, width]: Box, offset: number) =>
        [x + on.margin, y + on.scaled(60 + offset), width - on.margin - on.scaled(16)] as const;
      const old = 'How it used to be,\nand what was wrong\nwith it.';
      const now = 'How it is now,\nand what became\nbetter.';
      const body = { size: 18, lineHeight: 1.4 };
      return [
        rect(left, 'surface'),
        rect(right, 'accent'),
        text(on, 'leftTitle', { words: 'Before', at: at(left, 0), size: 30, role: 'heading' }),
        text(on, 'left', { words: old, at: at(left, 58), role: 'text', ...body }),
        text(on, 'rightTitle', { words: 'After', at: at(right, 0), size: 30, role: 'onAccentHeading' }),
        text(on, 'right', { words: now, at: at(right, 58), role: 'onAccent', ...body }),
      ];
    },
  },
  prosCons: {
    label: 'For and against',
    words: 'pros cons advantages disadvantages',
    objects: (on) => {
      const [left, right] = columns(on, on.body, { count: 2, narrow: 'tall' }) as [Box, Box];
      const at = ([x, y, width]: Box) => [x, y + on.scaled(22), width] as const;
      const list = { size: 17, role: 'text', ...BULLETS } as const;
      return [
        heading(on, 'For and against'),
        rect([left[0], left[1], left[2], 6], 'accent', 3),
        text(on, 'left', { words: 'A reason for it\nAnother one\nA third', at: at(left), ...list }),
        rect([right[0], right[1], right[2], 6], 'line', 3),
        text(on, 'right', { words: 'A reason against it\nAnother one', at: at(right), ...list }),
        corner(on),
      ];
    },
  },
  threeCards: {
    label: 'Three points',
    words: 'features benefits columns cards',
    objects: (on) => {
      const [first, second, third] = columns(on, on.page, { count: 3 }) as [Box, Box, Box];
      return [
        heading(on, 'Three things to know'),
        ...card(on, 'first', first, ['Quick', 'What the first one\nmeans for you']),
        ...card(on, 'second', second, ['Simple', 'What the second one\nmeans for you']),
        ...card(on, 'third', third, ['Safe', 'What the third one\nmeans for you']),
      ];
    },
  },
  pricing: {
    label: 'Plans and prices',
    words: 'price offer packages cost',
    objects: (on) => {
      const [first, second, third] = columns(on, on.page, { count: 3 }) as [Box, Box, Box];
      const wide = on.shape === 'wide';
      const best: Box = [second[0], second[1] - (wide ? 10 : 0), second[2], second[3] + (wide ? 20 : 0)];
      const [pad, above] = [on.scaled(16), on.scaled(18)];
      const at = ([x, y, width]: Box, offset: number) =>
        [x + pad, y + above + on.scaled(offset), width - 2 * pad] as const;
      // Below the texts, or on the right of a card that is wider than high.
      const price = (box: Box) => {
        const [x, y, width] = at(box, wide ? 96 : 6);
        return wide ? ([x, y, width] as const) : ([x + width * BESIDE_PRICE, y, width * (1 - BESIDE_PRICE)] as const);
      };
      const words = (object: CanvasObject) =>
        wide || object.type !== 'textbox' ? object : { ...object, width: (object.width ?? 0) * BESIDE_PRICE };
      const big = { size: 34, textAlign: wide ? 'left' : 'right' } as const;
      return [
        heading(on, 'Choose a plan'),
        ...card(on, 'first', first, ['Start', 'For one person']).map(words),
        text(on, 'firstPrice', { words: '0 €', at: price(first), role: 'heading', ...big }),
        rect(best, 'accent', 14),
        words(text(on, 'secondTitle', { words: 'Team', at: at(second, 0), size: 18, role: 'onAccentHeading' })),
        words(text(on, 'second', { words: 'For up to ten', at: at(second, 32), size: 14, role: 'onAccent', ...PROSE })),
        text(on, 'secondPrice', { words: '29 €', at: price(second), role: 'onAccentHeading', ...big }),
        ...card(on, 'third', third, ['Company', 'For everybody']).map(words),
        text(on, 'thirdPrice', { words: '99 €', at: price(third), role: 'heading', ...big }),
      ];
    },
  },
});
