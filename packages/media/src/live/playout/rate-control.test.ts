import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadPack } from '../../presenter/index.js';
import { BitrateController } from '../rtp/bitrate.js';
import type { SentPacket } from '../rtp/transport-sequence.js';
import { measureFrameCost } from '../video/capacity.js';
import { loopPoses } from '../video/idle.js';
import { Ladder } from '../video/ladder.js';
import { AUDIO_FRAME, MediaClock, type Scheduler } from './media-clock.js';

const PACK = fileURLToPath(new URL('../../../../../presenters/packs/helen', import.meta.url));

/** A clock that is moved by hand. */
class HandClock implements Scheduler {
  private ms = 0;
  private pending: { at: number; call: () => void } | undefined;

  now(): number {
    return this.ms;
  }

  after(delayMs: number, call: () => void): () => void {
    this.pending = { at: this.ms + delayMs, call };
    return () => {
      this.pending = undefined;
    };
  }

  last(call: () => void): void {
    call();
  }

  join(): { startMs: number; leave(): void } {
    return { startMs: this.ms, leave: () => undefined };
  }

  /** Lets time pass; timers fire late by `lateMs`. */
  pass(ms: number, lateMs = 0): void {
    const end = this.ms + ms;
    while (this.pending && this.pending.at + lateMs <= end) {
      const { at, call } = this.pending;
      this.pending = undefined;
      this.ms = Math.max(this.ms, at + lateMs);
      call();
    }
    this.ms = end;
  }
}

function openMediaClock(fps = 25) {
  const clock = new HandClock();
  const audio: number[] = [];
  const video: number[] = [];
  const mediaClock = new MediaClock(
    { onAudio: (sample) => audio.push(sample), onVideo: (sample) => video.push(sample) },
    fps,
    clock,
  );
  mediaClock.start();
  return { clock, audio, video, mediaClock };
}

describe('the media clock', () => {
  it('keeps sound and picture on one clock for hours, however late its timers fire', () => {
    const { clock, audio, video } = openMediaClock();
    for (let minute = 0; minute < 120; minute++) clock.pass(60_000, minute % 7);
    expect(audio.length).toBe(2 * 3600 * 50 + 1);
    expect(audio.every((sample, index) => sample === index * AUDIO_FRAME)).toBe(true);
    expect(video.every((sample) => sample % 1920 === 0)).toBe(true);
    expect(Math.abs(video.at(-1)! - audio.at(-1)!)).toBeLessThanOrEqual(1920);
  });

  it('drops late frames, never sound', () => {
    const { clock, audio, video, mediaClock } = openMediaClock();
    clock.pass(1000);
    const before = video.length;
    clock.pass(170, 150);
    expect(audio).toEqual(audio.map((_, index) => index * AUDIO_FRAME));
    expect(audio.length).toBeGreaterThanOrEqual(57);
    expect(video.length - before).toBeLessThanOrEqual(2);
    expect(mediaClock.stallCount).toBe(0);
  });

  it('sets the clock back after a long stall instead of sending seconds of sound at once', () => {
    const { clock, audio, mediaClock } = openMediaClock();
    clock.pass(1000);
    const before = audio.length;
    clock.pass(5000, 4900);
    expect(mediaClock.stallCount).toBe(1);
    expect(audio.length - before).toBeLessThan(5);
    clock.pass(1000);
    expect(audio).toEqual(audio.map((_, index) => index * AUDIO_FRAME));
  });

  it('changes the frame rate on a frame boundary', () => {
    const { clock, video, mediaClock } = openMediaClock();
    clock.pass(1000);
    mediaClock.setFrameRate(15);
    const before = video.length;
    clock.pass(2000);
    expect(Math.abs(video.length - before - 30)).toBeLessThanOrEqual(1);
    mediaClock.stop();
    clock.pass(1000);
    expect(video.length).toBeLessThan(before + 33);
  });
});

