import { SAMPLE_RATE } from '@figurehead/presenter/time';

/** Mono PCM at {@link SAMPLE_RATE}; full scale is ±1. */
export type Pcm = Float32Array;

/** `samples` silent samples. */
export function silence(samples: number): Pcm {
  return new Float32Array(samples);
}

/** All `parts` in one buffer. */
export function concatPcm(parts: readonly Pcm[]): Pcm {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Samples of signed 16-bit little-endian sound. */
export function readPcm(bytes: Buffer): Pcm {
  const samples = new Float32Array(bytes.length / 2);
  for (let at = 0; at < samples.length; at++) samples[at] = bytes.readInt16LE(2 * at) / 32_768;
  return samples;
}
