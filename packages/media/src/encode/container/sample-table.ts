import type { Run, TrackTables } from './mp4-boxes.js';

/** Collects one track's samples while the file is written. Run-length encoding keeps an hour's tables small. */
export class SampleTable {
  readonly sizes: number[] = [];
  readonly durations: { count: number; value: number }[] = [];
  readonly shifts: { count: number; value: number }[] = [];
  readonly keyframes: number[] = [];
  readonly chunks: { at: number; samples: number }[] = [];
  #end = -1;

  /** Adds a sample at byte `at` of the payload; `shift` is presentation time minus decoding time, ≥ 0. */
  add(sample: { at: number; size: number; duration: number; shift: number; keyframe: boolean }): void {
    this.sizes.push(sample.size);
    if (sample.keyframe) this.keyframes.push(this.sizes.length);
    extend(this.durations, sample.duration);
    extend(this.shifts, sample.shift);
    const chunk = this.chunks.at(-1);
    if (chunk && this.#end === sample.at) chunk.samples++;
    else this.chunks.push({ at: sample.at, samples: 1 });
    this.#end = sample.at + sample.size;
  }

  tables(): Pick<TrackTables, 'sizes' | 'durations' | 'shifts' | 'chunks'> {
    const shifts: readonly Run[] = this.shifts.every((run) => run.value === 0) ? [] : this.shifts;
    return { sizes: this.sizes, durations: this.durations, shifts, chunks: this.chunks };
  }
}

function extend(runs: { count: number; value: number }[], value: number): void {
  const last = runs.at(-1);
  if (last?.value === value) last.count++;
  else runs.push({ count: 1, value });
}
