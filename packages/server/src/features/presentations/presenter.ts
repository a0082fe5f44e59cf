import type { CanvasObject } from '@figurehead/contract';
import { FORMATS } from '@figurehead/contract';
import type { PageFrame } from './reading/frame.js';

/** A round presenter in the lower right corner: next to most pages' text, and easy to move. */
export function avatarObject(format: PageFrame['format']): CanvasObject {
  const { width, height } = FORMATS[format];
  const side = Math.round(Math.min(width, height) * 0.34);
  const margin = Math.round(side * 0.08);
  return {
    type: 'avatar',
    left: width - side - margin,
    top: height - side - margin,
    width: side,
    height: side,
    crop: 'circle',
    // A disc as background: without it the bust would have a straight lower cut.
    fill: '#e5e7eb',
  };
}
