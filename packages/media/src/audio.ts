import { SAMPLE_RATE } from './time.js';

/** Mono PCM at {@link SAMPLE_RATE}; full scale is ±1. */
export type Pcm = Float32Array;

/** A new buffer of `samples` silent samples. */
export function silence(samples: number): Pcm {
  return new Float32Array(samples);
}

/** One buffer holding all `parts` in order. */
export function concatPcm(parts: readonly Pcm[]): Pcm {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Duration in seconds. */
export function pcmSeconds(pcm: Pcm): number {
  return pcm.length / SAMPLE_RATE;
}
