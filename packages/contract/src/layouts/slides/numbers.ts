import { area, type Box, columns, type Frame, rows, rowWidth } from '../frame.js';
import { layoutsOf } from '../layout.js';
import { CENTRE, corner, disc, heading, largePresenter, PROSE, rect, stroke, text } from '../parts.js';

/** The area of a chart, and its lower edge. */
function chart(on: Frame, width: number) {
  const [left, top] = on.body;
  const height = { wide: 204, tall: 320, square: 166 }[on.shape];
  return { left, top, width, height, bottom: top + height };
}

export const NUMBER_LAYOUTS = layoutsOf('Numbers', {
  number: {
    label: 'One number',
    words: 'figure statistic percent big',
    objects: (on) => {
      const { at } = area(on, 88);
      const words = 'of people understand a video\nbetter than a page of text';
      return [
        text(on, 'value', { words: '87 %', at: at(0), size: 88, role: 'accentHeading' }),
        text(on, 'title', { words, at: at(118), size: 19, role: 'text', ...PROSE }),
        largePresenter(on),
      ];
    },
  },
  numbers: {
    label: 'Three numbers',
    words: 'figures statistics report kpi',
    objects: (on) => {
      const [left, top, width, height] = on.page;
      const box: Box = on.shape === 'wide' ? [left, 110, width, 150] : [left, top, width, height];
      const above = on.scaled(on.shape === 'wide' ? 30 : 16);
      const inside: Box = [box[0] + 12, box[1] + above, box[2] - 24, box[3] - above];
      const figures = [
        ['first', '+12 %', 'revenue'],
        ['second', '340', 'new customers'],
        ['third', '4.8', 'of 5 stars'],
      ] as const;
      const size = on.shape === 'square' ? 34 : 46;
      const boxes = columns(on, inside, { count: 3, gap: 8 });
      return [
        heading(on, 'The year in numbers'),
        rect(box, 'surface', 16),
        ...figures.flatMap(([id, value, counts], index) => {
          const [x = 0, y = 0, w = 0] = boxes[index] ?? [];
          const under = [x, y + on.scaled(size * 1.3), w] as const;
          return [
            text(on, id, { words: value, at: [x, y, w], size, role: 'accentHeading', ...CENTRE }),
            text(on, `${id}Label`, { words: counts, at: under, size: 14, role: 'muted', ...CENTRE }),
          ];
        }),
      ];
    },
  },
  barChart: {
    label: 'Bar chart',
    words: 'graph diagram revenue growth quarter',
    objects: (on) => {
      const { left, width, height, bottom } = chart(on, rowWidth(on));
      const step = width / 4;
      const side = step * 0.62;
      return [
        heading(on, 'Growth by quarter'),
        rect([left, bottom, width, 2], 'line'),
        ...[0.34, 0.5, 0.68, 0.94].flatMap((share, index) => {
          const x = left + index * step + (step - side) / 2;
          const words = `Q${index + 1}`;
          const under = [x, bottom + on.scaled(10), side] as const;
          return [
            rect([x, bottom - share * height, side, share * height], index === 3 ? 'accent' : 'accentSoft', 6),
            text(on, `label${index + 1}`, { words, at: under, size: 15, role: 'muted', ...CENTRE }),
          ];
        }),
        corner(on),
      ];
    },
  },
  lineChart: {
    label: 'Line chart',
    words: 'graph diagram trend time',
    objects: (on) => {
      const { left, top, width, height, bottom } = chart(on, on.inner);
      const [w, h] = [width - 20, height - 44];
      const curve = [1, 0.8, 0.86, 0.44, 0.32, 0].map((y, index) => `${round((index / 5) * w)} ${round(y * h)}`);
      const half = width / 2;
      const under = bottom + on.scaled(12);
      return [
        heading(on, 'The trend this year'),
        rect([left, bottom, width, 2], 'line'),
        rect([left, bottom - height * 0.36, width, 1], 'line'),
        rect([left, bottom - height * 0.72, width, 1], 'line'),
        stroke(`M ${curve.join(' L ')}`, [left + 10, top + 20, w, h], 5, 'accent'),
        disc(left + 10 + w - 8, top + 12, 16, 'accent'),
        text(on, 'label1', { words: 'January', at: [left, under, half], size: 14, role: 'muted' }),
        text(on, 'label2', {
          words: 'December',
          at: [left + half, under, half],
          size: 14,
          role: 'muted',
          textAlign: 'right',
        }),
      ];
    },
  },
  progress: {
    label: 'Progress',
    words: 'share percent goal bars',
    objects: (on) => {
      const [left] = on.body;
      const width = rowWidth(on);
      const goals = [
        ['First goal', 0.85],
        ['Second goal', 0.58],
        ['Third goal', 0.32],
      ] as const;
      return [
        heading(on, 'How far we are'),
        ...rows(on.body, 3).flatMap((top, index) => {
          const [words, share] = goals[index] ?? ['', 0];
          const bar = top + on.scaled(30);
          return [
            text(on, `item${index + 1}`, { words, at: [left, top, width], size: 16, role: 'text' }),
            rect([left, bar, width, 14], 'surface', 7),
            rect([left, bar, share * width, 14], 'accent', 7),
          ];
        }),
        corner(on),
      ];
    },
  },
  table: {
    label: 'Table',
    words: 'grid rows columns data',
    objects: (on) => {
      const [left, top, width, height] = on.page;
      const [line, pad] = [height / 4, on.scaled(16)];
      const column = (width - pad) / 3;
      const place = (row: number, at: number) =>
        [left + pad + at * column, top + row * line + line / 2 - on.scaled(11), column - pad / 2] as const;
      const cells = [0, 1, 2].flatMap((row) =>
        ['A row', '120', '96'].map((words, at) =>
          text(on, `cell${row + 1}${at + 1}`, { words, at: place(row + 1, at), size: 17, role: 'text' }),
        ),
      );
      return [
        heading(on, 'At a glance'),
        rect([left, top, width, line], 'accent', 8),
        rect([left, top + 2 * line, width, 1], 'line'),
        rect([left, top + 3 * line, width, 1], 'line'),
        ...['Name', 'This year', 'Last year'].map((words, at) =>
          text(on, `head${at + 1}`, { words, at: place(0, at), size: 16, role: 'onAccentHeading' }),
        ),
        ...cells,
      ];
    },
  },
});

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
