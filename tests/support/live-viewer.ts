import type * as Sdk from '@figurehead/sdk';

// Functions that run inside a browser's page, without access to anything outside of them.

/** Loads the SDK from the page's server as the page's `sdk`. */
export function exposeSdk(): Promise<true> {
  return new Promise((resolve) => {
    addEventListener('sdk', () => resolve(true), { once: true });
    const script = document.createElement('script');
    script.type = 'module';
    script.textContent = "import * as sdk from '/sdk/index.js'; window.sdk = sdk; dispatchEvent(new Event('sdk'));";
    document.head.append(script);
  });
}

/**
 * Makes the page's `mouthOf`: for a video that shows a picture, a function that returns the mean change of a byte (0…255) around the mouth since
 * its last call; and `watchMouth`, which calls it for every frame after the first one.
 */
export function exposeMouth(): void {
  const mouthOf = (video: HTMLVideoElement) => {
    const canvas = new OffscreenCanvas(64, 64);
    const drawing = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
    const look = () => {
      const { videoWidth: width, videoHeight: height } = video;
      drawing.drawImage(video, width * 0.38, height * 0.4, width * 0.24, height * 0.24, 0, 0, 64, 64);
      return drawing.getImageData(0, 0, 64, 64).data;
    };
    let last = look();
    return () => {
      const now = look();
      const change = now.reduce((sum, value, at) => sum + Math.abs(value - (last[at] as number)), 0) / now.length;
      last = now;
      return change;
    };
  };
  const watchMouth = async (video: HTMLVideoElement) => {
    const nextFrame = () => new Promise((resolve) => video.requestVideoFrameCallback(resolve));
    // Before the first frame the element is empty, and filling it would count as movement of the mouth.
    await nextFrame();
    const changeOfMouth = mouthOf(video);
    const changes: number[] = [];
    const look = () => {
      changes.push(changeOfMouth());
      video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
    return {
      changes,
      async more(frames: number) {
        const until = changes.length + frames;
        while (changes.length < until) await nextFrame();
      },
      // The median: a single frame that gets sharper as the bit rate rises changes more than a mouth does.
      movementFrom: (frame: number) =>
        changes.slice(frame).sort((a, b) => a - b)[Math.floor((changes.length - frame) / 2)] ?? 0,
    };
  };
  Object.assign(window, { mouthOf, watchMouth });
}

/** The page after {@link exposeMouth}. */
export interface WithMouth {
  readonly mouthOf: (video: HTMLVideoElement) => () => number;
  readonly watchMouth: (video: HTMLVideoElement) => Promise<{
    /** One for each frame. */
    readonly changes: readonly number[];
    /** Waits for this many frames. */
    more(frames: number): Promise<void>;
    /** The median of the changes since a frame. */
    movementFrom(frame: number): number;
  }>;
}

/**
 * One stream from its creation to its end: idles, speaks `text`, is interrupted, speaks again.
 * @returns all measurements: times in ms, loudness as the greatest RMS of 50 ms, movement as the mean change around the mouth
 * between frames. The page has {@link exposeSdk} and {@link exposeMouth}.
 */
export async function watchStream(text: string) {
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  const video = document.querySelector('video') as HTMLVideoElement;
  const firstFrame = new Promise((resolve) => {
    video.requestVideoFrameCallback(resolve);
  });
  const stream = await LiveStream.open(client, { avatarCode: 'nora', video, connectTimeoutMs: 120_000 });
  await firstFrame;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  // From the statistics instead of an AudioContext, which does not run in a Firefox without a sound device.
  let heard = { energy: 0, seconds: 0, loudness: 0 };
  const loudnessNow = async () => {
    for (const report of (await stream.peer.getStats()).values()) {
      if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
      const { totalAudioEnergy: energy, totalSamplesDuration: seconds } = report;
      // Chromium updates its statistics only every 50 ms.
      if (seconds <= heard.seconds) continue;
      heard = { energy, seconds, loudness: Math.sqrt((energy - heard.energy) / (seconds - heard.seconds)) };
    }
    return heard.loudness;
  };
  const loudnessFor = async (ms: number) => {
    let loudest = 0;
    for (const end = performance.now() + ms; performance.now() < end; await pause(15))
      loudest = Math.max(loudest, await loudnessNow());
    return loudest;
  };

  const changeOfMouth = (window as unknown as WithMouth).mouthOf(video);
  const changes: number[] = [];
  const look = () => {
    changes.push(changeOfMouth());
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  /** Counts frames instead of time, because their speed depends on the machine. */
  const movementOf = async (frames: number) => {
    const from = changes.length;
    while (changes.length < from + frames) await pause(15);
    const part = changes.slice(from);
    return part.reduce((sum, change) => sum + change, 0) / part.length;
  };

  await pause(500);
  const [before, silent] = await Promise.all([loudnessFor(1000), movementOf(25)]);
  const first = await stream.speak(text);
  const second = await stream.speak('This is never heard.');
  while ((await loudnessNow()) < 0.01) await pause(5);
  const [speaking, moving] = await Promise.all([loudnessFor(1000), movementOf(25)]);

  const interrupted = await stream.interrupt();
  while ((await loudnessFor(300)) > 0.002) await pause(5);
  const after = await loudnessFor(500);

  const third = await stream.speak('And now a new sentence.');
  const outcomes = await Promise.all([first.finished, second.finished, third.finished]);
  let freezes = 0;
  let codec = '';
  const reports = await stream.peer.getStats();
  for (const report of reports.values()) {
    if (report.type !== 'inbound-rtp' || report.kind !== 'video') continue;
    freezes = report.freezeCount ?? 0;
    codec = reports.get(report.codecId)?.mimeType ?? '';
  }
  await stream.close();
  return {
    id: stream.id as string,
    loudness: { before, speaking, after },
    movement: { silent, speaking: moving },
    interrupted,
    positions: [first.position, second.position] as number[],
    outcomes,
    freezes,
    codec: codec as string,
  };
}
