import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SAMPLE_RATE } from '../time.js';
import type { Pose, SpokenStretch } from './contract.js';
import { createLiveFace, type LiveFace } from './track.js';

const FRAME = 1920;

/** `vowels` syllables "ba" of 200 ms each. */
function babble(start: number, vowels: number): SpokenStretch {
  const phonemes = Array.from({ length: vowels * 2 }, (_, i) => ({
    phone: i % 2 === 0 ? 'b' : 'a',
    stress: 1 as const,
    start: Math.floor(i / 2) * 9600 + (i % 2) * 3360,
    end: Math.floor(i / 2) * 9600 + (i % 2 === 0 ? 3360 : 9600),
  }));
  return {
    start,
    samples: vowels * 9600,
    marks: { phonemes, words: [] },
    energy: new Float32Array(vowels * 20).fill(0.8),
  };
}

/** Poses frame by frame; `act` may speak, cut or change state before a frame. */
function play(face: LiveFace, count: number, act: (frame: number) => void = () => undefined): Pose[] {
  return Array.from({ length: count }, (_, frame) => {
    act(frame);
    return face.poseAt(frame * FRAME);
  });
}

function largestStep(poses: readonly Pose[], of: (pose: Pose) => number): number {
  return poses.reduce((largest, pose, i) => {
    const before = poses[i - 1];
    return before === undefined ? largest : Math.max(largest, Math.abs(of(pose) - of(before)));
  }, 0);
}

describe('a live face', () => {
  it('speaks speech that is added while it runs, without a jump even when it starts at once', () => {
    const face = createLiveFace(3);
    const poses = play(face, 100, (frame) => {
      if (frame === 25) face.addStretch(babble(25 * FRAME, 10));
    });
    expect(Math.max(...poses.slice(27, 70).map((pose) => pose.mouth.open))).toBeGreaterThan(0.4);
    expect(poses.at(-1)?.mouth.open).toBe(0);
    expect(largestStep(poses, (pose) => pose.mouth.open)).toBeLessThanOrEqual(0.36);
    expect(largestStep(poses, (pose) => pose.head.pitch)).toBeLessThan(0.02);
    expect(largestStep(poses, (pose) => pose.breath)).toBeLessThan(1.2);
  });

  it('closes the mouth smoothly within 250 ms when it is interrupted at any point of a word', () => {
    for (let at = 30; at < 40; at++) {
      const face = createLiveFace(3);
      const poses = play(face, 100, (frame) => {
        if (frame === 5) face.addStretch(babble(25 * FRAME, 20));
        if (frame === at) face.cutAt(frame * FRAME);
      });
      expect(poses[at + 7]?.mouth.open).toBeLessThan(0.03);
      expect(Math.max(...poses.slice(at + 8).map((pose) => pose.mouth.open))).toBeLessThan(0.01);
      expect(largestStep(poses, (pose) => pose.mouth.open)).toBeLessThanOrEqual(0.4);
      expect(largestStep(poses, (pose) => pose.head.yaw)).toBeLessThan(0.02);
    }
  });

  it('speaks again after an interruption', () => {
    const face = createLiveFace(3);
    const poses = play(face, 120, (frame) => {
      if (frame === 5) face.addStretch(babble(10 * FRAME, 20));
      if (frame === 30) face.cutAt(frame * FRAME);
      if (frame === 50) face.addStretch(babble(52 * FRAME, 8));
    });
    expect(Math.max(...poses.slice(55, 80).map((pose) => pose.mouth.open))).toBeGreaterThan(0.4);
  });

  it('closes the lips for every b of consecutive stretches', () => {
    const face = createLiveFace(1);
    const poses = play(face, 160, (frame) => {
      if (frame % 50 === 10 && frame < 150) face.addStretch(babble((frame + 5) * FRAME, 10));
    });
    for (let syllable = 0; syllable < 20; syllable++) {
      const middle = 15 * FRAME + syllable * 9600 + 1680;
      const near = poses.filter((_, frame) => Math.abs(frame * FRAME - middle) <= FRAME);
      expect(near.some((pose) => (pose.mouth.consonants.PP ?? 0) > 0.97)).toBe(true);
    }
  });

  it('fades between states within 300 ms: looks away while thinking, looks back while listening', () => {
    const face = createLiveFace(5);
    const poses = play(face, 500, (frame) => {
      if (frame === 100) face.setState('thinking', frame * FRAME);
      if (frame === 300) face.setState('listening', frame * FRAME);
    });
    const away = (from: number, to: number): number =>
      poses.slice(from, to).reduce((sum, { gaze, head }) => sum + Math.abs(gaze.x + 40 * head.yaw), 0) / (to - from);
    expect(away(110, 300)).toBeGreaterThan(1.5);
    expect(away(310, 500)).toBeLessThan(1.2);
    expect(largestStep(poses, (pose) => pose.head.yaw)).toBeLessThan(0.015);
    expect(largestStep(poses, (pose) => pose.brow)).toBeLessThan(0.05);
  });

  it('never changes a pose that was already returned', () => {
    const face = createLiveFace(9);
    const before = play(face, 40);
    face.addStretch(babble(41 * FRAME, 4));
    face.setState('thinking', 0);
    for (const [i, pose] of before.entries()) {
      if (i >= 20) expect(face.poseAt(i * FRAME).head).toEqual(pose.head);
    }
  });

  it('prunes the past: an hour of speech takes no more memory than a minute', () => {
    const face = createLiveFace(2);
    const seconds = 3600;
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    collect();
    const heap = process.memoryUsage().heapUsed;
    for (let second = 0; second < seconds; second += 2) {
      face.addStretch(babble(second * SAMPLE_RATE + FRAME, 8));
      face.poseAt(second * SAMPLE_RATE);
      face.poseAt((second + 1) * SAMPLE_RATE);
    }
    collect();
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(2_000_000);
  });
});
