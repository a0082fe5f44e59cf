// Runs inside a browser page for bench/conversation.js, so the functions must not use anything outside themselves.

/**
 * Holds a conversation: asks the question again and again, each time while the agent speaks.
 * @param options `{base, token, agentId, turns}`; the page serves the question at `/question.wav`
 * @returns ms for each turn: `answer` from the last sound of the question to the first of the answer, `silence` from the first sound of the question to
 * the last of the interrupted answer; `how` sound was measured
 */
export async function holdConversation({ base, token, agentId, turns }) {
  const sdk = '/sdk/index.js';
  const { createClient, LiveStream } = await import(sdk);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const context = new AudioContext({ latencyHint: 'interactive' });
  const question = await context.decodeAudioData(await (await fetch('/question.wav')).arrayBuffer());
  const isSound = (sample) => Math.abs(sample) > 0.02;
  const sound = question.getChannelData(0);
  const [first, last] = [sound.findIndex(isSound), sound.findLastIndex(isSound)].map((at) => at / question.sampleRate);
  const microphone = context.createMediaStreamDestination();
  // A quiet room, as every microphone has one: Chromium sends no packets for exact silence.
  const room = new AudioBufferSourceNode(context, {
    loop: true,
    buffer: new AudioBuffer({ length: 48_000, sampleRate: 48_000 }),
  });
  room.buffer.getChannelData(0).forEach((_, at, all) => {
    all[at] = 0.002 * (Math.random() - 0.5);
  });
  room.connect(microphone);
  room.start();
  const client = createClient({ baseUrl: base, token });
  const stream = await LiveStream.open(client, {
    agentId,
    video: document.querySelector('video'),
    microphone: microphone.stream.getAudioTracks()[0],
  });
  const analyser = new AnalyserNode(context, { fftSize: 512 });
  context.createMediaStreamSource(stream.media).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const isLoud = () => {
    analyser.getFloatTimeDomainData(samples);
    return samples.some(isSound);
  };
  /** Speaks the question. @returns when its first and last sound are played, on the page's clock. */
  const ask = () => {
    const source = new AudioBufferSourceNode(context, { buffer: question });
    source.connect(microphone);
    const now = performance.now();
    source.start();
    return { from: now + 1000 * first, to: now + 1000 * last };
  };
  /** When the page last got each event. */
  const told = {};
  stream.on('conversation.state', ({ state }) => {
    told[state] = performance.now();
  });
  stream.on('conversation.heard', () => {
    told.heard = performance.now();
  });
  const buffered = async () => {
    for (const report of (await stream.peer.getStats()).values())
      if (report.type === 'inbound-rtp' && report.kind === 'audio')
        return [report.jitterBufferDelay, report.jitterBufferEmittedCount];
    return [0, 0];
  };
  /** Waits for a state of the stream; one that never comes ends the bench with its name. */
  const until = async (isReached, what) => {
    const deadline = performance.now() + 15_000;
    while (!isReached()) {
      if (performance.now() > deadline) throw new Error(`waited 15 s for ${what}, in state ${JSON.stringify(told)}`);
      await pause(2);
    }
  };
  await pause(2000);
  const [answer, silence, began, ended, heard, sounded, buffer] = [[], [], [], [], [], [], []];
  for (let turn = 0; turn < turns; turn++) {
    const before = await buffered();
    const { from, to } = ask();
    let loudAt;
    while (performance.now() < to) {
      if (isLoud()) loudAt = performance.now();
      await pause(2);
    }
    if (turn > 0) silence.push((loudAt ?? from) - from);
    await until(isLoud, `the answer of turn ${turn}`);
    answer.push(performance.now() - to);
    if (turn > 0) began.push(told.listening - from);
    ended.push(told.thinking - to);
    heard.push(told.heard - to);
    sounded.push(told.speaking - to);
    const after = await buffered();
    buffer.push((1000 * (after[0] - before[0])) / (after[1] - before[1]));
    // Into the long answer, which the next question interrupts between two words or within one.
    await pause(1500 + 500 * Math.random());
    await until(isLoud, `the rest of the answer of turn ${turn}`);
  }
  await stream.close();
  await context.close();
  return { answer, silence, began, ended, heard, sounded, buffer };
}

/**
 * Speaks a text on a stream, with an agent and an open microphone where `agentId` is given.
 * @param options `{base, token, agentId, text, seconds}`: seconds of speech to wait for
 */
export async function speakFor({ base, token, agentId, text, seconds }) {
  const sdk = '/sdk/index.js';
  const { createClient, LiveStream } = await import(sdk);
  const context = new AudioContext();
  // A quiet room: nothing is sent for exact silence.
  const room = new AudioBufferSourceNode(context, {
    loop: true,
    buffer: new AudioBuffer({ length: 48_000, sampleRate: 48_000 }),
  });
  room.buffer.getChannelData(0).forEach((_, at, all) => {
    all[at] = 0.002 * (Math.random() - 0.5);
  });
  const microphone = context.createMediaStreamDestination();
  room.connect(microphone);
  room.start();
  const client = createClient({ baseUrl: base, token });
  const stream = await LiveStream.open(client, {
    ...(agentId ? { agentId, microphone: microphone.stream.getAudioTracks()[0] } : { avatarCode: 'nora' }),
    video: document.querySelector('video'),
  });
  // The event may arrive before the response of the call.
  const started = new Promise((resolve) => stream.on('speech.started', resolve));
  await stream.speak(text);
  await started;
  globalThis.closeStream = async () => {
    await stream.close();
    await context.close();
  };
  await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(1, seconds)));
}
