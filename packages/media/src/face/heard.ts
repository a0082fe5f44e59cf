import type { HeardSpeech } from './contract.js';
import { ms, smoothstep } from './easing.js';
import { loudnessAt, type MouthPart, presence } from './movement.js';
import { VISEMES } from './visemes.js';

/** Number of loudness values around an instant, and their spacing. */
const HEARD = { values: 17, step: ms(20) } as const;
/** Cross-fade between two sounds: this time on either side of their border. */
const CROSS = ms(30);
/** Maximum distance of parts that affect an instant. */
export const HEARD_REACH = (HEARD.step * (HEARD.values - 1)) / 2;

/** The speech around `sample`, from parts within {@link HEARD_REACH} in order of time. */
export function heardAt(parts: readonly MouthPart[], sample: number): HeardSpeech {
  const visemes = new Float32Array(VISEMES.length);
  let sum = 0;
  for (const part of parts) {
    const weight =
      smoothstep(part.start - CROSS, part.start + CROSS, sample) *
      (1 - smoothstep(part.end - CROSS, part.end + CROSS, sample)) *
      presence(part.lifetime, sample);
    const index = VISEMES.indexOf(part.articulation.viseme);
    visemes[index] = (visemes[index] ?? 0) + weight;
    sum += weight;
  }
  if (sum > 1) for (let i = 0; i < visemes.length; i++) visemes[i] = (visemes[i] ?? 0) / sum;
  else visemes[0] = (visemes[0] ?? 0) + 1 - sum;
  const loudness = new Float32Array(HEARD.values).map((_, i) => {
    const at = sample + (i - (HEARD.values - 1) / 2) * HEARD.step;
    const part = parts.find(({ start, end }) => at >= start && at < end);
    return part === undefined ? 0 : (loudnessAt(part.voice, at) ?? 0) * presence(part.lifetime, at);
  });
  return { visemes, loudness };
}
