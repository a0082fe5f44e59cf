import { writeFile } from 'node:fs/promises';
import { MAX_SOUND_SECONDS } from '@figurehead/contract';
import { decodeAudio, levelSpeech, SAMPLE_RATE } from '@figurehead/media';
import { refuseDamaged } from './clip-inspection.js';
import { RefusedFile } from './refused-file.js';

/**
 * Writes the sound of an uploaded file as PCM (48 kHz, mono, signed 16 bit, little-endian) at the loudness of synthesised speech. Runs in a separate
 * process. Throws {@link RefusedFile}, also for sound that is longer than {@link MAX_SOUND_SECONDS}.
 */
export async function decodeSound({ file, out }: { file: string; out: string }): Promise<{ seconds: number }> {
  const sound = await decodeAudio(file, { maxSeconds: MAX_SOUND_SECONDS + 1 }).catch(refuseDamaged);
  const seconds = sound.length / SAMPLE_RATE;
  if (seconds > MAX_SOUND_SECONDS) throw new RefusedFile(`it has more than ${MAX_SOUND_SECONDS} s of sound`);
  const pcm = Buffer.alloc(2 * sound.length);
  for (const [at, sample] of levelSpeech(sound).entries()) {
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), 2 * at);
  }
  await writeFile(out, pcm);
  return { seconds };
}
