import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectLinearIn } from '../../../../tests/support/growth.js';
import type { PhonemeMark } from '../marks.js';
import { ENERGY_HOP } from '../marks.js';
import { SAMPLE_RATE } from '../time.js';
import type { ConsonantShape, Expression, FaceTrack, MouthPose, Pose, SpokenStretch } from './contract.js';
import { SHAPE_GAPS } from './curves.js';
import { createFaceTrack } from './track.js';

const FRAME = 1920;
const START = SAMPLE_RATE;

/** Gap between the lips in a pose as a share of the widest open mouth's, from the gaps measured in the packs' pictures. */
function aperture(mouth: MouthPose): number {
  const { open } = mouth;
  const jaw = open < 0.3 ? 1.2 * open : open < 0.62 ? 0.36 + (open - 0.3) : 0.68 + 0.84 * (open - 0.62);
  let grid = 1;
  let sum = 0;
  for (const [name, weight] of Object.entries(mouth.consonants) as [ConsonantShape, number][]) {
    grid -= weight;
    sum += weight * SHAPE_GAPS[name];
  }
  return sum + Math.max(0, grid) * jaw;
}

/** Speech from phones with durations in ms; loud in vowels. */
function speech(
  phones: readonly (readonly [phone: string, ms: number, stress?: 0 | 1 | 2])[],
  start = START,
): SpokenStretch {
  let at = 0;
  const phonemes: PhonemeMark[] = phones.map(([phone, ms, stress = 0]) => {
    const begin = at;
    at += Math.round((ms * SAMPLE_RATE) / 1000);
    return { phone, stress, start: begin, end: at };
  });
  const energy = new Float32Array(Math.ceil(at / ENERGY_HOP));
  for (const { phone, start: from, end } of phonemes) {
    const level = phone === '' ? 0 : /[aeiouæɑɔəɛɪʊʌ]/u.test(phone) ? 0.9 : 0.45;
    energy.fill(level, Math.floor(from / ENERGY_HOP), Math.ceil(end / ENERGY_HOP));
  }
  return { start, samples: at, marks: { phonemes, words: [] }, energy };
}

const trackOf = (stretch: SpokenStretch, seed = 1, expression: Expression = 'neutral'): FaceTrack =>
  createFaceTrack({ seed, stretches: [stretch], expression });

const frames = (track: FaceTrack, from: number, to: number): Pose[] => {
  const poses: Pose[] = [];
  for (let sample = Math.ceil(from / FRAME) * FRAME; sample < to; sample += FRAME) poses.push(track.poseAt(sample));
  return poses;
};

const PHONES = 'p b m p b m f v θ ð t d n l s z ʃ tʃ dʒ k ɡ ŋ ɹ w j h i ɪ eɪ ɛ æ ɑ ɔ oʊ ʊ u ʌ ə ɚ aɪ aʊ ɔɪ y ø ʁ'.split(
  ' ',
);
const anySpeech = fc
  .array(fc.tuple(fc.constantFrom(...PHONES, ''), fc.integer({ min: 45, max: 220 }), fc.constantFrom(0, 1, 2)), {
    minLength: 3,
    maxLength: 60,
  })
  .map((phones) => speech(phones as [string, number, 0 | 1 | 2][]));

