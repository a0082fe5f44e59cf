import { parseDocument } from '@figurehead/contract/document';
import { describe, expect, it } from 'vitest';
import { concatPcm, type Pcm, silence } from '../../audio.js';
import { integratedLoudness, truePeak } from '../../loudness.js';
import { mixSound } from './mix.js';
import { planTimeline, type SpeechTrack } from './timeline.js';

function tone(seconds: number, hertz: number, level: number): Pcm {
  return Float32Array.from(
    { length: seconds * 48_000 },
    (_, n) => level * Math.sin((2 * Math.PI * hertz * n) / 48_000),
  );
}

/** Syllable-like bursts: peaks far above the mean, as in speech. */
function babble(seconds: number): Pcm {
  return tone(seconds, 220, 0.5).map((value, n) => value * Math.abs(Math.sin((2 * Math.PI * 2 * n) / 48_000)) ** 3);
}

function trackOf(pcm: Pcm): SpeechTrack {
  return { samples: pcm.length, marks: { words: [], phonemes: [] }, energy: new Float32Array() };
}

async function mix(
  source: object,
  speech: readonly (Pcm | null)[],
  media: Pcm | null = null,
): Promise<{ pcm: Pcm; starts: (number | null)[] }> {
  const { document } = parseDocument(source);
  const speeches = speech.map((pcm) => (pcm === null ? null : trackOf(pcm)));
  const timeline = planTimeline(document, speeches);
  const pieces: Pcm[] = [];
  const sound = mixSound({
    document,
    timeline,
    speeches,
    speech: async (index) => speech[index] ?? silence(0),
    assets: { picture: async () => Buffer.alloc(0), file: async (src) => src },
    decodeAudio: async () => media,
  });
  for await (const piece of sound) pieces.push(piece);
  const pcm = concatPcm(pieces);
  expect(pcm.length).toBe(timeline.samples);
  return { pcm, starts: timeline.slides.map((slide) => slide.speechStart) };
}

function rms(pcm: Pcm, from: number, to: number): number {
  return Math.sqrt(pcm.subarray(from, to).reduce((sum, value) => sum + value * value, 0) / (to - from));
}

describe('the mix', () => {
  it('is −16 LUFS with no true peak over −1 dBTP', async () => {
    const { pcm } = await mix({ slides: [{ speech: 'x' }, { speech: 'y' }] }, [babble(9), babble(7)]);
    expect(Math.abs(integratedLoudness([pcm]) + 16)).toBeLessThan(1);
    expect(20 * Math.log10(truePeak(pcm))).toBeLessThanOrEqual(-1);
  });

  it('starts each speech at its sample and is silent elsewhere', async () => {
    const { pcm, starts } = await mix({ slides: [{ speech: 'x' }, { duration: 2 }, { speech: 'y' }] }, [
      tone(1, 300, 0.1),
      null,
      tone(1, 300, 0.1),
    ]);
    const [first = 0, , third = 0] = starts;
    expect(rms(pcm, 0, first ?? 0)).toBe(0);
    expect(rms(pcm, third ?? 0, (third ?? 0) + 48_000)).toBeGreaterThan(0.05);
    expect(rms(pcm, (first ?? 0) + 48_100, third ?? 0)).toBe(0);
  });

  it('loops music, ducks it under speech and fades it out', async () => {
    const source = { slides: [{ speech: 'x' }, { duration: 12 }], data: { musicUrl: 'm', musicVolume: 0.5 } };
    const { pcm } = await mix(source, [silence(4 * 48_000), null], tone(5, 440, 0.3));
    const under = rms(pcm, 2 * 48_000, 3 * 48_000);
    const free = rms(pcm, 9 * 48_000, 10 * 48_000);
    expect(20 * Math.log10(free / under)).toBeCloseTo(8, 0);
    expect(rms(pcm, pcm.length - 480, pcm.length)).toBeLessThan(free / 50);
    // No click at a loop's seam: the steps of a 440 Hz tone of this level are never larger.
    let step = 0;
    for (let n = 1; n < pcm.length; n++) step = Math.max(step, Math.abs((pcm[n] ?? 0) - (pcm[n - 1] ?? 0)));
    expect(step).toBeLessThan(free * 2 * Math.SQRT2 * Math.PI * (440 / 48_000) * 1.5);
  });

  it('mixes in a clip’s sound when it has a volume, and names the clip when that fails', async () => {
    const slide = { duration: 3, canvas: { objects: [{ type: 'video', src: 'v.mp4', volume: 1 }] } };
    const { pcm } = await mix({ slides: [slide] }, [null], tone(1, 300, 0.2));
    expect(rms(pcm, 48_000 * 2, 48_000 * 2.5)).toBeGreaterThan(0.01);
    const muted = await mix(
      { slides: [{ ...slide, canvas: { objects: [{ type: 'video', src: 'v.mp4' }] } }] },
      [null],
      tone(1, 300, 0.2),
    );
    expect(rms(muted.pcm, 0, muted.pcm.length)).toBe(0);
    await expect(mix({ slides: [{ duration: 1 }], data: { musicUrl: 'm' } }, [null], null)).rejects.toThrow(
      /data\.musicUrl/,
    );
  });
});
