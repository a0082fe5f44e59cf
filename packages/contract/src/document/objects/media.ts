import { choice, type DocumentPosition, flag, type MemberReader, number, text } from '../field.js';
import { length, maybeLength, objectType } from './base.js';

const src = text({ default: '', description: 'URL of the file.', examples: ['https://example.com/picture.png'] });

const RADIUS = {
  cornerRadius: maybeLength('Radius of its corners; `borderRadius` and `rx` are other names.'),
  borderRadius: maybeLength('See `cornerRadius`.'),
  rx: maybeLength('See `cornerRadius`.'),
};

function radiusOf(read: MemberReader<typeof RADIUS>): number {
  return read('cornerRadius') ?? read('borderRadius') ?? read('rx') ?? 0;
}

function addressOf(value: string, place: DocumentPosition): string {
  if (value === '') place.at('src').note('the address of the media is missing');
  return value;
}

/** A picture. Without a crop it is fitted into its box by `fit`. */
export const image = objectType({
  label: 'Picture',
  aliases: ['fabricimage', 'svg', 'gif'],
  edits: ['picture', 'entrance', 'templateId'],
  fields: {
    src,
    fit: choice(['contain', 'cover', 'fill'], 'contain', 'How it fills its box.'),
    cropX: length('Left edge of the part that is shown, px of the picture.'),
    cropY: length('Top edge of the part that is shown, px of the picture.'),
    ...RADIUS,
  },
  read(read, _base, { place }) {
    const crop = { x: read('cropX'), y: read('cropY') };
    return {
      type: 'image',
      src: addressOf(read('src'), place),
      fit: read('fit'),
      crop: crop.x > 0 || crop.y > 0 ? crop : null,
      radius: radiusOf(read),
    };
  },
});

const seconds = (description: string) => number({ minimum: 0, maximum: 86_400, description });

/** A video, muted by default: most clips are decoration, and their sound would cover the presenter. */
export const video = objectType({
  label: 'Video clip',
  edits: ['clip', 'entrance', 'templateId'],
  fields: {
    src,
    startTime: seconds('Second of the clip at which it begins; `trimStart` is another name.'),
    trimStart: seconds('See `startTime`.'),
    endTime: seconds('Second of the clip at which it stops or restarts; 0: its end. `trimEnd` is another name.'),
    trimEnd: seconds('See `endTime`.'),
    loop: flag(true, 'It restarts at its end.'),
    muted: flag(false, 'Without sound; `false` without a `volume` is full volume.'),
    volume: number({ minimum: 0, maximum: 1, description: '0 when absent.' }),
    ...RADIUS,
  },
  read(read, _base, { source, place }) {
    const end = read('endTime') ?? read('trimEnd') ?? 0;
    const start = read('startTime') ?? read('trimStart') ?? 0;
    if (end > 0 && end <= start) place.at('endTime').note(`expected a time after ${start} s, got ${end}`);
    return {
      type: 'video',
      src: addressOf(read('src'), place),
      radius: radiusOf(read),
      startSeconds: start,
      endSeconds: end > start ? end : null,
      loop: read('loop'),
      volume: read('muted') ? 0 : (read('volume') ?? (source['muted'] === false ? 1 : 0)),
    };
  },
});
