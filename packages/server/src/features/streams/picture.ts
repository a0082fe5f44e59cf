import type { StreamInput } from '@figurehead/contract';
import type { Static } from '@sinclair/typebox';
import { invalidFields } from '../../kernel/http-error.js';

/** How a stream looks. */
export interface StreamPicture {
  readonly width: number;
  readonly height: number;
  /** `#rrggbb`. */
  readonly background: string;
}

const DEFAULTS: StreamPicture = { width: 512, height: 512, background: '#ffffff' };

/** Longest side of a live picture in px: more than 1280 is more than one core encodes in time. */
const LONGEST_SIDE = 1280;

/** What a body asks for, with defaults. Throws a 400 that names the field. */
export function pictureOf(input: Static<typeof StreamInput>): StreamPicture {
  const { width = DEFAULTS.width, height = DEFAULTS.height, background = DEFAULTS.background } = input;
  const tooLong = ([['width', width], ['height', height]] as const).find(([, side]) => side > LONGEST_SIDE);
  if (tooLong !== undefined) throw invalidFields([{ field: tooLong[0], message: `must be <= ${LONGEST_SIDE}` }]);
  const colour = hexColour(background);
  if (colour === undefined) throw invalidFields([{ field: 'background', message: 'must be a colour such as #1f2937' }]);
  return { width, height, background: colour };
}

function hexColour(text: string): string | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text);
  if (short !== null) return `#${short.slice(1).map((digit) => digit + digit).join('')}`.toLowerCase();
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined;
}
