import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSpeech, energyOf, type ProviderName, type Speech } from '../../../media/src/speech/index.js';
import { ENERGY_HOP } from '../marks.js';
import type { FaceTrack, MouthPose, SpokenStretch } from './contract.js';
import { createFaceTrack } from './track.js';

const FRAME = 1920;
const START = 48_000;
const VOWEL = /[iyɨʉɯuɪʏʊeøɘɵɤoəɛœɜɞʌɔæɐaɶɑɒᵻɚ]/u;

/** Opening between the lips, reduced by the weight of pictures with closed lips. */
const aperture = ({ open, consonants: { PP = 0, FF = 0 } }: MouthPose): number => open * Math.max(0, 1 - PP - FF);

describe('the mouth on real speech', () => {
  let speech: Speech;
  beforeAll(() => {
    speech = createSpeech({ threads: 1 });
  });
  afterAll(() => speech.close());

  const cases: { provider: ProviderName; voice: string; text: string; least: number }[] = [
    {
      provider: 'flite',
      voice: 'rms',
      text: 'Peter Piper picked a peck of pickled peppers. My mum bought five big maps from the book shop.',
      least: 0.62,
    },
    {
      provider: 'flite',
      voice: 'slt',
      text: 'Would you believe that most people give up before they begin? Five of the seven teams improved.',
      least: 0.6,
    },
    {
      provider: 'espeak',
      voice: 'de',
      text: 'Bitte beachten Sie den Hinweis auf dem Bildschirm. Wir sprechen im Moment über Probleme und Pläne.',
      // espeak speaks faster, and these sentences close the lips in every other word.
      least: 0.53,
    },
    {
      provider: 'espeak',
      voice: 'es',
      text: 'Mi amigo Pablo compra pan para su familia. Me parece un buen ejemplo para empezar hoy.',
      least: 0.53,
    },
  ];

  it.each(cases)('closes, opens and stays in sync for $provider:$voice', async ({ provider, voice, text, least }) => {
    const { samples, marks } = await speech.utter(provider, text, { voice });
    const stretch: SpokenStretch = { start: START, samples: samples.length, marks, energy: energyOf(samples) };
    const track = createFaceTrack({ seed: 3, stretches: [stretch] });
    expect(closureRecall(track, stretch)).toBeGreaterThanOrEqual(0.98);
    const { lagMs, r } = follow(track, stretch);
    expect(r).toBeGreaterThan(least);
    expect(lagMs).toBeGreaterThanOrEqual(-45);
    expect(lagMs).toBeLessThanOrEqual(15);
  });
});

/** Share of p, b and m with closed lips in some frame within 40 ms of the middle, for any phase of the frames. */
function closureRecall(track: FaceTrack, stretch: SpokenStretch): number {
  let all = 0;
  let shut = 0;
  for (const { phone, start, end } of stretch.marks.phonemes) {
    if (!/[pbm]/u.test(phone)) continue;
    const middle = START + (start + end) / 2;
    for (let phase = 0; phase < FRAME; phase += 480) {
      all++;
      const first = Math.ceil((middle - FRAME - phase) / FRAME) * FRAME + phase;
      for (let sample = first; sample <= middle + FRAME; sample += FRAME) {
        if (aperture(track.poseAt(sample).mouth) > 0.02) continue;
        shut++;
        break;
      }
    }
  }
  expect(all).toBeGreaterThan(20);
  return shut / all;
}

/** Best correlation of the opening with the loudness of vowels, and the delay of the opening at that correlation. */
function follow(track: FaceTrack, { marks, energy }: SpokenStretch): { lagMs: number; r: number } {
  const vowels = new Float32Array(energy.length);
  for (const { phone, start, end } of marks.phonemes) {
    if (!VOWEL.test(phone)) continue;
    for (let k = Math.ceil(start / ENERGY_HOP); k * ENERGY_HOP < end; k++) vowels[k] = energy[k] ?? 0;
  }
  let best = { lagMs: 0, r: -1 };
  for (let lag = -9; lag <= 9; lag++) {
    const open = vowels.map((_, k) => aperture(track.poseAt(START + (k + lag) * ENERGY_HOP).mouth));
    const r = correlation(open, vowels);
    if (r > best.r) best = { lagMs: (lag * ENERGY_HOP) / 48, r };
  }
  return best;
}

function correlation(a: Float32Array, b: Float32Array): number {
  const mean = (values: Float32Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = (a[i] ?? 0) - meanA;
    const y = (b[i] ?? 0) - meanB;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / Math.sqrt(aa * bb);
}
