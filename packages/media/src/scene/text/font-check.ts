import type { Problem, VideoDocument } from '@figurehead/contract/document';
import { everyObject } from '../resolved-slide.js';
import type { Fonts } from './fonts.js';

/** A warning for every text whose font family is neither shipped nor uploaded; it is drawn in Inter. */
export function checkFonts(document: VideoDocument, fonts: Fonts): Problem[] {
  const problems: Problem[] = [];
  for (const slide of document.slides) {
    for (const object of everyObject(slide.objects)) {
      if (object.type !== 'text' && object.type !== 'textbox') continue;
      const { fontFamily } = object.style;
      if (fonts.has(fontFamily)) continue;
      const message = `the font "${fontFamily}" is not available; Inter is used instead`;
      problems.push({ path: `${object.at}.fontFamily`, message, level: 'warning' });
    }
  }
  return problems;
}
