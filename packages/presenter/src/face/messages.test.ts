import { expect, it } from 'vitest';
import type { SpokenStretch } from './contract.js';
import { readStretch, stretchMessage } from './messages.js';
import { createFaceTrack } from './track.js';

const phones = ['h', 'ə', 'l', 'o', 'ʊ', '', 'w', 'ɜ', 'l', 'd'];
const STRETCH: SpokenStretch = {
  start: 12_345,
  samples: 48_000,
  marks: {
    phonemes: phones.map((phone, i) => ({ phone, stress: i === 3 ? 1 : 0, start: i * 4801, end: (i + 1) * 4801 - 1 })),
    words: [
      { text: 'hello', textStart: 0, textEnd: 5, start: 0, end: 24_000 },
      { text: 'world.', textStart: 6, textEnd: 12, start: 28_000, end: 47_000 },
    ],
  },
  energy: new Float32Array(100).map((_, i) => Math.abs(Math.sin(i / 7))),
};

it('speech as it is sent to a viewer moves the presenter as the speech itself', () => {
  const read = readStretch(JSON.parse(JSON.stringify(stretchMessage(STRETCH))));
  const [here, there] = [STRETCH, read].map((stretch) => createFaceTrack({ seed: 7, stretches: [stretch] }));
  for (let sample = 0; sample < 96_000; sample += 960) {
    const [a, b] = [here!.poseAt(sample), there!.poseAt(sample)];
    expect(b.head).toEqual(a.head);
    expect(Math.abs(b.mouth.open - a.mouth.open)).toBeLessThan(0.002);
  }
});
