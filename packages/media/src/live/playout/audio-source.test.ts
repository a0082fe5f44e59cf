import { afterEach, describe, expect, it } from 'vitest';
import { OpusLevel } from '../../../../../tests/support/opus-level.js';
import type { Pcm } from '../../audio.js';
import { AudioSource, type SoundLink } from './audio-source.js';

/** Number of packets in a duration. */
const packets = (seconds: number): number => seconds * 50;
/** Peak above which a packet is heard; the tone has 0.3. */
const HEARD = 0.02;

let closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  closers = [];
});

const LINK = { bits: 40_000, loss: 0, repeats: true };

/** A sound whose `speaking` decides whether a tone of 300 Hz or silence is pulled. */
function openSound(link: Omit<SoundLink, 'loss'> = LINK) {
  const state = { speaking: false };
  const sound = new AudioSource((out: Pcm) => {
    if (state.speaking) for (let n = 0; n < out.length; n++) out[n] = 0.3 * Math.sin((2 * Math.PI * 300 * n) / 48_000);
    else out.fill(0);
    return state.speaking;
  }, link);
  const level = new OpusLevel();
  closers.push(
    () => sound.close(),
    () => level.close(),
  );
  const take = (count: number) => Array.from({ length: count }, () => sound.next());
  const peaks = (count: number) => take(count).flatMap((packet) => (packet ? [level.peakOf(packet.payload)] : []));
  return { state, sound, take, peaks };
}

describe('the sound of a session', () => {
  it('is a packet every 20 ms during speech, and silent two packets after it', () => {
    const { state, take, peaks } = openSound();
    state.speaking = true;
    expect(
      peaks(packets(1))
        .slice(1)
        .every((peak) => peak > HEARD),
    ).toBe(true);
    state.speaking = false;
    const after = peaks(packets(1));
    expect(after).toHaveLength(packets(1));
    expect(after.slice(2).every((peak) => peak < HEARD)).toBe(true);
    state.speaking = true;
    const [first, second] = take(2);
    expect([first?.marker, second?.marker]).toEqual([true, false]);
  });

  it('sends one byte every 400 ms during long silence, and full packets with the first speech', () => {
    const { state, take, peaks } = openSound();
    state.speaking = true;
    take(1);
    state.speaking = false;
    take(packets(11));
    const hints = take(packets(4));
    const sent = hints.flatMap((packet) => (packet ? [packet.payload.length] : []));
    expect(sent).toEqual(Array.from({ length: 10 }, () => 1));
    state.speaking = true;
    expect(peaks(5).every((peak, index) => index === 0 || peak > HEARD)).toBe(true);
  });

  it('sends no more than that before the first speech, so that players that start late have no silence to catch up', () => {
    const { state, take, peaks } = openSound();
    const sent = take(packets(2)).flatMap((packet, index) => (packet ? [[index, packet.payload.length]] : []));
    expect(sent).toEqual([0, 20, 40, 60, 80].map((index) => [index, 1]));
    state.speaking = true;
    expect(peaks(5).every((peak, index) => index === 0 || peak > HEARD)).toBe(true);
    state.speaking = false;
    expect(take(packets(9)).every((packet) => packet !== undefined)).toBe(true);
  });

  const modeOf = (packet: ReturnType<AudioSource['next']>) => (packet!.payload[0]! >> 3 >= 16 ? 'clear' : 'repairable');

  it('switches forward error correction on at once with packet loss, and off during silence', () => {
    const { state, sound, take, peaks } = openSound({ bits: 40_000, repeats: false });
    const link = { bits: 40_000, repeats: false };
    const pause = () => {
      state.speaking = false;
      take(packets(1));
      state.speaking = true;
    };
    state.speaking = true;
    sound.setLink({ ...link, loss: 0 });
    expect(modeOf(take(5)[4])).toBe('repairable');
    pause();
    expect(modeOf(take(5)[4])).toBe('clear');
    sound.setLink({ ...link, loss: 0.08 });
    expect(modeOf(take(1)[0])).toBe('repairable');
    expect(peaks(10).every((peak) => peak > HEARD)).toBe(true);
    sound.setLink({ ...link, loss: 0.01 });
    pause();
    expect(modeOf(take(5)[4])).toBe('repairable');
    sound.setLink({ ...link, loss: 0 });
    pause();
    expect(modeOf(take(5)[4])).toBe('clear');
  });

  it('corrects errors from the first packet of speech, unless the packets are repeated', () => {
    const firstOf = ({ state, take }: ReturnType<typeof openSound>) => {
      take(packets(1));
      state.speaking = true;
      return modeOf(take(1)[0]);
    };
    expect(firstOf(openSound({ bits: 40_000, repeats: false }))).toBe('repairable');
    expect(firstOf(openSound({ bits: 40_000, repeats: true }))).toBe('clear');
  });

  it('becomes smaller at once on a narrow network, without a gap, and better after 5 s in which it could', () => {
    const { state, sound, take } = openSound();
    const sizeOf = (taken: ReturnType<typeof take>) =>
      taken.reduce((sum, packet) => sum + packet!.payload.length, 0) / taken.length;
    state.speaking = true;
    take(packets(1));
    const wide = sizeOf(take(packets(1)));
    sound.setLink({ ...LINK, bits: 12_000 });
    const level = new OpusLevel();
    closers.push(() => level.close());
    const narrow = take(packets(1));
    expect(narrow.map((packet) => level.peakOf(packet!.payload)).every((peak, n) => n === 0 || peak > HEARD)).toBe(
      true,
    );
    expect(sizeOf(narrow)).toBeLessThan(wide / 2);
    sound.setLink(LINK);
    expect(sizeOf(take(packets(4)))).toBeLessThan(wide / 2);
    take(packets(1.5));
    expect(sizeOf(take(packets(1)))).toBeGreaterThan(wide * 0.8);
  });
});
