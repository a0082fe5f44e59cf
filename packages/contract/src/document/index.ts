/** The video document: its tables (object types, animations, transitions, codecs, providers) and how it is read. */
export * from './animation.js';
export * from './codec.js';
export * from './document.js';
export * from './expression.js';
export * from './face-points.js';
export { isRecord, type Problem } from './field.js';
export * from './fonts.js';
export * from './framing.js';
export { CUT_OUTS, type CutOut } from './objects/avatar.js';
export type { CanvasSize, EditGroup, Placed } from './objects/base.js';
export {
  type AvatarObject,
  CanvasObject,
  creatableTypes,
  type ImageObject,
  MAX_OBJECTS,
  newObject,
  objectTypeOf,
  type SceneObject,
  type TextObject,
  type VideoObject,
} from './objects/index.js';
export { presenterBox } from './objects/presenter-place.js';
export { OBJECTS, type ObjectType } from './objects/table.js';
export { MAX_TEXT } from './objects/text.js';
export type { StyledRange, TextStyle } from './objects/text-style.js';
export * from './output.js';
export { type Gradient, isColor, type Paint, type Shadow } from './paint.js';
export * from './provider.js';
export * from './ssml.js';
export * from './table.js';
export * from './template.js';
export { textsOf, type VideoText, withTexts } from './texts.js';
export * from './timing.js';
export * from './transition.js';
export { anchorOf, type WordAnchor, wordAt } from './word-anchor.js';
