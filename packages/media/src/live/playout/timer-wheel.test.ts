import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MediaClock } from './media-clock.js';
import { TimerWheel } from './timer-wheel.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Opens `count` media clocks on one timer wheel; `log` records what each of them sent. */
function openMediaClocks(count: number, isIdle = () => false, idleFrames = () => 0) {
  const clock = new TimerWheel();
  const log: { mediaClock: number; kind: 'audio' | 'video'; atMs: number; sample: number }[] = [];
  const mediaClocks = Array.from({ length: count }, (_, mediaClock) => {
    const note = (kind: 'audio' | 'video') => (sample: number) => {
      log.push({ mediaClock, kind, atMs: performance.now(), sample });
    };
    return new MediaClock({ onAudio: note('audio'), onVideo: note('video'), isIdle, idleFrames }, 25, clock);
  });
  for (const mediaClock of mediaClocks) mediaClock.start();
  return { log, mediaClocks };
}

describe('the timer wheel', () => {
  it('sends the sound and pictures of every session within 6 ms of their time', () => {
    const { log, mediaClocks } = openMediaClocks(20);
    vi.advanceTimersByTime(2000);
    for (const mediaClock of mediaClocks.keys()) {
      const own = log.filter((entry) => entry.mediaClock === mediaClock);
      const audio = own.filter(({ kind }) => kind === 'audio');
      expect(audio.length).toBeGreaterThanOrEqual(98);
      expect(own.length - audio.length).toBeGreaterThanOrEqual(49);
      const [first] = audio;
      const late = own.map(({ atMs, sample }) => atMs - first!.atMs - sample / 48);
      expect(Math.max(...late.map(Math.abs))).toBeLessThanOrEqual(6);
    }
  });

  it('wakes once for calls due together, and spreads pictures over the whole period', () => {
    const { log } = openMediaClocks(40);
    vi.advanceTimersByTime(1000);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBeLessThanOrEqual(201);
    const all = log.filter(({ kind }) => kind === 'video');
    const pictures = all.filter(({ atMs }) => atMs < all[0]!.atMs + 39);
    expect(pictures.length).toBeGreaterThanOrEqual(35);
    // Groups of four, spread over all phases.
    const moments = [...new Set(pictures.map(({ atMs }) => atMs))].sort((a, b) => a - b);
    expect(moments.length).toBe(8);
    for (const moment of moments) expect([4, 8]).toContain(pictures.filter(({ atMs }) => atMs === moment).length);
    const gaps = moments.slice(1).map((moment, index) => moment - moments[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5);
  });

  it('sends the sound of a slot before its pictures', () => {
    const { log } = openMediaClocks(8);
    vi.advanceTimersByTime(1000);
    const moments = new Set(log.filter(({ kind }) => kind === 'video').map(({ atMs }) => atMs));
    for (const moment of moments) {
      const kinds = log.filter(({ atMs }) => atMs === moment).map(({ kind }) => kind);
      expect(kinds).toEqual([...kinds].sort());
    }
  });

  it('puts off frames that need no call, without losing any, until it is told to catch up', () => {
    const { log, mediaClocks } = openMediaClocks(
      1,
      () => true,
      () => 14,
    );
    vi.advanceTimersByTime(3000);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBeLessThanOrEqual(11);
    const sounds = () => log.filter(({ kind }) => kind === 'audio').map(({ sample }) => sample);
    expect(sounds()).toEqual(sounds().map((_, at) => 960 * at));
    vi.advanceTimersByTime(110);
    mediaClocks[0]!.catchUp();
    expect(sounds().length).toBeGreaterThanOrEqual(153);
    expect(mediaClocks[0]!.stallCount).toBe(0);
  });

  it('runs idle sessions together every 20 ms, without losing any of their packets', () => {
    let idle = true;
    const { log } = openMediaClocks(40, () => idle);
    vi.advanceTimersByTime(1000);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBeLessThanOrEqual(51);
    expect(log.filter(({ kind }) => kind === 'audio').length).toBe(40 * 50);
    expect(log.filter(({ kind }) => kind === 'video').length).toBe(40 * 25);
    idle = false;
    vi.advanceTimersByTime(40);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(new Set(log.map(({ atMs }) => atMs)).size).toBeGreaterThan(190);
  });

  it('reuses free phases, and stops its timer after the last session', () => {
    const { log, mediaClocks } = openMediaClocks(8);
    vi.advanceTimersByTime(500);
    for (const mediaClock of mediaClocks) mediaClock.stop();
    vi.advanceTimersByTime(100);
    log.length = 0;
    vi.advanceTimersByTime(1000);
    expect(log).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
