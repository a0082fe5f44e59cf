import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Heartbeat } from './heartbeat.js';
import { Pacer } from './pacer.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** So many pacers on one clock; `log` tells what each of them sent. */
function openPacers(count: number) {
  const clock = new Heartbeat();
  const log: { pacer: number; kind: 'audio' | 'video'; atMs: number; sample: number }[] = [];
  const pacers = Array.from({ length: count }, (_, pacer) => {
    const note = (kind: 'audio' | 'video') => (sample: number) => {
      log.push({ pacer, kind, atMs: performance.now(), sample });
    };
    return new Pacer({ onAudio: note('audio'), onVideo: note('video') }, 25, clock);
  });
  for (const pacer of pacers) pacer.start();
  return { log, pacers };
}

describe('the heartbeat', () => {
  it('sends everybody’s sound and pictures when they are due, to 6 ms', () => {
    const { log, pacers } = openPacers(20);
    vi.advanceTimersByTime(2000);
    for (const pacer of pacers.keys()) {
      const own = log.filter((entry) => entry.pacer === pacer);
      const audio = own.filter(({ kind }) => kind === 'audio');
      expect(audio.length).toBeGreaterThanOrEqual(98);
      expect(own.length - audio.length).toBeGreaterThanOrEqual(49);
      const [first] = audio;
      const late = own.map(({ atMs, sample }) => atMs - first!.atMs - sample / 48);
      expect(Math.max(...late.map(Math.abs))).toBeLessThanOrEqual(6);
    }
  });

  it('wakes once for what is due together, and spreads pictures over the whole period', () => {
    const { log } = openPacers(40);
    vi.advanceTimersByTime(1000);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBeLessThanOrEqual(201);
    const all = log.filter(({ kind }) => kind === 'video');
    const pictures = all.filter(({ atMs }) => atMs < all[0]!.atMs + 39);
    expect(pictures.length).toBeGreaterThanOrEqual(35);
    for (const { atMs } of pictures) {
      expect(pictures.filter((other) => other.atMs === atMs).length).toBeLessThanOrEqual(5);
    }
  });

  it('takes up where places became free, and rests when nobody is left', () => {
    const { log, pacers } = openPacers(8);
    vi.advanceTimersByTime(500);
    for (const pacer of pacers) pacer.stop();
    vi.advanceTimersByTime(100);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(log).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
