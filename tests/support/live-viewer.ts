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
 * One stream from its creation to its end: idles, speaks `text`, is interrupted, speaks again. @returns all
 * measurements: times in ms, loudness as the greatest RMS of 50 ms, movement as the mean change of a pixel (0…255)
 * around the mouth between frames.
 */
export async function watchStream(text: string) {
  const { createClient, LiveStream } = (window as unknown as { sdk: typeof Sdk }).sdk;
  const client = createClient({ baseUrl: location.origin, token: 'added by the server' });
  const video = document.querySelector('video') as HTMLVideoElement;
  const started = performance.now();
  const firstFrame = new Promise<number>((resolve) => {
    video.requestVideoFrameCallback(() => resolve(performance.now() - started));
  });
  const stream = await LiveStream.open(client, { avatarCode: 'nora', video });
  const firstFrameMs = Math.round(await firstFrame);
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

  // Change of the middle of the lower face from frame to frame.
  const canvas = new OffscreenCanvas(64, 64);
  const drawing = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D;
  let last: Uint8ClampedArray | undefined;
  const changes: number[] = [];
  const look = () => {
    const { videoWidth: width, videoHeight: height } = video;
    drawing.drawImage(video, width * 0.38, height * 0.4, width * 0.24, height * 0.24, 0, 0, 64, 64);
    const { data } = drawing.getImageData(0, 0, 64, 64);
    if (last !== undefined) {
      let sum = 0;
      for (let at = 0; at < data.length; at += 4) sum += Math.abs((data[at] as number) - (last[at] as number));
      changes.push(sum / 4096);
    }
    last = data;
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  const movementFor = async (ms: number) => {
    const from = changes.length;
    await pause(ms);
    const part = changes.slice(from);
    return part.reduce((sum, change) => sum + change, 0) / part.length;
  };

  await pause(500);
  const [before, silent] = await Promise.all([loudnessFor(1500), movementFor(1500)]);
  const asked = performance.now();
  const first = await stream.speak(text);
  const second = await stream.speak('This is never heard.');
  while ((await loudnessNow()) < 0.01 && performance.now() < asked + 5000) await pause(5);
  const firstSoundMs = Math.round(performance.now() - asked);
  const countedFrom = changes.length;
  const [speaking, moving] = await Promise.all([loudnessFor(2000), movementFor(2000)]);
  const framesPerSecond = (changes.length - countedFrom) / 2;

  const cutAt = performance.now();
  const interrupted = await stream.interrupt();
  let quietSince = performance.now();
  for (const end = cutAt + 2000; performance.now() < end; await pause(5))
    if ((await loudnessNow()) > 0.005) quietSince = performance.now();
  const silentAfterMs = Math.round(quietSince - cutAt);
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
    firstFrameMs,
    firstSoundMs,
    framesPerSecond,
    loudness: { before, speaking, after },
    movement: { silent, speaking: moving },
    interrupted,
    silentAfterMs,
    positions: [first.position, second.position] as number[],
    outcomes,
    freezes,
    codec: codec as string,
  };
}
