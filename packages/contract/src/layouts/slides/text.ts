import { area, type Box, rows, rowWidth } from '../frame.js';
import { layoutsOf } from '../layout.js';
import { BULLETS, badge, corner, heading, largePresenter, NUMBERED, presenter, rect, stroke, text } from '../parts.js';

export const TEXT_LAYOUTS = layoutsOf('Text', {
  presenter: {
    label: 'Presenter alone',
    words: 'speaker talk full',
    backdrop: 'accentSoft',
    objects: (on) => {
      const [w, h] = [Math.min(on.width, 400), Math.min(on.width, on.height)];
      return [presenter([(on.width - w) / 2, on.height - h, w, h])];
    },
  },
  bullets: {
    label: 'Points with presenter',
    words: 'list bullets text',
    objects: (on) => {
      const { at } = area(on, 44);
      return [
        text(on, 'title', { words: 'The main points', at: at(0), size: 28, role: 'heading' }),
        text(on, 'body', {
          words: 'The first point\nThe second point\nThe third point',
          at: at(64),
          size: 17,
          role: 'text',
          ...BULLETS,
        }),
        largePresenter(on),
      ];
    },
  },
  statement: {
    label: 'One sentence',
    words: 'big message claim idea',
    objects: (on) => {
      const [top, indent] = [on.height / 2 - on.scaled(80), on.scaled(24)];
      const at = [on.margin + indent, top, on.inner - indent] as const;
      const size = { wide: 40, tall: 27, square: 36 }[on.shape];
      return [
        rect([on.margin, top, 6, on.scaled(size * 3.8)], 'accent', 3),
        text(on, 'title', { words: 'One sentence that\npeople should\nremember.', at, size, role: 'heading' }),
      ];
    },
  },
  quote: {
    label: 'Quote',
    words: 'citation customer testimonial said',
    objects: (on) => {
      const top = { wide: 13, tall: 84, square: 13 }[on.shape];
      const indent = on.shape === 'wide' ? 52 : 0;
      const at = (offset: number) => [on.margin + indent, top + on.scaled(offset), on.inner - 2 * indent] as const;
      const mark = { at: [on.margin, top, on.scaled(120)] as const, lineHeight: 1 };
      const words = 'What a customer said,\nin their own words.';
      return [
        text(on, 'mark', { words: '“', size: 96, role: 'accentHeading', ...mark }),
        text(on, 'title', { words, at: at(114), size: on.shape === 'tall' ? 24 : 27, role: 'heading' }),
        text(on, 'subtitle', { words: 'Name, role', at: at(on.shape === 'tall' ? 232 : 194), size: 16, role: 'muted' }),
        corner(on),
      ];
    },
  },
  definition: {
    label: 'Definition',
    words: 'term word explain meaning glossary',
    objects: (on) => {
      const { left, y, at, width } = area(on, 70);
      const words = 'What it means, in one or two\nplain sentences that are easy\nto follow.';
      return [
        text(on, 'title', { words: 'Term', at: at(0), size: 42, role: 'accentHeading' }),
        rect([left, y(62), width - 20, 2], 'line'),
        text(on, 'body', { words, at: at(80), size: 18, role: 'text', lineHeight: 1.4 }),
        largePresenter(on),
      ];
    },
  },
  question: {
    label: 'Question and answer',
    words: 'faq support ask',
    objects: (on) => {
      const top = { wide: 56, tall: 80, square: 36 }[on.shape];
      const side = on.scaled(52);
      const indent = side + on.scaled(18);
      const box: Box = [on.margin, top + on.scaled(100), rowWidth(on), on.scaled(on.shape === 'tall' ? 210 : 140)];
      const pad = on.scaled(22);
      const mark = { words: '?', box: [on.margin, top + on.scaled(6), side, side] as const, size: 30, roles: NUMBERED };
      return [
        ...badge(on, 'mark', mark),
        text(on, 'title', {
          words: 'The question that\npeople ask',
          at: [on.margin + indent, top, on.inner - indent],
          size: 26,
          role: 'heading',
        }),
        rect(box, 'surface', 14),
        text(on, 'body', {
          words: 'The answer, short enough to\nbe read while it is spoken.',
          at: [box[0] + pad, box[1] + pad, box[2] - 2 * pad],
          size: on.shape === 'tall' ? 16 : 18,
          role: 'text',
          lineHeight: 1.4,
        }),
        corner(on),
      ];
    },
  },
  checklist: {
    label: 'Checklist',
    words: 'todo done tick tasks',
    objects: (on) => {
      const [left] = on.body;
      const indent = 50;
      return [
        heading(on, 'Before you begin'),
        ...rows(on.body, 4).flatMap((top, index) => [
          rect([left, top, 32, 32], 'accentSoft', 8),
          stroke('M 0 7 L 6 13 L 17 0', [left + 8, top + 10, 17, 13], 3, 'accent'),
          text(on, `item${index + 1}`, {
            words: 'Something to check',
            at: [left + indent, top + 16 - on.scaled(10), rowWidth(on) - indent],
            size: 17,
            role: 'text',
          }),
        ]),
        corner(on),
      ];
    },
  },
});
