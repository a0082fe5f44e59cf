import { ENTRANCES, type Entrance, EXITS, type Exit, namesOf } from '@figurehead/contract/document';
import type { ObjectAnimation } from './document.js';
import { describe, Fields, isRecord } from './fields.js';

const DEFAULT_ANIMATION_SECONDS = 0.5;

/** `fadeIn`, `fade-in` and `Fade In` are `fade_in`. */
function animationName(raw: unknown): string {
  return typeof raw === 'string'
    ? raw
        .replace(/([a-z])([A-Z])/g, '$1_$2')
        .replace(/[-\s]+/g, '_')
        .toLowerCase()
    : '';
}

/** The `animation` of an object or a slide: a name, or `{type, exitType, startTime, duration, exitDuration, exitTime}`; null when it stands still. */
export function parseAnimation(owner: Fields): ObjectAnimation | null {
  const raw = owner.get('animation');
  const source = isRecord(raw) ? raw : { type: raw };
  const fields = new Fields(source, isRecord(raw) ? `${owner.at}.animation` : owner.at, owner.problems);
  const find = <T extends string>(key: string, known: readonly T[], none: T): T => {
    const name = animationName(source[key]);
    const found = known.find((value) => value === name);
    if (found === undefined && name !== '') {
      fields.note(isRecord(raw) ? key : 'animation', `the animation ${describe(source[key])} is not known`, 'warning');
    }
    return found ?? none;
  };
  const entrance: Entrance = find('type', namesOf(ENTRANCES), 'none');
  const exit: Exit = find('exitType', namesOf(EXITS), 'none');
  const seconds = { fallback: DEFAULT_ANIMATION_SECONDS, min: 0, max: 60 };
  const startSeconds = fields.number('startTime', {
    fallback: fields.number('delay', { fallback: 0, min: 0, max: 3600 }),
    min: 0,
    max: 3600,
  });
  const exitTime = fields.number('exitTime', { fallback: -1, max: 3600 });
  if (entrance === 'none' && exit === 'none' && startSeconds === 0 && exitTime < 0) return null;
  const entranceSeconds = fields.number('duration', seconds);
  return {
    entrance,
    exit,
    startSeconds,
    entranceSeconds,
    exitSeconds: fields.number('exitDuration', { ...seconds, fallback: entranceSeconds }),
    exitAt: exitTime < 0 ? null : exitTime,
  };
}
