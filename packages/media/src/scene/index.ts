/** Public entry of `scene`: turns a slide document into a timeline, drawn shots and the video's sound. */
export {
  type ParsedDocument,
  type ParseOptions,
  type Problem,
  parseDocument,
  type SlideDocument,
  type VideoDocument,
} from '@figurehead/contract/document';
export { type Assets, ResourceOutage, SceneError } from './assets.js';
export type * from './contract.js';
export type { PackSource } from './resolved-slide.js';
export { type PlannedShot, planShots, type ShotOptions } from './shots.js';
export { checkFonts } from './text/font-check.js';
export { type CustomFont, FontError, type Fonts, openFonts, shippedFamilies } from './text/fonts.js';
export { openTextMeasure, type TextMeasure } from './text/text-width.js';
export { BLANK_EMOJI, blankEmojiFont, EMOJI_GLUE } from './text/whole-fonts/blank-emoji.js';
export { fontSettings } from './text/whole-fonts/font-settings.js';
export { OFFICE_DEFAULT, wholeFonts } from './text/whole-fonts/whole-fonts.js';
export { type MixOptions, mixSound } from './timeline/mix.js';
export { planTimeline, type SlideTime, type SpeechTrack, type Timeline } from './timeline/timeline.js';
