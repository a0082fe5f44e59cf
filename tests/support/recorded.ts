import { writeFile } from 'node:fs/promises';

const HEADER_BYTES = 44;

/** Mono sound as a WAV file with 16-bit samples; samples beyond full scale are clipped. */
export function wavOf(samples: Float32Array, sampleRate = 48_000): Buffer {
  const wav = Buffer.alloc(HEADER_BYTES + samples.length * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((sample, index) => {
    wav.writeInt16LE(Math.round(32_767 * Math.max(-1, Math.min(1, sample))), HEADER_BYTES + index * 2);
  });
  return wav;
}

/** Writes {@link wavOf} to a file. @returns its path. */
export async function writeWav(file: string, samples: Float32Array, sampleRate?: number): Promise<string> {
  await writeFile(file, wavOf(samples, sampleRate));
  return file;
}

/** White noise of an amplitude; the same for the same seed. */
export function noise(samples: number, amplitude: number, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length: samples }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}

/** Speech as an amateur records it: silence before and after it, a quiet microphone, a hum and hiss in the room. */
export function asRecorded(
  speech: Float32Array,
  {
    gain = 0.2,
    hiss = 0.0008,
    before = 1,
    after = 1.5,
  }: Partial<Record<'gain' | 'hiss' | 'before' | 'after', number>> = {},
): Float32Array {
  const out = noise(Math.round((before + after) * 48_000) + speech.length, hiss);
  const from = Math.round(before * 48_000);
  for (let n = 0; n < out.length; n++) out[n]! += 0.5 * hiss * Math.sin((2 * Math.PI * 50 * n) / 48_000);
  for (let n = 0; n < speech.length; n++) out[from + n]! += gain * speech[n]!;
  return out;
}
