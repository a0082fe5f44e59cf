import type { DrawingKernel } from './kernel.js';

/** A plane of bytes in the kernel's memory; `at` is the address of its first sample. */
export interface Plane {
  readonly at: number;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

/** Position of a resampled plane: sample i shows the source at `(i + origin + 0.5) / scale - 0.5 - sourceOrigin`. */
export interface Resampling {
  readonly scale: number;
  readonly originX: number;
  readonly originY: number;
  readonly sourceX: number;
  readonly sourceY: number;
  /** `sharp`: Catmull-Rom, overshoots at edges; `soft`: tent; `wide`: a tent as wide as `sharp`. */
  readonly filter: 'sharp' | 'soft' | 'wide';
}

/** Resamples a plane to a different size; the filter widens when the picture shrinks. */
export function resamplePlane({ run, arena }: DrawingKernel, from: Plane, to: Plane, how: Resampling): void {
  const columns = buildTaps(from.width, to.width, { ...how, origin: how.originX, source: how.sourceX, multiple: 8 });
  const rows = buildTaps(from.height, to.height, { ...how, origin: how.originY, source: how.sourceY, multiple: 1 });
  const stride = Math.ceil(from.width / 8) * 8 + 8;
  const between = arena.allocate(stride * to.height * 2);
  const upload = ({ starts, weights }: Taps): { starts: number; weights: number } => {
    const at = { starts: arena.allocate(starts.byteLength), weights: arena.allocate(weights.byteLength) };
    arena.ints(at.starts, starts.length).set(starts);
    arena.shorts(at.weights, weights.length).set(weights);
    return at;
  };
  const row = upload(rows);
  const column = upload(columns);
  run.filterColumns(between, stride, from.at, from.stride, from.width, to.height, row.starts, row.weights, rows.count);
  run.filterRows(to.at, to.stride, between, stride, to.width, to.height, column.starts, column.weights, columns.count);
  for (const block of [between, row.starts, row.weights, column.starts, column.weights]) arena.free(block);
}

interface Taps {
  readonly count: number;
  readonly starts: Int32Array;
  readonly weights: Int16Array;
}

interface TapOptions {
  readonly scale: number;
  readonly origin: number;
  readonly source: number;
  readonly filter: Resampling['filter'];
  /** The number of taps is a multiple of this. */
  readonly multiple: number;
}

/** Weights of the source samples under each output sample; weights outside go to the outermost sample. */
function buildTaps(sourceLength: number, length: number, options: TapOptions): Taps {
  const spread = Math.max(1, 1 / options.scale);
  const radius = (options.filter === 'soft' ? 1 : 2) * spread;
  const used = Math.min(Math.ceil(2 * radius) + 1, sourceLength);
  const count = Math.ceil(used / options.multiple) * options.multiple;
  const starts = new Int32Array(length);
  const weights = new Int16Array(length * count);
  const exact = new Float64Array(used);
  for (let i = 0; i < length; i++) {
    const centre = (i + options.origin + 0.5) / options.scale - 0.5 - options.source;
    const first = Math.ceil(centre - radius);
    const start = Math.min(Math.max(first, 0), sourceLength - used);
    exact.fill(0);
    let sum = 0;
    for (let at = first; at <= centre + radius; at++) {
      const distance = Math.abs(at - centre) / spread;
      const weight = options.filter === 'sharp' ? catmullRom(distance) : Math.max(0, 1 - (distance * spread) / radius);
      const slot = Math.min(Math.max(at, 0), sourceLength - 1) - start;
      exact[Math.min(Math.max(slot, 0), used - 1)]! += weight;
      sum += weight;
    }
    starts[i] = start;
    for (let t = 0; t < used; t++) weights[i * count + t] = Math.min(32767, Math.round((exact[t]! / sum) * 32768));
  }
  return { count, starts, weights };
}

/** Catmull and Rom, "A class of local interpolating splines", 1974; 0 from a distance of 2 on. */
function catmullRom(x: number): number {
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
}