describe('the mouth', () => {
  it('closes the lips in some frame within 40 ms of the middle of every p, b and m', () => {
    let all = 0;
    let shut = 0;
    fc.assert(
      fc.property(anySpeech, fc.constantFrom('neutral', 'friendly', 'excited' as const), (stretch, expression) => {
        const track = trackOf(stretch, 5, expression);
        for (const { phone, start, end } of stretch.marks.phonemes) {
          if (!['p', 'b', 'm'].includes(phone)) continue;
          const middle = stretch.start + (start + end) / 2;
          all++;
          if (frames(track, middle - FRAME, middle + FRAME).some((pose) => aperture(pose.mouth) < 0.03)) shut++;
        }
      }),
      { numRuns: 250, seed: 11 },
    );
    expect(all).toBeGreaterThan(150);
    expect(shut / all).toBeGreaterThanOrEqual(0.98);
  });

  it('tucks the lip for every f and v', () => {
    const stretch = speech([
      ['f', 90],
      ['aɪ', 160, 1],
      ['v', 70],
      ['ə', 60],
      ['f', 60],
      ['ɔ', 120, 1],
    ]);
    const track = trackOf(stretch);
    for (const { phone, start, end } of stretch.marks.phonemes) {
      if (phone !== 'f' && phone !== 'v') continue;
      const middle = stretch.start + (start + end) / 2;
      const best = Math.max(...frames(track, middle - FRAME, middle + FRAME).map((p) => p.mouth.consonants.FF ?? 0));
      expect(best).toBeGreaterThan(0.9);
    }
  });

  it('keeps the jaw at 0.35 or less through a sibilant between open vowels', () => {
    for (const phone of ['s', 'z', 'ʃ', 'ʒ']) {
      const stretch = speech([
        ['a', 160, 1],
        [phone, 90],
        ['a', 160, 1],
      ]);
      const track = trackOf(stretch, 1, 'excited');
      for (let ms = 150; ms <= 230; ms += 5)
        expect(track.poseAt(START + ms * 48).mouth.open).toBeLessThanOrEqual(0.351);
    }
  });

  it('opens in every vowel and every sound with open lips', () => {
    for (const phone of ['i', 'u', 'ə', 't', 'k', 's', 'l', 'ɹ']) {
      const stretch = speech([
        ['b', 80],
        [phone, 90, 0],
        ['b', 80],
      ]);
      const poses = frames(trackOf(stretch), START, START + stretch.samples);
      expect(Math.max(...poses.map((pose) => aperture(pose.mouth)))).toBeGreaterThan(0.08);
    }
  });

  it('rounds for u, spreads for i, and opens wider for a than for i', () => {
    const at = (phone: string) =>
      trackOf(
        speech([
          ['t', 60],
          [phone, 200, 1],
          ['t', 60],
        ]),
      ).poseAt(START + 140 * 48).mouth;
    expect(at('u').width).toBeLessThan(-0.6);
    expect(at('i').width).toBeGreaterThan(0.45);
    expect(at('a').open).toBeGreaterThan(at('i').open + 0.25);
  });

  it.each([90, 130, 200])(
    'opens for i less than half and for u about a quarter as far as for a, in sounds of %i ms',
    (ms) => {
      const opening = (phone: string) => {
        const stretch = speech([
          ['t', 60],
          [phone, ms, 1],
          ['t', 60],
        ]);
        const track = trackOf(stretch);
        let widest = 0;
        for (let at = 60; at < 60 + ms; at += 5)
          widest = Math.max(widest, aperture(track.poseAt(START + at * 48).mouth));
        return widest;
      };
      expect(opening('i') / opening('a')).toBeGreaterThan(0.35);
      expect(opening('i') / opening('a')).toBeLessThan(0.55);
      expect(opening('u') / opening('a')).toBeGreaterThan(0.15);
      expect(opening('u') / opening('a')).toBeLessThan(0.35);
    },
  );

  it('opens wider for a loud vowel than for a quiet one', () => {
    const loud = speech([['a', 200, 1]]);
    const quiet = { ...loud, energy: loud.energy.map((value) => value * 0.4) };
    const middle = START + 90 * 48;
    expect(trackOf(loud).poseAt(middle).mouth.open).toBeGreaterThan(trackOf(quiet).poseAt(middle).mouth.open + 0.15);
  });

  it('holds through a pause of 80 ms and closes in one of 200 ms', () => {
    const least = (pause: number): number => {
      const stretch = speech([
        ['a', 180, 1],
        ['', pause],
        ['a', 180, 1],
      ]);
      const track = trackOf(stretch);
      let least = 1;
      for (let ms = 170; ms <= 190 + pause; ms += 5) least = Math.min(least, track.poseAt(START + ms * 48).mouth.open);
      return least;
    };
    expect(least(80)).toBeGreaterThan(0.4);
    expect(least(200)).toBeLessThan(0.02);
  });

  it('is perfectly still in silence', () => {
    const stretch = speech([
      ['h', 60],
      ['ɛ', 90],
      ['l', 70],
      ['oʊ', 180, 1],
      ['', 900],
      ['j', 60],
      ['ɛ', 120, 1],
      ['s', 130],
    ]);
    const track = trackOf(stretch, 3, 'neutral');
    const still = (from: number, to: number): void => {
      const first = track.poseAt(from).mouth;
      for (let sample = from; sample < to; sample += 480) expect(track.poseAt(sample).mouth).toEqual(first);
      expect(aperture(first)).toBeLessThan(0.01);
    };
    still(0, START - 12_000);
    still(START + 640 * 48, START + 1100 * 48);
    still(START + stretch.samples + 14_400, START + stretch.samples + 96_000);
  });

  it('never jumps more than 35 % of its range in a frame, the jaw beside closures 45 %, and weights sum to at most 1', () => {
    fc.assert(
      fc.property(
        anySpeech,
        fc.constantFrom('neutral', 'friendly', 'excited' as const),
        fc.nat(1919),
        (stretch, manner, phase) => {
          const track = trackOf(stretch, 9, manner);
          let last: MouthPose | undefined;
          for (let sample = phase; sample < START + stretch.samples + START; sample += FRAME) {
            const { mouth } = track.poseAt(sample);
            const sum = Object.values(mouth.consonants).reduce((a, b) => a + b, 0) + mouth.smile;
            expect(sum).toBeLessThanOrEqual(1 + 1e-6);
            if (last !== undefined) {
              const [jaw, lastJaw] = [mouth, last].map(({ open }) => aperture({ ...mouth, open, consonants: {} })) as [
                number,
                number,
              ];
              expect(Math.abs(jaw - lastJaw)).toBeLessThanOrEqual(0.45);
              const touches = stretch.marks.phonemes.some(
                ({ phone, start, end }) =>
                  /^[pbmfv]$/.test(phone) && sample > START + start - 7200 && sample - FRAME < START + end + 7200,
              );
              if (!touches) expect(Math.abs(aperture(mouth) - aperture(last))).toBeLessThanOrEqual(0.35);
              expect(Math.abs(mouth.width - last.width) / 2).toBeLessThanOrEqual(0.35);
              const closing = [mouth, last].some(({ consonants: c }) => (c.PP ?? 0) + (c.FF ?? 0) > 0.05);
              for (const name of ['TH', 'DD', 'nn', 'SS', 'CH', 'RR'] as const) {
                if (closing) continue;
                expect(Math.abs((mouth.consonants[name] ?? 0) - (last.consonants[name] ?? 0))).toBeLessThanOrEqual(
                  0.35,
                );
              }
            }
            last = mouth;
          }
        },
      ),
      { numRuns: 60, seed: 4 },
    );
  });

  it('is swept where it moves fast, and never while the lips are closed', () => {
    const track = trackOf(
      speech([
        ['t', 80],
        ['a', 120, 1],
        ['b', 90],
        ['a', 120, 1],
        ['s', 120],
      ]),
    );
    const mouths = frames(track, START - FRAME, START + SAMPLE_RATE).map(({ mouth }) => mouth);
    expect(mouths.filter(({ swept }) => swept !== undefined).length).toBeGreaterThan(1);
    for (const mouth of mouths) {
      if (mouth.swept === undefined) continue;
      expect(aperture(mouth)).toBeGreaterThan(0);
      expect(Math.abs(aperture(mouth.swept[1]) - aperture(mouth.swept[0]))).toBeGreaterThan(0.03);
    }
  });

  it('leads the voice: the opening correlates best with vowels 0 to 45 ms later, r ≥ 0.6', () => {
    const words = 'm a t i k ɔ n ə p e l u s a b ɛ d o ʃ ɪ f a ɡ ʌ'.split(' ');
    const stretch = speech(
      Array.from(
        { length: 120 },
        (_, i) => [words[((i * 7 + (i >> 4)) % 24) ^ (i & 1)] ?? 'a', 60 + ((i * 37) % 70), 1] as const,
      ),
    );
    const track = trackOf(stretch);
    const open: number[] = [];
    const loud: number[] = [];
    for (const { phone, start, end } of stretch.marks.phonemes) {
      for (let s = Math.ceil(start / 480) * 480; s < end; s += 480) {
        open.push(aperture(track.poseAt(START + s).mouth));
        loud.push(/[aeiouɛɪɔʌə]/u.test(phone) ? 0.9 : 0);
      }
    }
    const r = (lag: number): number => correlation(open.slice(12 + lag, open.length - 12 + lag), loud.slice(12, -12));
    const lags = Array.from({ length: 19 }, (_, i) => i - 9);
    const best = lags.reduce((a, b) => (r(b) > r(a) ? b : a));
    expect(r(best)).toBeGreaterThan(0.6);
    expect(best * 10).toBeGreaterThanOrEqual(-45);
    expect(best * 10).toBeLessThanOrEqual(15);
  });
});

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (v: readonly number[]): number => v.reduce((x, y) => x + y, 0) / v.length;
  const [ma, mb] = [mean(a), mean(b)];
  let ab = 0;
  let aa = 0;
  let bb = 0;
  a.forEach((x, i) => {
    const y = (b[i] ?? 0) - mb;
    ab += (x - ma) * y;
    aa += (x - ma) ** 2;
    bb += y * y;
  });
  return ab / Math.sqrt(aa * bb);
}

