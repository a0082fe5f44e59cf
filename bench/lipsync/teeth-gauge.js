/**
 * Measures how much of the upper and the lower row of teeth an open mouth shows, from pixels alone. Teeth are the pixels between the
 * lips that are bright and far less red than lips, tongue and skin. A tooth above the middle of its column's gap belongs to the upper
 * row: only frames with a wide open mouth are measured, in which the rows are apart.
 */

import { median } from '../statistics.js';
import { colourOf, strangenessOf, stripOf } from './mouth-gauge.js';

/** Half width of the strip, in halves of the mouth region's width: the front teeth. */
const HALF = 0.36;
/** Least luma of a tooth as a share of the closed mouth's, and greatest share of its redness (Cr − 128). */
const LEAST_LUMA = 0.6;
const GREATEST_REDNESS = 0.6;
/** A mouth that is open this share of its range is wide open. */
const WIDE = 0.6;

/** The pixels of one frame that {@link calibrateTeeth} needs. */
export function teethStripOf(
  /** @type {import('./mouth-gauge.js').YuvFrame} */ frame,
  /** @type {import('./mouth-gauge.js').MouthPlace} */ place,
) {
  return stripOf(frame, place, HALF);
}

/**
 * Learns from strips of the closed mouth; returns a function that gives the visible area of both rows of teeth in px of chroma
 * resolution (a quarter of the frame's px).
 */
export function calibrateTeeth(/** @type {readonly import('./mouth-gauge.js').Strip[]} */ closed) {
  const strangeness = strangenessOf(closed);
  const seen = closed.flatMap(({ colours }) => Array.from(colours, colourOf));
  const luma = median(seen.map((colour) => colour.luma));
  const redness = median(seen.map((colour) => colour.v - 128));
  const isTooth = (/** @type {number} */ cell) => {
    const colour = colourOf(cell);
    return strangeness(cell) >= 0.5 && colour.luma >= LEAST_LUMA * luma && colour.v - 128 <= GREATEST_REDNESS * redness;
  };
  return (/** @type {import('./mouth-gauge.js').Strip} */ { columns, rows, colours }) => {
    const area = { upper: 0, lower: 0 };
    for (let column = 0; column < columns; column++) {
      const cells = Array.from({ length: rows }, (_, row) => colours[row * columns + column] ?? 0);
      const isInside = (/** @type {number} */ cell) => strangeness(cell) >= 0.5;
      const middle = (cells.findIndex(isInside) + cells.findLastIndex(isInside)) / 2;
      for (const [row, cell] of cells.entries()) if (isTooth(cell)) area[row <= middle ? 'upper' : 'lower']++;
    }
    return area;
  };
}

/** Mean visible area of both rows over the frames with a wide open mouth, and upper ÷ lower; undefined without such frames. */
export function teethShown(
  /** @type {readonly number[]} */ gaps,
  /** @type {readonly { upper: number, lower: number }[]} */ areas,
) {
  const range = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length * 0.995)] ?? 0;
  const wide = areas.filter((_, frame) => range > 0 && (gaps[frame] ?? 0) >= WIDE * range);
  if (wide.length === 0) return undefined;
  const upper = wide.reduce((sum, area) => sum + area.upper, 0) / wide.length;
  const lower = wide.reduce((sum, area) => sum + area.lower, 0) / wide.length;
  return { upper, lower, ratio: upper / Math.max(lower, 1) };
}
