/** The door of `scene`: a slide document becomes a timeline, drawn shots and the whole video's sound. */
export { type Assets, SceneError } from './assets.js';
export type { PackSource } from './cast.js';
export type * from './contract.js';
export {
  CANVAS_SIZES,
  ENTRANCES,
  EXITS,
  type Problem,
  type SlideDocument,
  TRANSITIONS,
  type VideoData,
  type VideoDocument,
} from './document.js';
export { checkFonts } from './font-check.js';
export { type CustomFont, FontError, type Fonts, openFonts, shippedFamilies } from './fonts.js';
export { type MixOptions, mixSound } from './mix.js';
export { type ParsedDocument, type ParseOptions, parseDocument } from './parse.js';
export { type PlannedShot, planShots, type ShotOptions } from './shots.js';
export { planTimeline, type SlideTime, type SpeechTrack, type Timeline } from './timeline.js';
export { BLANK_EMOJI, blankEmojiFont, EMOJI_GLUE, emojiAdvances } from './whole-fonts/blank-emoji.js';
export { drawEmoji } from './whole-fonts/emoji-picture.js';
export { familyAliases, OFFICE_DEFAULT, wholeFonts } from './whole-fonts/whole-fonts.js';
