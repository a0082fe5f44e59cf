import { area, type Box, rows } from '../frame.js';
import { layoutsOf } from '../layout.js';
import {
  BULLETS,
  CENTRE,
  corner,
  disc,
  entries,
  heading,
  largePresenter,
  NUMBERED,
  opening,
  PROSE,
  rect,
  text,
} from '../parts.js';

/** Layouts of steps, and of the end of a video. */
export const STEP_LAYOUTS = {
  ...layoutsOf('Steps', {
    process: {
      label: 'Three steps',
      words: 'process how to flow workflow',
      objects: (on) => {
        const [left, top, width, height] = on.page;
        const r = on.scaled(72) / 2;
        const line: Box =
          on.shape === 'wide'
            ? [left + r, top + r - 1, (width * 2) / 3, 3]
            : [left + r - 1, top + r, 3, (height * 2) / 3];
        const steps = ['First', 'Then', 'Finally'].map((title, index) => ({
          title,
          words: 'What happens here,\nin a few words',
          badge: String(index + 1),
        }));
        return [
          heading(on, 'How it works'),
          rect(line, 'line'),
          ...entries(on, steps, { side: 72, size: 30, box: on.page, ids: 'number', roles: NUMBERED }),
        ];
      },
    },
    step: {
      label: 'One step',
      words: 'instruction how to guide training',
      objects: (on) => {
        const { left, y, at } = area(on, 60);
        const sign: Box = [left, y(0), on.scaled(96), on.scaled(32)];
        const kicker = { words: 'Step 1', at: [left, y(7), sign[2]] as const, size: 15 };
        const words = 'One or two sentences that\nsay how it is done.';
        return [
          rect(sign, 'accent', sign[3] / 2),
          text(on, 'kicker', { ...kicker, role: 'onAccentHeading', ...CENTRE }),
          text(on, 'title', { words: 'What to do first', at: at(46), size: 30, role: 'heading' }),
          text(on, 'body', { words, at: at(130), size: 17, role: 'text', lineHeight: 1.4 }),
          largePresenter(on),
        ];
      },
    },
    milestones: {
      label: 'Milestones',
      words: 'timeline history roadmap dates',
      objects: (on) => {
        const [left, top, width, height] = on.page;
        const wide = on.shape === 'wide';
        const line: Box = wide ? [left, 178, width, 4] : [left + 10, top + 8, 4, height - 20];
        const dates = ['Spring', 'Summer', 'Autumn', 'Winter'];
        const places = wide ? dates.map((_date, index) => [left + index * 148, 126] as const) : [];
        return [
          heading(on, 'The road ahead'),
          rect(line, 'accentSoft', 2),
          ...rows(on.page, dates.length).flatMap((row, index) => {
            const [x, y] = places[index] ?? [left + 40, row];
            const w = wide ? 136 : width - 40;
            const below = [x, wide ? 206 : y + on.scaled(26), w] as const;
            const words = wide ? 'What is done\nby then' : 'What is done by then';
            return [
              disc(wide ? x : left, wide ? 168 : y, 24, 'accent'),
              text(on, `item${index + 1}Title`, {
                words: dates[index] ?? '',
                at: [x, y, w],
                size: 18,
                role: 'heading',
              }),
              text(on, `item${index + 1}`, { words, at: below, size: 14, role: 'muted', ...PROSE }),
            ];
          }),
        ];
      },
    },
    product: {
      label: 'Product',
      words: 'feature screen app demo show picture',
      objects: (on) => {
        const wide = on.shape === 'wide';
        const [left, top] = [on.margin, { wide: 54, tall: 64, square: 20 }[on.shape]];
        const [w, h] = [300, { wide: 206, tall: 206, square: 150 }[on.shape]];
        const x = wide ? 368 : left;
        const y = (offset: number) => (wide ? 60 : top + h + on.scaled(34)) + on.scaled(offset);
        const width = wide ? 240 : on.inner;
        return [
          rect([left, top, w, h], 'ink', 14),
          rect([left + 10, top + 10, w - 20, h - 30], 'surface', 6),
          rect([left + w / 2 - 40, top + h + 2, 80, 10], 'line', 5),
          text(on, 'placeholder', {
            words: 'Your picture here',
            at: [left + 10, top + h / 2 - 20, w - 20],
            size: 15,
            role: 'muted',
            ...CENTRE,
          }),
          text(on, 'title', { words: 'What it does', at: [x, y(0), width], size: 27, role: 'heading' }),
          text(on, 'body', {
            words: 'The first thing\nThe second thing\nThe third thing',
            at: [x, y(44), on.shape === 'square' ? on.corner[0] - x : width],
            size: 16,
            role: 'text',
            ...BULLETS,
          }),
          corner(on),
        ];
      },
    },
  }),
  ...layoutsOf('Closing', {
    team: {
      label: 'People',
      words: 'team contact names staff',
      objects: (on) => [
        heading(on, 'Your contacts'),
        ...entries(
          on,
          ['AB', 'CD', 'EF'].map((initials) => ({ title: 'First name', words: 'What to ask them', badge: initials })),
          {
            side: on.shape === 'wide' ? 112 : 76,
            size: on.shape === 'wide' ? 32 : 24,
            box: on.page,
            ids: 'initials',
            roles: ['accentSoft', 'accentHeading'],
            centred: true,
          },
        ),
      ],
    },
    callToAction: {
      label: 'Call to action',
      words: 'button link website next contact',
      objects: (on) => {
        const { left, y, at, width } = area(on, 84);
        const button: Box = [left, y(152), Math.min(width, on.scaled(210)), on.scaled(50)];
        const link = { words: 'example.com', at: [left, y(165), button[2]] as const, size: 18 };
        return [
          text(on, 'title', { words: 'Ready to try it?', at: at(0), size: 32, role: 'heading' }),
          text(on, 'body', { words: 'Say what to do next, and where.', at: at(94), size: 17, role: 'muted' }),
          rect(button, 'accent', button[3] / 2),
          text(on, 'link', { ...link, role: 'onAccentHeading', ...CENTRE }),
          largePresenter(on),
        ];
      },
    },
    thanks: {
      label: 'Thank you',
      words: 'end close goodbye',
      backdrop: 'accent',
      objects: (on) => opening(on, 50, ['Thank you', 'Questions? Write to hello@example.com']),
    },
  }),
};
