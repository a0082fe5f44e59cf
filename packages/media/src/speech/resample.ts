import { av, avc, checkAv } from '../encode/av.js';

/** Filter length in samples of the lower rate, and pass band: flat to 0.85 of the lower Nyquist rate, images below −70 dB. */
const FILTER_SIZE = 48;
const CUTOFF = 0.955;

/** A context for each pair of rates, kept because computing its filter takes longer than using it; native memory, which is not freed. */
const contexts = new Map<string, av.SoftwareResampleContext>();

/**
 * A whole buffer at another rate by FFmpeg's libswresample, without delay: `ceil(samples.length × to ÷ from)` samples; silence is assumed around the
 * buffer. The same input gives the same bytes. Both rates in whole samples per second.
 */
export function resampled(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples;
  const out = new Float32Array(Math.ceil((samples.length * to) / from));
  const rates = `${from}:${to}`;
  const kept = contexts.get(rates);
  // Another initialisation drops the end of the last buffer.
  if (kept) checkAv(kept.init(), 'preparing the resampler');
  const context = kept ?? openContext(from, to);
  contexts.set(rates, context);
  let at = converted(context, out, samples);
  while (at < out.length) {
    const more = converted(context, out.subarray(at), null);
    if (more === 0) break;
    at += more;
  }
  return out;
}

/**
 * A resampler for sound that arrives in pieces: its output lags by some samples until the end. The creator closes it.
 */
export interface StreamResampler {
  push(samples: Float32Array): Float32Array;
  /** Returns the remaining samples. */
  end(): Float32Array;
  close(): void;
}

/** Both rates in whole samples per second. */
export function openResampler(from: number, to: number): StreamResampler {
  if (from === to) return { push: (samples) => samples, end: () => new Float32Array(0), close: () => undefined };
  const context = openContext(from, to);
  const convert = (samples: Float32Array | null): Float32Array => {
    // The filter retains fewer samples than its length.
    const out = new Float32Array(Math.ceil((((samples?.length ?? 0) + 2 * FILTER_SIZE) * to) / from));
    return out.subarray(0, converted(context, out, samples));
  };
  return { push: (samples) => convert(samples), end: () => convert(null), close: () => context.free() };
}

function openContext(from: number, to: number): av.SoftwareResampleContext {
  const context = new av.SoftwareResampleContext();
  const [layout, format] = [avc.AV_CHANNEL_LAYOUT_MONO, avc.AV_SAMPLE_FMT_FLT];
  checkAv(context.allocSetOpts2(layout, format, to, layout, format, from), 'preparing the resampler');
  checkAv(context.setOption('filter_size', FILTER_SIZE), 'preparing the resampler');
  checkAv(context.setOption('cutoff', CUTOFF), 'preparing the resampler');
  checkAv(context.init(), 'preparing the resampler');
  return context;
}

/** Writes the resampler's output into `out`; `null` flushes the end of the sound. Returns the number of samples. */
function converted(context: av.SoftwareResampleContext, out: Float32Array, samples: Float32Array | null): number {
  const count = context.convertSync([bytesOf(out)], out.length, samples && [bytesOf(samples)], samples?.length ?? 0);
  checkAv(count, 'resampling');
  return count;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
