import { avatar } from './avatar.js';
import { circle, ellipse } from './ellipse.js';
import { group } from './group.js';
import { line } from './line.js';
import { image, video } from './media.js';
import { path, polygon, polyline } from './path.js';
import { rect } from './rect.js';
import { text, textbox } from './text.js';
import { triangle } from './triangle.js';

/** Every type of object on a canvas, by the name that documents use. */
export const OBJECTS = {
  text,
  textbox,
  image,
  rect,
  circle,
  ellipse,
  triangle,
  line,
  path,
  polygon,
  polyline,
  group,
  avatar,
  video,
} as const;
export type ObjectType = keyof typeof OBJECTS;