describe('a face track', () => {
  const sentence = speech([
    ['h', 60],
    ['ɛ', 90, 0],
    ['l', 70, 1],
    ['oʊ', 180, 1],
    ['', 300],
    ['w', 70, 1],
    ['ɜ', 130, 1],
    ['l', 60],
    ['d', 90],
  ]);

  it('gives the same pose for a sample in any order of calls', () => {
    const samples = Array.from({ length: 400 }, (_, i) => i * 977 + 13);
    const forward = trackOf(sentence, 42);
    const expected = samples.map((sample) => forward.poseAt(sample));
    const shuffled = samples.map((_, i) => (i * 173) % samples.length);
    const other = trackOf(sentence, 42);
    for (const i of shuffled) expect(other.poseAt(samples[i] ?? 0)).toEqual(expected[i]);
  });

  it('moves differently for another seed, but speaks the same', () => {
    const a = trackOf(sentence, 1).poseAt(START + 9600);
    const b = trackOf(sentence, 2).poseAt(START + 9600);
    expect(a.mouth).toEqual(b.mouth);
    expect(a.head).not.toEqual(b.head);
    expect(a.gaze).not.toEqual(b.gaze);
  });

  it('does not depend on speech long before', () => {
    const far = 600 * SAMPLE_RATE;
    const alone = createFaceTrack({ seed: 1, stretches: [{ ...sentence, start: far }] });
    const after = createFaceTrack({ seed: 1, stretches: [sentence, { ...sentence, start: far }] });
    expect(after.poseAt(far + 12_000).mouth).toEqual(alone.poseAt(far + 12_000).mouth);
  });

  it('returns poses within the limits of the presenter packs, also after hours', () => {
    for (const from of [0, 3 * 3600 * SAMPLE_RATE]) {
      const track = createFaceTrack({
        seed: 8,
        expression: 'excited',
        stretches: [{ ...sentence, start: from + START }],
      });
      for (const pose of frames(track, from, from + 10 * SAMPLE_RATE)) {
        expect(Math.abs(pose.head.yaw)).toBeLessThanOrEqual(0.26);
        expect(Math.abs(pose.head.pitch)).toBeLessThanOrEqual(0.1);
        expect(Math.abs(pose.head.roll)).toBeLessThanOrEqual(0.07);
        expect(Math.hypot(pose.gaze.x)).toBeLessThanOrEqual(8);
        expect(pose.lids).toBeGreaterThanOrEqual(0);
        expect(pose.lids).toBeLessThanOrEqual(1);
        expect(pose.brow).toBeGreaterThanOrEqual(-0.5);
        expect(pose.brow).toBeLessThanOrEqual(1);
      }
    }
  });

  it('computes random poses at the end of ten minutes of speech as fast as those of nine seconds', async () => {
    // 64 times as many phones: a search through all of them would take 64 times as long. Five seconds, because poses near each
    // other share work.
    const window = 5 * SAMPLE_RATE;
    await expectLinearIn(80, (size) => {
      const count = size ** 2;
      const stretch = speech(
        Array.from({ length: count }, (_, i) => [PHONES[i % PHONES.length] ?? 'a', 90, (i % 3) as 0 | 1 | 2] as const),
      );
      const track = trackOf(stretch);
      return () => {
        for (let i = 0; i < 2000; i++) track.poseAt(stretch.samples - window + ((i * 7_919_017) % window));
      };
    });
  });
});