/** Feedback for one second in which `rate` bits are sent over a link of `capacity` bits per second; delays continue from `queueMs`. */
function second(link: { capacity: number; queueMs: number; atMs: number }, rate: number, loss = 0): SentPacket[] {
  const packets: SentPacket[] = [];
  const count = Math.round(rate / 8 / 1000);
  for (let n = 0; n < count; n++) {
    const sentMs = link.atMs + (n * 1000) / count;
    link.queueMs = Math.max(0, link.queueMs + 8_000_000 / link.capacity - 1000 / count);
    const isLost = loss > 0 && n % Math.round(1 / loss) === 0;
    packets.push({ sentMs, bytes: 1000, arrivedMs: isLost ? undefined : sentMs + 20 + link.queueMs });
  }
  link.atMs += 1000;
  return packets;
}

function run(
  controller: BitrateController,
  link: { capacity: number; queueMs: number; atMs: number },
  of: { seconds: number; loss?: number },
): void {
  for (let n = 0; n < of.seconds; n++) {
    const startMs = link.atMs;
    const packets = second(link, controller.target, of.loss);
    for (let part = 0; part < 20; part++) {
      const of20 = packets.slice((part * packets.length) / 20, ((part + 1) * packets.length) / 20);
      controller.onFeedback(of20, startMs + part * 50);
    }
  }
}

describe('the bit rate', () => {
  const range = { min: 100_000, start: 600_000, max: 1_000_000 };

  it('grows to its maximum on a wide link', () => {
    const controller = new BitrateController(range);
    run(controller, { capacity: 5_000_000, queueMs: 0, atMs: 0 }, { seconds: 20 });
    expect(controller.target).toBe(range.max);
  });

  it('falls below the capacity of a narrow link before its queue grows long', () => {
    const controller = new BitrateController(range);
    const link = { capacity: 400_000, queueMs: 0, atMs: 0 };
    run(controller, link, { seconds: 15 });
    expect(controller.target).toBeLessThan(480_000);
    expect(controller.target).toBeGreaterThan(150_000);
    expect(link.queueMs).toBeLessThan(1500);
  });

  it('stays where packets are lost but no queue grows, as on radio links, and falls where one does', () => {
    const calm = new BitrateController(range);
    run(calm, { capacity: 5_000_000, queueMs: 0, atMs: 0 }, { seconds: 10, loss: 0.2 });
    expect(calm.target).toBeGreaterThanOrEqual(range.start);
    const full = new BitrateController({ ...range, min: 50_000 });
    run(full, { capacity: 250_000, queueMs: 0, atMs: 0 }, { seconds: 10, loss: 0.2 });
    expect(full.target).toBeLessThan(250_000);
  });

  it('falls at loss that no radio link has, without a queue', () => {
    const policed = new BitrateController(range);
    run(policed, { capacity: 5_000_000, queueMs: 0, atMs: 0 }, { seconds: 10, loss: 0.5 });
    expect(policed.target).toBeLessThan(400_000);
  });

  it('is that of a narrow link after the first burst', () => {
    const controller = new BitrateController({ ...range, min: 50_000 });
    const burst = Array.from({ length: 8 }, (_, n) => ({ sentMs: 0, bytes: 1200, arrivedMs: 20 + 60 * n }));
    controller.onFeedback([...burst, { sentMs: 40, bytes: 100, arrivedMs: 520 }], 550);
    expect(controller.target).toBeGreaterThan(120_000);
    expect(controller.target).toBeLessThan(160_000);
  });

  it('stays while a busy receiver reads late and catches up', () => {
    const controller = new BitrateController(range);
    for (let ms = 0; ms < 10_000; ms += 50) {
      const packets = [0, 12, 25, 37].map((n) => {
        const sentMs = ms + n;
        // Every second the receiver stands still for 150 ms.
        const inSecond = sentMs % 1000;
        return { sentMs, bytes: 300, arrivedMs: sentMs + 20 + Math.max(0, inSecond < 150 ? 150 - inSecond : 0) };
      });
      controller.onFeedback(packets, ms + 50);
    }
    expect(controller.target).toBe(range.max);
  });

  it('follows receiver reports when the peer sends no feedback', () => {
    const controller = new BitrateController(range);
    for (let n = 0; n < 10; n++) controller.onReport(0.3, n * 1000, false);
    expect(controller.target).toBeLessThan(300_000);
    for (let n = 10; n < 40; n++) controller.onReport(0, n * 1000, false);
    expect(controller.target).toBeGreaterThan(600_000);
  });
});

