import { SAMPLE_RATE } from '@figurehead/presenter/time';
import type { Pcm } from '../../audio.js';

const HEADER_BYTES = 44;

/** The samples of a file by {@link encodeWav}. */
export function decodeWav(file: Buffer): Int16Array {
  return new Int16Array((file.length - HEADER_BYTES) >> 1).map((_, index) =>
    file.readInt16LE(HEADER_BYTES + index * 2),
  );
}

/** A WAV file: 16 bit, mono. Samples beyond full scale are cut off. @param sampleRate Hz. */
export function encodeWav(pcm: Pcm, sampleRate: number = SAMPLE_RATE): Buffer {
  const file = Buffer.alloc(HEADER_BYTES + pcm.length * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(pcm.length * 2, 40);
  pcm.forEach((sample, index) => {
    const clipped = Math.max(-1, Math.min(1, sample));
    file.writeInt16LE(Math.round(clipped * 32_767), HEADER_BYTES + index * 2);
  });
  return file;
}
