import { describe, expect, it } from 'vitest';
import { ENERGY_HOP, type PhonemeMark, type WordMark } from '../marks.js';
import { SAMPLE_RATE } from '../time.js';
import { ARMS, type FaceTrack, type SpokenStretch } from './contract.js';
import { createFaceTrack, createLiveFace } from './track.js';

const FRAME = SAMPLE_RATE / 25;

/** Speech of words: two syllables of 0.2 s each, the first stressed; `|` is a pause of 0.8 s. */
function speech(text: string, start = SAMPLE_RATE): SpokenStretch {
  const phonemes: PhonemeMark[] = [];
  const words: WordMark[] = [];
  let at = 0;
  for (const word of text.split(' ')) {
    if (word === '|') {
      at += 0.8 * SAMPLE_RATE;
      continue;
    }
    const from = at;
    for (const [phone, stress] of [
      ['m', 0],
      ['a', 1],
      ['n', 0],
      ['ə', 0],
    ] as const) {
      phonemes.push({ phone, stress, start: at, end: at + 0.1 * SAMPLE_RATE });
      at += 0.1 * SAMPLE_RATE;
    }
    words.push({ text: word, textStart: 0, textEnd: word.length, start: from, end: at });
  }
  const energy = new Float32Array(Math.ceil(at / ENERGY_HOP)).fill(0.6);
  return { start, samples: at, marks: { phonemes, words }, energy };
}

const SENTENCES = `${'one two three four five six. | seven eight nine ten eleven! | '.repeat(6)}twelve thirteen?`;

/** The gestures of a track as runs of frames in which an arm moves. */
function gesturesOf(track: FaceTrack, seconds: number): { from: number; to: number; shape: string }[] {
  const runs: { from: number; to: number; shape: string }[] = [];
  for (let frame = 0; frame < seconds * 25; frame++) {
    const { arms } = track.poseAt(frame * FRAME);
    if (arms === undefined) continue;
    const shape = ARMS.flatMap((arm) => (arms[arm] ? [`${arm} ${arms[arm].motion}`] : [])).join(', ');
    const last = runs.at(-1);
    if (last?.to === frame && last.shape === shape) last.to = frame + 1;
    else runs.push({ from: frame, to: frame + 1, shape });
  }
  return runs;
}

describe('gestures', () => {
  const stretch = speech(SENTENCES);
  const seconds = Math.ceil((stretch.start + stretch.samples) / SAMPLE_RATE) + 3;
  const trackOf = (seed: number, spoken = stretch, gestures = true): FaceTrack =>
    createFaceTrack({ seed, stretches: [spoken], gestures });

  it('leave the rest and return to it, seconds apart, and never begin or hold in a pause', () => {
    const shapes = new Set<string>();
    for (const seed of [1, 2, 3, 4]) {
      const runs = gesturesOf(trackOf(seed), seconds);
      expect(runs.length).toBeGreaterThan(3);
      expect(runs.at(-1)!.to).toBeLessThan(seconds * 25);
      runs.forEach(({ from, shape }, i) => {
        shapes.add(shape);
        if (i > 0) expect(from - runs[i - 1]!.to).toBeGreaterThanOrEqual(2 * 25 - 1);
        const soon = (from / 25 + 0.3) * SAMPLE_RATE - stretch.start;
        expect(stretch.marks.words.some((word) => word.start <= soon && word.end >= soon - 0.3 * SAMPLE_RATE)).toBe(
          true,
        );
      });
    }
    expect(shapes.size).toBeGreaterThanOrEqual(6);
  });

  it('move smoothly: at most a third of the way between two frames', () => {
    for (const seed of [1, 2]) {
      const track = trackOf(seed);
      for (const arm of ARMS) {
        let last = 0;
        for (let frame = 0; frame < seconds * 25; frame++) {
          const amount = track.poseAt(frame * FRAME).arms?.[arm]?.amount ?? 0;
          expect(Math.abs(amount - last)).toBeLessThan(0.34);
          last = amount;
        }
      }
    }
  });

  it('follow the sentence: palms open at a question, strokes on the items of a list', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const [question] = gesturesOf(trackOf(seed, speech('one two three four five six?')), 8);
      expect(question!.shape).toMatch(/^(left|right) open(, right open)?$/);
      const list = trackOf(seed, speech('one two three, four five, six seven, eight nine.'));
      const [first] = gesturesOf(list, 10);
      expect(first!.shape).toMatch(/beat/);
      expect(first!.to - first!.from).toBeGreaterThan(2 * 25);
    }
  });

  it('are the same for the same seed in any order, and can be switched off', () => {
    const [track, again] = [trackOf(7), trackOf(7)];
    const samples = Array.from({ length: seconds * 5 }, (_, i) => i * 5 * FRAME);
    const backwards = samples.toReversed().map((sample) => again.poseAt(sample).arms);
    expect(samples.map((sample) => track.poseAt(sample).arms)).toEqual(backwards.toReversed());
    expect(gesturesOf(trackOf(7, stretch, false), seconds)).toEqual([]);
  });

  it('return to the rest when live speech is interrupted', () => {
    const face = createLiveFace(3);
    face.poseAt(0);
    face.addStretch(stretch);
    const [first] = gesturesOf(createFaceTrack({ seed: 3, stretches: [stretch] }), seconds);
    const cut = (first!.from + 8) * FRAME;
    let last = 1;
    for (let sample = 0; sample < cut; sample += FRAME) face.poseAt(sample);
    face.cutAt(cut);
    for (let sample = cut; sample < cut + SAMPLE_RATE; sample += FRAME) {
      const { arms } = face.poseAt(sample);
      const amount = Math.max(0, ...ARMS.map((arm) => arms?.[arm]?.amount ?? 0));
      expect(amount).toBeLessThanOrEqual(last + 1e-9);
      last = amount;
    }
    expect(last).toBe(0);
  });
});
