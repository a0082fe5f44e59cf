import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';
import { limitPeaks } from '../../loudness.js';

/** Span of the sound in an engine's raw output, in its own samples. */
interface SoundSpan {
  readonly from: number;
  readonly to: number;
}

/** Fades at the ends of a chunk, in seconds: a glottal period in, a breath out. */
const FADE_IN_SECONDS = 0.004;
const FADE_OUT_SECONDS = 0.02;

/**
 * Finishes 48 kHz speech: cuts it to the span, fades its ends to zero, applies the voice's constant gain and limits the
 * peaks.
 */
export function master(samples: Pcm, span: SoundSpan, gain: number): Pcm {
  return limitPeaks(levelled(samples, span, gain));
}

/** As {@link master}, without limiting the peaks. */
export function levelled(samples: Pcm, span: SoundSpan, gain: number): Pcm {
  const from = Math.max(0, Math.min(span.from, samples.length));
  const out = samples.slice(from, Math.max(from, span.to));
  for (let n = 0; n < out.length; n++) out[n]! *= gain;
  const fadeIn = Math.min(out.length, Math.round(FADE_IN_SECONDS * SAMPLE_RATE));
  const fadeOut = Math.min(out.length, Math.round(FADE_OUT_SECONDS * SAMPLE_RATE));
  for (let n = 0; n < fadeIn; n++) out[n]! *= raisedCosine(n / fadeIn);
  for (let n = 0; n < fadeOut; n++) out[out.length - 1 - n]! *= raisedCosine(n / fadeOut);
  return out;
}

/** 0…1 for 0…1, smooth at both ends. */
export function raisedCosine(x: number): number {
  return 0.5 - 0.5 * Math.cos(Math.PI * x);
}
