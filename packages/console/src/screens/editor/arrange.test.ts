import { describe, expect, it } from 'vitest';
import { type Arrangement, arranged } from './arrange.js';
import type { CanvasBox } from './canvas/guides.js';

const CANVAS = { width: 640, height: 360 };
const box = (x: number, y: number, width = 100, height = 50): CanvasBox => ({ x, y, width, height });

/** Left and top edges after the arrangement. */
function after(how: Arrangement, ...boxes: CanvasBox[]) {
  const offsets = arranged(new Map(boxes.entries()), how, CANVAS);
  return boxes.map(({ x, y }, index) => [x + (offsets.get(index)?.dx ?? 0), y + (offsets.get(index)?.dy ?? 0)]);
}

describe('arranging objects', () => {
  it('aligns several with the box around them, and moves them on one axis only', () => {
    const boxes = [box(10, 0), box(50, 80, 200), box(30, 200)];
    expect(after('left', ...boxes)).toEqual([
      [10, 0],
      [10, 80],
      [10, 200],
    ]);
    expect(after('right', ...boxes)).toEqual([
      [150, 0],
      [50, 80],
      [150, 200],
    ]);
    expect(after('center', ...boxes).map(([x]) => x)).toEqual([80, 30, 80]);
    expect(after('bottom', ...boxes).map(([, y]) => y)).toEqual([200, 200, 200]);
  });

  it('aligns one alone with the canvas', () => {
    expect(after('center', box(10, 20))).toEqual([[270, 20]]);
    expect(after('middle', box(10, 20))).toEqual([[10, 155]]);
    expect(after('right', box(10, 20))).toEqual([[540, 20]]);
  });

  it('spaces three or more evenly between the outer ones, in their order on the canvas', () => {
    expect(after('across', box(400, 0), box(0, 0), box(120, 0, 200)).map(([x]) => x)).toEqual([400, 0, 150]);
    expect(after('down', box(0, 0), box(0, 300), box(0, 60)).map(([, y]) => y)).toEqual([0, 300, 150]);
    expect(after('across', box(0, 0), box(300, 0))).toEqual([
      [0, 0],
      [300, 0],
    ]);
  });
});