describe('the idle movements of the face', () => {
  const blinks = (track: FaceTrack, from: number, to: number): number => {
    let count = 0;
    let shut = false;
    for (let sample = from; sample < to; sample += 960) {
      const { lids } = track.poseAt(sample);
      if (!shut && lids > 0.9) count++;
      shut = lids > 0.9 || (shut && lids > 0.3);
    }
    return count;
  };
  const minutes = (n: number): number => n * 60 * SAMPLE_RATE;

  it('blinks every 3.5 s at rest and every 2.3 s in speech, 15 % of them twice', () => {
    const idle = createFaceTrack({ seed: 4, stretches: [] });
    expect((10 * 60) / blinks(idle, 0, minutes(10))).toBeCloseTo(3.5 / 1.15, 0);
    const talk = createFaceTrack({
      seed: 4,
      stretches: [{ start: 0, samples: minutes(10), marks: { phonemes: [], words: [] }, energy: new Float32Array(0) }],
    });
    const gap = (10 * 60) / blinks(talk, 0, minutes(10));
    expect(gap).toBeGreaterThan(1.75);
    expect(gap).toBeLessThan(2.4);
  });

  it('shuts its lids faster than it opens them, which takes four to six pictures of a video', () => {
    const track = createFaceTrack({ seed: 4, stretches: [] });
    const lids = Array.from({ length: 1500 }, (_, frame) => track.poseAt(frame * 1920).lids);
    const runs = (isMoving: (now: number, next: number) => boolean) =>
      lids.reduce((sum, now, i) => sum + (isMoving(now, lids[i + 1] ?? now) ? 1 : 0), 0);
    const count = blinks(track, 0, 1500 * 1920);
    const opening = runs((now, next) => next < now - 0.005) / count;
    expect(opening).toBeGreaterThanOrEqual(4);
    expect(opening).toBeLessThanOrEqual(6);
    expect(runs((now, next) => next > now + 0.005) / count).toBeLessThan(opening);
  });

  it('looks into the camera 70 to 85 % of the time in speech', () => {
    const stretch = { start: 0, samples: minutes(5), marks: { phonemes: [], words: [] }, energy: new Float32Array(0) };
    const track = createFaceTrack({ seed: 12, stretches: [stretch] });
    const poses = frames(track, SAMPLE_RATE, minutes(5));
    // Adds the head's rotation, against which the eyes turn, to get the direction of gaze.
    const contact = poses.filter(({ gaze, head }) => Math.hypot(gaze.x + 40 * head.yaw, gaze.y - 30 * head.pitch) < 1);
    expect(contact.length / poses.length).toBeGreaterThan(0.7);
    expect(contact.length / poses.length).toBeLessThan(0.9);
  });

  it('breathes in before it speaks', () => {
    const start = 20 * SAMPLE_RATE;
    const said = createFaceTrack({ seed: 2, stretches: [speech([['a', 300, 1]], start)] });
    const silent = createFaceTrack({ seed: 2, stretches: [] });
    expect(said.poseAt(start).breath - silent.poseAt(start).breath).toBeGreaterThan(1);
    expect(said.poseAt(start - 40_000).breath).toBe(silent.poseAt(start - 40_000).breath);
  });

  it('smiles when friendly, never when serious', () => {
    expect(createFaceTrack({ seed: 1, stretches: [], expression: 'friendly' }).poseAt(0).mouth.smile).toBeGreaterThan(
      0.1,
    );
    expect(createFaceTrack({ seed: 1, stretches: [], expression: 'serious' }).poseAt(0).mouth.smile).toBe(0);
  });

  it('turns, nods and tilts the head in speech, by amounts as of a calm person, never against a stop', () => {
    const syllables = Array.from({ length: 400 }, (_, i) =>
      i % 24 > 21 ? (['', 400, 0] as const) : ([i % 2 ? 'a' : 't', 150, i % 6 === 1 ? 1 : 0] as const),
    );
    const stretch = speech(syllables);
    const heads = [1, 2, 3, 4].flatMap((seed) =>
      frames(trackOf(stretch, seed), START, START + stretch.samples).map(({ head }) => head),
    );
    for (const [axis, least, most, stop] of [
      ['yaw', 1.5, 6, 0.26],
      ['pitch', 0.7, 3, 0.1],
      ['roll', 0.7, 3, 0.07],
    ] as const) {
      const angles = heads.map((head) => head[axis]);
      const mean = angles.reduce((sum, angle) => sum + angle, 0) / angles.length;
      const deviation = Math.sqrt(angles.reduce((sum, angle) => sum + (angle - mean) ** 2, 0) / angles.length);
      expect((deviation * 180) / Math.PI, axis).toBeGreaterThan(least);
      expect((deviation * 180) / Math.PI, axis).toBeLessThan(most);
      expect(Math.max(...angles.map(Math.abs)), axis).toBeLessThan(stop);
    }
  });

  it('nods on stress and moves the head no faster than a person who talks calmly', () => {
    const stretch = speech(
      Array.from({ length: 80 }, (_, i) => [i % 2 ? 'a' : 't', 100, i % 6 === 1 ? 1 : 0] as const),
    );
    const track = trackOf(stretch, 6);
    const poses = frames(track, START, START + stretch.samples);
    let fastest = 0;
    poses.forEach((pose, i) => {
      const before = poses[i - 1];
      if (before !== undefined) fastest = Math.max(fastest, Math.abs(pose.head.pitch - before.head.pitch) / 0.04);
    });
    expect(fastest).toBeGreaterThan(0.06);
    expect(fastest).toBeLessThan(0.5);
  });
});
