// Runs inside a browser page for bench/delay.js, so the function must not use anything outside itself.

/**
 * Measures one stream as its viewer perceives it. Sound is measured by a Web Audio analyser or, where an AudioContext does not run (Firefox without a
 * sound device), by the energy in the connection's statistics.
 * @param options `{base, token, relay, turns, restMs}`: relay `udp`, `tcp` or undefined; turns of speech and interruption; ms of silence before each
 * @returns ms: `firstFrame`, and for each turn `speech` (call to audible), `silence` (interruption to the last audible sample), and `lips` and `sound` (first
 * packet of sound to the first picture with a moved mouth, and to audible)
 */
export async function measureStream({ base, token, relay, turns, restMs }) {
  const TEXT = 'Every morning the harbour wakes early and all our yellow boats are already running along the river.';
  const sdk = '/sdk/index.js';
  const { createClient, LiveStream } = await import(sdk);
  const client = createClient({ baseUrl: base, token });
  const video = document.querySelector('video');
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const createPeerConnection = (given) =>
    new RTCPeerConnection({
      ...given,
      iceServers: relay
        ? given.iceServers.map((one) => ({
            ...one,
            urls: one.urls.filter((url) => url.endsWith(`transport=${relay}`)),
          }))
        : [],
      iceTransportPolicy: relay ? 'relay' : 'all',
    });

  const clicked = performance.now();
  const shown = new Promise((resolve) => video.requestVideoFrameCallback(() => resolve(performance.now() - clicked)));
  const stream = await LiveStream.open(client, { avatarCode: 'nora', video, createPeerConnection });
  const connected = performance.now() - clicked;
  const firstFrame = await shown;

  const context = new AudioContext({ latencyHint: 'interactive' });
  const analyser = new AnalyserNode(context, { fftSize: 512 });
  context.createMediaStreamSource(stream.media).connect(analyser);
  const startedAt = context.currentTime;
  for (let wait = 0; wait < 2000 && context.currentTime === startedAt; wait += 100) await pause(100);
  const hasContext = context.currentTime > startedAt;
  const samples = new Float32Array(analyser.fftSize);
  let counted = { energy: 0, seconds: 0, loudness: 0 };
  const fromStatistics = async () => {
    for (const report of (await stream.peer.getStats()).values()) {
      if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
      const { totalAudioEnergy: energy, totalSamplesDuration: seconds } = report;
      if (seconds <= counted.seconds) continue;
      counted = { energy, seconds, loudness: Math.sqrt((energy - counted.energy) / (seconds - counted.seconds)) };
    }
    return counted.loudness;
  };
  const isLoud = async () => {
    if (!hasContext) return (await fromStatistics()) > 0.01;
    analyser.getFloatTimeDomainData(samples);
    return samples.some((sample) => Math.abs(sample) > 0.02);
  };
  const buffered = async () => {
    const out = {};
    for (const report of (await stream.peer.getStats()).values()) {
      if (report.type !== 'inbound-rtp') continue;
      out[report.kind] = [report.jitterBufferDelay, report.jitterBufferEmittedCount, report.jitterBufferTargetDelay];
    }
    return out;
  };

  const canvas = new OffscreenCanvas(48, 32).getContext('2d', { willReadFrequently: true });
  /** Grey values around the mouth. */
  const mouth = () => {
    const { videoWidth: width, videoHeight: height } = video;
    canvas.drawImage(video, width * 0.4, height * 0.48, width * 0.2, height * 0.13, 0, 0, 48, 32);
    return canvas.getImageData(0, 0, 48, 32).data;
  };
  /** Mean change of the mouth against a picture, 0…255. */
  const changeFrom = (before) => {
    const now = mouth();
    let sum = 0;
    for (let at = 0; at < now.length; at += 4) sum += Math.abs(now[at] - before[at]);
    return (4 * sum) / now.length;
  };
  const frame = () => new Promise((resolve) => video.requestVideoFrameCallback(resolve));
  const pcm = new Uint8Array(await (await fetch('/sound')).arrayBuffer());
  /** ms from the first packet of sound until the mouth moves more than it did in the second before, and until it is audible. */
  const measureSound = async () => {
    let rest = 0;
    let still = mouth();
    for (const end = performance.now() + 1000; performance.now() < end; still = mouth()) {
      await frame();
      rest = Math.max(rest, changeFrom(still));
    }
    let sentAt;
    async function* packets() {
      for (let at = 0; at < pcm.length; at += 1920) {
        sentAt ??= performance.now();
        yield pcm.subarray(at, at + 1920);
        await pause(20);
      }
    }
    const utterance = await stream.speakSound(packets(), { sampleRate: 48_000 });
    const isLate = () => performance.now() > sentAt + 5000;
    const moved = (async () => {
      let before = still;
      while (changeFrom(before) <= 2 * rest + 1 && !isLate()) {
        before = mouth();
        await frame();
      }
      return performance.now() - sentAt;
    })();
    const heard = (async () => {
      while (!(await isLoud()) && !isLate()) await pause(2);
      return performance.now() - sentAt;
    })();
    const measured = await Promise.all([moved, heard]);
    await utterance.finished;
    return measured;
  };

  const speech = [];
  const silence = [];
  const lips = [];
  const sound = [];
  const buffer = [];
  for (let turn = 0; turn < turns; turn++) {
    await pause(restMs);
    const before = await buffered();
    const calledAt = performance.now();
    await stream.speak(TEXT);
    while (!(await isLoud()) && performance.now() < calledAt + 5000) await pause(2);
    speech.push(performance.now() - calledAt);
    await pause(1000);
    while (!(await isLoud())) await pause(2);
    const cutAt = performance.now();
    const cut = stream.interrupt();
    let loudAt = cutAt;
    while (performance.now() < Math.max(cutAt + 900, loudAt + 400)) {
      if (await isLoud()) loudAt = performance.now();
      await pause(2);
    }
    await cut;
    silence.push(loudAt - cutAt);
    await pause(restMs);
    const [movedMs, heardMs] = await measureSound();
    lips.push(movedMs);
    sound.push(heardMs);
    const after = await buffered();
    const mean = (kind) => (1000 * (after[kind][0] - before[kind][0])) / (after[kind][1] - before[kind][1]);
    buffer.push([mean('audio'), mean('video')]);
  }
  const { avOffsetMs: pictureAfterSound } = await stream.stats();
  await context.close();
  await stream.close();
  return {
    connected,
    pictureAfterSound,
    firstFrame,
    speech,
    silence,
    lips,
    sound,
    buffer,
    how: hasContext ? 'analyser' : 'statistics',
  };
}

