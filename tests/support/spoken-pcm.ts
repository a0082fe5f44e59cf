import { createSpeech } from '@figurehead/media';

const TEXT = 'Good morning. My name is Nora, and I am happy to show you around the museum today.';

/** A greeting of about five seconds in mono PCM of 16 bits. @param rate Hz; a divisor of 48 000. */
export async function spokenPcm(rate: number): Promise<Buffer> {
  const speech = createSpeech({ threads: 1 });
  const { samples } = await speech.utter('flite', TEXT, { voice: 'slt' });
  await speech.close();
  const kept = samples.filter((_, at) => at % (48_000 / rate) === 0);
  return Buffer.from(Int16Array.from(kept, (sample) => 32_767 * sample).buffer);
}
