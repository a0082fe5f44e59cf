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
function openPacers(count: number, isResting = () => false) {
  const clock = new Heartbeat();
  const log: { pacer: number; kind: 'audio' | 'video'; atMs: number; sample: number }[] = [];
  const pacers = Array.from({ length: count }, (_, pacer) => {
    const note = (kind: 'audio' | 'video') => (sample: number) => {
      log.push({ pacer, kind, atMs: performance.now(), sample });
    };
    return new Pacer({ onAudio: note('audio'), onVideo: note('video'), isResting }, 25, clock);
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
    // Groups of four, spread over all places.
    const moments = [...new Set(pictures.map(({ atMs }) => atMs))].sort((a, b) => a - b);
    expect(moments.length).toBe(8);
    for (const moment of moments) expect([4, 8]).toContain(pictures.filter(({ atMs }) => atMs === moment).length);
    const gaps = moments.slice(1).map((moment, index) => moment - moments[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5);
  });

  it('sends the sound of a moment before its pictures', () => {
    const { log } = openPacers(8);
    vi.advanceTimersByTime(1000);
    const moments = new Set(log.filter(({ kind }) => kind === 'video').map(({ atMs }) => atMs));
    for (const moment of moments) {
      const kinds = log.filter(({ atMs }) => atMs === moment).map(({ kind }) => kind);
      expect(kinds).toEqual([...kinds].sort());
    }
  });

  it('serves those that rest together, every 20 ms, and sends all of theirs', () => {
    let resting = true;
    const { log } = openPacers(40, () => resting);
    vi.advanceTimersByTime(1000);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBeLessThanOrEqual(51);
    expect(log.filter(({ kind }) => kind === 'audio').length).toBe(40 * 50);
    expect(log.filter(({ kind }) => kind === 'video').length).toBe(40 * 25);
    resting = false;
    vi.advanceTimersByTime(40);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBeGreaterThan(190);
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