/**
 * Watches one stream for some minutes while it speaks every fifteen seconds.
 * @param options `{base, token, minutes}`
 * @returns of the picture: `frames` shown, `longestMs` one was shown, `freezes` and `frozenMs` (a frame that stays longer than 150 ms more than the mean, as `freezeCount` of W3C
 * webrtc-stats, which Firefox does not report); of the sound: `concealed`, the share of samples that were made up
 */
export async function watchStream({ base, token, minutes }) {
  const sdk = '/sdk/index.js';
  const { createClient, LiveStream } = await import(sdk);
  const client = createClient({ baseUrl: base, token });
  const video = document.querySelector('video');
  const createPeerConnection = (given) => new RTCPeerConnection({ ...given, iceServers: [] });
  const stream = await LiveStream.open(client, { avatarCode: 'nora', video, createPeerConnection });
  const picture = { frames: 0, freezes: 0, frozenMs: 0, longestMs: 0 };
  const begun = performance.now();
  const frozenAt = [];
  let shownAt;
  let meanMs = 40;
  video.requestVideoFrameCallback(function count(now) {
    const heldMs = now - (shownAt ?? now);
    if (heldMs > Math.max(3 * meanMs, meanMs + 150)) {
      picture.freezes += 1;
      picture.frozenMs += heldMs;
      frozenAt.push(`${Math.round((now - begun) / 1000)} s: ${Math.round(heldMs)} ms`);
    } else if (shownAt !== undefined) meanMs += (heldMs - meanMs) / 30;
    picture.longestMs = Math.max(picture.longestMs, heldMs);
    picture.frames += 1;
    shownAt = now;
    video.requestVideoFrameCallback(count);
  });
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    await stream.speak(
      'Every morning the harbour wakes early and all our yellow boats are already running along the river.',
    );
    await new Promise((resolve) => setTimeout(resolve, 15_000));
  }
  const sound = [...(await stream.peer.getStats()).values()].find(
    ({ type, kind }) => type === 'inbound-rtp' && kind === 'audio',
  );
  await stream.close();
  // Samples that fill the pause of a silent presenter are not heard.
  return {
    ...picture,
    frozenAt: frozenAt.join(', '),
    concealed: (sound.concealedSamples - sound.silentConcealedSamples) / sound.totalSamplesReceived,
  };
}