describe('the ladder', () => {
  it('lowers the frame rate before the size, and raises them slowly', () => {
    const ladder = new Ladder(30, 512 * 512);
    const seen = [];
    for (let n = 0; n < 6; n++) {
      ladder.onWindow(30, 20);
      seen.push(ladder.rung);
    }
    expect(seen.map(({ framesPerSecond, scale }) => `${framesPerSecond} ${scale}`)).toEqual([
      '25 1',
      '20 1',
      '15 1',
      '15 0.75',
      '15 0.5',
      '15 0.5',
    ]);
    for (let n = 0; n < 4; n++) ladder.onWindow(30, 0);
    expect(ladder.rung.scale).toBe(0.5);
    for (let n = 0; n < 30; n++) ladder.onWindow(30, 0);
    expect(ladder.rung).toEqual({ framesPerSecond: 30, scale: 1 });
  });

  it('gives a narrow network smaller pictures at once, then fewer, and goes back up one level at a time', () => {
    const ladder = new Ladder(25, 512 * 512);
    const at = (bits: number) => {
      ladder.onBits(bits);
      return `${ladder.rung.framesPerSecond} ${ladder.rung.scale}`;
    };
    expect([600_000, 120_000, 60_000, 40_000].map(at)).toEqual(['25 1', '25 0.75', '25 0.5', '15 0.5']);
    ladder.onBits(600_000);
    const seen = Array.from({ length: 6 }, () => {
      ladder.onWindow(50, 0);
      return `${ladder.rung.framesPerSecond} ${ladder.rung.scale}`;
    });
    expect(seen).toEqual(['15 0.5', '25 0.5', '25 0.5', '25 0.75', '25 0.75', '25 1']);
  });

  it('waits longer after each attempt that the network did not carry', () => {
    const ladder = new Ladder(25, 512 * 512);
    const waits = Array.from({ length: 4 }, () => {
      ladder.onBits(120_000);
      ladder.onBits(300_000);
      let windows = 0;
      while (ladder.rung.scale < 1) {
        ladder.onWindow(50, 0);
        windows++;
      }
      return windows;
    });
    expect(waits).toEqual([2, 4, 8, 16]);
  });
});

describe('what a stream costs', () => {
  it('is measured for drawing and for encoding, in processor time', async () => {
    const pack = await loadPack(PACK);
    const cost = await measureFrameCost(pack, { width: 256, height: 256, fps: 25, background: '#fff' });
    expect(cost.drawMs).toBeGreaterThan(0);
    expect(cost.encodeMs).toBeGreaterThan(0);
  });
});

describe('an idle loop', () => {
  it('repeats without a visible seam: the last frame leads to the first like any frame to the next', async () => {
    const pack = await loadPack(PACK);
    const poses = loopPoses({ pack, fps: 25, expression: 'friendly', state: 'idle' });
    const step = (a: number, b: number): number =>
      Math.abs(poses[a]!.head.yaw - poses[b]!.head.yaw) + Math.abs(poses[a]!.head.pitch - poses[b]!.head.pitch);
    const steps = poses.slice(1).map((_, index) => step(index, index + 1));
    expect(step(poses.length - 1, 0)).toBeLessThanOrEqual(Math.max(...steps));
    expect(Math.max(...poses.map(({ lids }) => lids))).toBe(1);
  });
});
