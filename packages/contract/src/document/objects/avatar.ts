import { isRecord, special } from '../field.js';
import { paint } from '../paint.js';
import { objectType } from './base.js';

/** Cut-outs of a presenter. */
export const CUT_OUTS = {
  full: { label: 'Whole picture' },
  circle: { label: 'Circle' },
  bust: { label: 'Close-up' },
} as const;
export type CutOut = keyof typeof CUT_OUTS;

const cut = (description: string) =>
  special<string | null, string | null>({ type: 'string', enum: Object.keys(CUT_OUTS), description }, (raw) =>
    typeof raw === 'string' ? raw : null,
  );

/** The position of the slide's presenter. */
export const avatar = objectType({
  label: 'Presenter',
  command: 'Place presenter',
  edits: ['cutout'],
  fields: {
    fill: paint(null, 'Colour of the disc behind a presenter in a circle.'),
    crop: cut('Cut-out of the presenter.'),
    avatarType: cut('Another name of `crop`.'),
    shape: cut('Another name of `crop`.'),
  },
  create(canvas) {
    const width = Math.min(canvas.width * 0.53, canvas.height * 1.067);
    const height = width * 0.75;
    return { width, height, left: canvas.width - width, top: canvas.height - height };
  },
  read(read, _base, { source }) {
    const kind = read('crop') ?? read('avatarType') ?? read('shape');
    const clip = source['clipPath'];
    const isDisc = kind === 'circle' || (isRecord(clip) && String(clip['type']).toLowerCase() === 'circle');
    const crop: CutOut = isDisc
      ? 'circle'
      : kind === 'bust' || kind === 'close_up' || kind === 'closeup'
        ? 'bust'
        : 'full';
    return { type: 'avatar', crop };
  },
});
