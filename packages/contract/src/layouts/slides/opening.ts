import { area, type Box, rows, rowWidth } from '../frame.js';
import { layoutsOf } from '../layout.js';
import { badge, CENTRE, corner, heading, largePresenter, NUMBERED, opening, presenter, rect, text } from '../parts.js';

/** Layouts that open a video or a part of it. */
export const OPENING_LAYOUTS = layoutsOf('Opening', {
  title: {
    label: 'Title with presenter',
    words: 'start cover name',
    objects: (on) => {
      const { left, y, at } = area(on, 96);
      return [
        rect([left, y(0), 56, 6], 'accent', 3),
        text(on, 'title', { words: 'The title of\nyour video', at: at(22), size: 36, role: 'heading' }),
        text(on, 'subtitle', { words: 'One line that says why to watch', at: at(120), size: 16, role: 'muted' }),
        largePresenter(on),
      ];
    },
  },
  cover: {
    label: 'Bold cover',
    words: 'title start strong colour',
    backdrop: 'accent',
    objects: (on) => opening(on, 44, ['A bold opening', 'Your name · Your team']),
  },
  introduction: {
    label: 'Presenter with a name',
    words: 'speaker lower third person who',
    backdrop: 'surface',
    objects: (on) => {
      const side = Math.min(on.width, on.height) - 10;
      const [w, h] = [Math.min(on.inner, on.scaled(290)), on.scaled(56)];
      const [left, top] = [on.margin, on.height - h - on.scaled(24)];
      const at = (offset: number) => [left + on.scaled(16), top + on.scaled(offset), w - on.scaled(32)] as const;
      return [
        presenter([(on.width - side) / 2, on.height - side, side, side]),
        rect([left, top, w, h], 'accent', 8),
        text(on, 'title', { words: 'First and last name', at: at(8), size: 18, role: 'onAccentHeading' }),
        text(on, 'subtitle', { words: 'What this person does', at: at(32), size: 13, role: 'onAccent' }),
      ];
    },
  },
  agenda: {
    label: 'Agenda',
    words: 'contents overview plan list',
    objects: (on) => {
      const [left] = on.body;
      const [side, indent] = [on.scaled(36), on.scaled(52)];
      return [
        heading(on, 'What we will cover'),
        ...rows(on.body, 4).flatMap((top, index) => [
          ...badge(on, `number${index + 1}`, {
            words: String(index + 1),
            box: [left, top, side, side],
            size: 17,
            roles: NUMBERED,
          }),
          text(on, `item${index + 1}`, {
            words: `Topic number ${index + 1}`,
            at: [left + indent, top + on.scaled(8), rowWidth(on) - indent],
            size: 17,
            role: 'text',
          }),
        ]),
        corner(on),
      ];
    },
  },
  section: {
    label: 'New section',
    words: 'chapter divider part',
    backdrop: 'accent',
    objects: (on) => {
      const tall = on.shape === 'tall';
      const top = on.height / 2 - on.scaled(tall ? 150 : 72);
      const indent = tall ? 0 : on.scaled(110);
      const at = [on.margin + indent, top + on.scaled(tall ? 118 : 12), on.inner - indent] as const;
      return [
        text(on, 'number', { words: '1', at: [on.margin, top, on.scaled(100)], size: 88, role: 'onAccentHeading' }),
        text(on, 'title', { words: 'The name of\nthis section', at, size: 38, role: 'onAccentHeading' }),
      ];
    },
  },
  news: {
    label: 'News desk',
    words: 'headline ticker announcement update studio',
    backdrop: 'surface',
    objects: (on) => {
      const bar = on.scaled(on.shape === 'tall' ? 150 : 96);
      const top = on.height - bar;
      const side = Math.min(on.width, top + on.scaled(20));
      const at = (offset: number) => [on.margin, top + on.scaled(offset), on.inner] as const;
      const sign: Box = [on.margin, top - on.scaled(18), on.scaled(92), on.scaled(30)];
      return [
        presenter([on.width - side - (on.shape === 'wide' ? 20 : 0), top - side + on.scaled(20), side, side]),
        rect([0, top, on.width, bar], 'accent'),
        rect(sign, 'background', 4),
        text(on, 'kicker', {
          words: 'NEWS',
          at: [sign[0], sign[1] + on.scaled(6), sign[2]],
          size: 15,
          role: 'accentHeading',
          ...CENTRE,
        }),
        text(on, 'title', { words: 'The headline of the day', at: at(22), size: 25, role: 'onAccentHeading' }),
        text(on, 'subtitle', {
          words: 'One sentence with what happened',
          at: at(on.shape === 'tall' ? 100 : 62),
          size: 14,
          role: 'onAccent',
        }),
      ];
    },
  },
});
