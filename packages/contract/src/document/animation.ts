import { type DocumentPosition, isRecord, number, quote, reading, special } from './field.js';
import { isNameOf, namesOf } from './table.js';
import { type WordAnchor, wordAnchor } from './word-anchor.js';

/** Entrances of an object or a slide; `none` moves nothing. */
export const ENTRANCES = {
  none: { label: 'At once' },
  fade_in: { label: 'Fades in' },
  slide_in_left: { label: 'Slides in from the left' },
  slide_in_right: { label: 'Slides in from the right' },
  slide_in_top: { label: 'Slides in from above' },
  slide_in_bottom: { label: 'Slides in from below' },
  zoom_in: { label: 'Grows' },
  zoom_out: { label: 'Shrinks' },
  pop: { label: 'Pops up' },
} as const;
export type Entrance = keyof typeof ENTRANCES;

/** Exits of an object or a slide; `none` moves nothing. */
export const EXITS = {
  none: { label: 'At once' },
  fade_out: { label: 'Fades out' },
  slide_out_left: { label: 'Slides out to the left' },
  slide_out_right: { label: 'Slides out to the right' },
  slide_out_top: { label: 'Slides out upwards' },
  slide_out_bottom: { label: 'Slides out downwards' },
  zoom_out: { label: 'Grows away' },
  zoom_in: { label: 'Shrinks away' },
  pop: { label: 'Vanishes' },
} as const;
export type Exit = keyof typeof EXITS;

/**
 * How an object enters and leaves; times in seconds of its slide. `exitAt` null: at the slide's end. A word of the
 * speech takes precedence over the stored time.
 */
export interface ObjectAnimation {
  readonly entrance: Entrance;
  readonly exit: Exit;
  readonly startSeconds: number;
  readonly entranceSeconds: number;
  readonly exitSeconds: number;
  readonly exitAt: number | null;
  readonly startWord: WordAnchor | null;
  readonly exitWord: WordAnchor | null;
}

const seconds = (description: string, maximum: number) => number({ minimum: 0, maximum, description });
const TIMES = {
  startTime: seconds('Second of the slide at which it begins; `delay` is another name.', 3600),
  delay: seconds('See `startTime`.', 3600),
  duration: seconds('Seconds that the entrance takes, 0.5 when absent.', 60),
  exitDuration: seconds('Seconds that the exit takes; as long as the entrance when absent.', 60),
  exitTime: number({
    maximum: 3600,
    description: 'Second at which the exit begins; when absent or negative, at the end.',
  }),
};
const WORDS = {
  startWord: wordAnchor(
    'Word of the slide’s speech at which it begins; `startTime` applies if the word is not spoken.',
  ),
  exitWord: wordAnchor(
    'Word of the slide’s speech at which its exit begins; `exitTime` applies if the word is not spoken.',
  ),
};
const DEFAULT_SECONDS = 0.5;

/** An entrance by its name, or `{type, exitType, startTime, startWord, duration, exitDuration, exitTime, exitWord}`; reads as null when nothing moves. */
export const ANIMATION = special<string | Readonly<Record<string, unknown>> | null, ObjectAnimation | null>(
  {
    description: 'How it appears and disappears. Names are read in any spelling: `fade_in`, `fadeIn`, `fade-in`.',
    anyOf: [
      { type: 'string', enum: [...namesOf(ENTRANCES)] },
      {
        type: 'object',
        properties: {
          type: { type: 'string', enum: [...namesOf(ENTRANCES)], default: 'none' },
          exitType: { type: 'string', enum: [...namesOf(EXITS)], default: 'none' },
          ...TIMES,
          ...WORDS,
        },
      },
    ],
  },
  readAnimation,
);

function readAnimation(raw: unknown, place: DocumentPosition): ObjectAnimation | null {
  const source = isRecord(raw) ? raw : { type: raw };
  const entrance = readName(ENTRANCES, source['type'], isRecord(raw) ? place.at('type') : place);
  const exit = readName(EXITS, source['exitType'], place.at('exitType'));
  const read = reading({ ...TIMES, ...WORDS }, source, place);
  const startSeconds = read('startTime') ?? read('delay') ?? 0;
  const exitTime = read('exitTime') ?? -1;
  const [startWord, exitWord] = [read('startWord'), read('exitWord')];
  const isTimed = startSeconds > 0 || exitTime >= 0 || startWord !== null || exitWord !== null;
  if (entrance === 'none' && exit === 'none' && !isTimed) return null;
  const entranceSeconds = read('duration') ?? DEFAULT_SECONDS;
  return {
    entrance,
    exit,
    startSeconds,
    entranceSeconds,
    exitSeconds: read('exitDuration') ?? entranceSeconds,
    exitAt: exitTime < 0 ? null : exitTime,
    startWord,
    exitWord,
  };
}

/** `fadeIn`, `fade-in` and `Fade In` are `fade_in`. */
function readName<T extends { readonly none: unknown }>(
  table: T,
  raw: unknown,
  place: DocumentPosition,
): keyof T & string {
  if (typeof raw !== 'string') return 'none';
  const name = raw
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[-\s]+/g, '_')
    .toLowerCase();
  if (isNameOf(table, name)) return name;
  if (name !== '') place.note(`the animation ${quote(raw)} is not known`, 'warning');
  return 'none';
}
