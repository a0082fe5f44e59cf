import type { LipSync } from '@figurehead/sdk';

/** Heights of the lanes, px. */
const WAVE = 84;
const MARKS = 26;
const CURVE = 34;
const GAP = 8;
const RULER = 20;
/** Width of the labels on the left, px. */
const NAMES = 78;

/** Width of a time on the ruler, px. */
const TICK = 64;

/** The page's current colours for drawing. */
export interface Inks {
  readonly text: string;
  readonly quiet: string;
  readonly line: string;
  readonly ground: string;
  readonly soft: string;
  readonly accent: string;
  readonly head: string;
}

/** The visible part of the video: start and length in seconds, width in px. */
export interface View {
  readonly from: number;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
}

/** Height of all lanes together, px. */
export function heightOf(sync: Pick<LipSync, 'curves'>): number {
  return RULER + WAVE + 2 * (MARKS + GAP) + sync.curves.length * (CURVE + GAP) + GAP;
}

/** The view around a second: it stays in place until the playhead leaves it, so that it is readable during playback. */
export function viewAround(at: number, before: View, duration: number): View {
  const { seconds, from } = before;
  const last = Math.max(0, duration - seconds);
  if (at >= from && at <= from + seconds && from <= last) return before;
  return { ...before, from: Math.min(last, Math.max(0, at - seconds * 0.1)) };
}

/** The second at a position of the drawing. */
export function secondAt(x: number, view: View): number {
  return view.from + ((x - NAMES) / Math.max(1, view.width - NAMES)) * view.seconds;
}

/** The entry at a second; at a border the later one. */
export function entryAt<T extends { readonly start: number; readonly end: number }>(
  list: readonly T[],
  second: number,
): T | undefined {
  return list.findLast((one) => one.start <= second && second < one.end);
}

/** The value of a curve in the frame at a second. */
export function valueAt(values: readonly number[], second: number, fps: number): number {
  const frame = Math.min(values.length - 1, Math.max(0, Math.floor(second * fps + 1e-6)));
  return values[frame] ?? 0;
}

/** Draws waveform, words, phonemes and curves with the playhead over them. The context is scaled to CSS px. */
export function drawTracks(context: CanvasRenderingContext2D, sync: LipSync, view: View, at: number, inks: Inks): void {
  const { width, height, from, seconds } = view;
  const x = (second: number) => NAMES + ((second - from) / seconds) * (width - NAMES);
  context.clearRect(0, 0, width, height);
  context.font = '11px "Inter Variable", sans-serif';
  context.textBaseline = 'middle';
  let top = 0;
  const lane = (name: string, laneHeight: number, draw: (top: number) => void) => {
    context.fillStyle = inks.quiet;
    context.textAlign = 'left';
    context.fillText(name, 0, top + laneHeight / 2, NAMES - 8);
    context.save();
    context.beginPath();
    context.rect(NAMES, top, width - NAMES, laneHeight);
    context.clip();
    draw(top);
    context.restore();
    top += laneHeight + GAP;
  };

  ruler(context, { view, x, inks });
  top = RULER;
  lane('Sound', WAVE, (y) => wave(context, { sync, view, x, y, inks }));
  const spans = (list: readonly { readonly start: number; readonly end: number }[], nameOf: (at: number) => string) => {
    lane(list === sync.words ? 'Words' : 'Phonemes', MARKS, (y) => {
      list.forEach((one, index) => {
        const [left, right] = [x(one.start), x(one.end)];
        if (right < NAMES || left > width) return;
        const now = one.start <= at && at < one.end;
        context.fillStyle = now ? inks.accent : inks.soft;
        context.beginPath();
        context.roundRect(left + 0.5, y, Math.max(1, right - left - 1), MARKS, 4);
        context.fill();
        if (right - left < 9) return;
        context.fillStyle = now ? inks.ground : inks.text;
        context.textAlign = 'center';
        context.fillText(nameOf(index), (left + right) / 2, y + MARKS / 2, right - left - 4);
      });
    });
  };
  spans(sync.words, (index) => sync.words[index]?.text ?? '');
  spans(sync.phonemes, (index) => sync.phonemes[index]?.phoneme ?? '');
  for (const { name, values } of sync.curves) {
    lane(name, CURVE, (y) => curve(context, { values, fps: sync.fps, view, x, y, inks }));
  }
  context.fillStyle = inks.head;
  context.fillRect(Math.round(x(at)) - 1, 0, 2, height);
}

interface Placed {
  readonly view: View;
  readonly x: (second: number) => number;
  readonly inks: Inks;
}

function ruler(context: CanvasRenderingContext2D, { view, x, inks }: Placed): void {
  const most = Math.max(2, (view.width - NAMES) / TICK);
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300].find((one) => view.seconds / one <= most) ?? 600;
  context.textAlign = 'center';
  for (let tick = Math.ceil(view.from / step - 1e-6) * step; tick <= view.from + view.seconds + 1e-6; tick += step) {
    const place = Math.round(x(tick)) + 0.5;
    context.fillStyle = inks.line;
    context.fillRect(place, RULER - 4, 1, view.height);
    if (place < NAMES + 14 || place > view.width - 14) continue;
    context.fillStyle = inks.quiet;
    context.fillText(`${tick.toFixed(step < 1 ? 1 : 0)} s`, place, RULER / 2 - 2);
  }
}

function wave(
  context: CanvasRenderingContext2D,
  { sync, view, x, y, inks }: Placed & { readonly sync: LipSync; readonly y: number },
): void {
  const { peaks, peaksPerSecond } = sync;
  context.fillStyle = inks.accent;
  for (let place = NAMES; place < view.width; place += 2) {
    const first = Math.floor(secondAt(place, view) * peaksPerSecond);
    const last = Math.max(first + 1, Math.floor(secondAt(place + 2, view) * peaksPerSecond));
    const loudest = Math.max(0, ...peaks.slice(Math.max(0, first), last));
    const size = Math.max(1, Math.min(1, loudest) * WAVE);
    context.fillRect(place, y + (WAVE - size) / 2, 1.4, size);
  }
  context.fillStyle = inks.line;
  context.fillRect(x(0), y + WAVE / 2, x(sync.duration) - x(0), 1);
}

function curve(
  context: CanvasRenderingContext2D,
  placed: Placed & { readonly values: readonly number[]; readonly fps: number; readonly y: number },
): void {
  const { values, fps, view, x, y, inks } = placed;
  context.fillStyle = inks.line;
  context.fillRect(NAMES, y + CURVE - 1, view.width - NAMES, 1);
  const first = Math.max(0, Math.floor(view.from * fps) - 1);
  const last = Math.min(values.length - 1, Math.ceil((view.from + view.seconds) * fps) + 1);
  if (last <= first) return;
  context.beginPath();
  context.moveTo(x((first + 0.5) / fps), y + CURVE);
  for (let frame = first; frame <= last; frame += 1) {
    const value = Math.min(1, Math.max(0, values[frame] ?? 0));
    context.lineTo(x((frame + 0.5) / fps), y + 1 + (1 - value) * (CURVE - 2));
  }
  context.lineTo(x((last + 0.5) / fps), y + CURVE);
  context.closePath();
  context.fillStyle = inks.soft;
  context.fill();
  context.strokeStyle = inks.accent;
  context.lineWidth = 1.4;
  context.stroke();
}
