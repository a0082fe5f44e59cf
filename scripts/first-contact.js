// What everybody does first with a server: a video and a live stream. For checks of installations.
import { setTimeout as pause } from 'node:timers/promises';
import { Receiver } from '../packages/media/dist/live/testing/receiver.js';

/** @returns a function that calls the API and throws errors with a `status`. */
export function caller(base, token) {
  return async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok)
      throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), { status: answer.status });
    return JSON.parse(text);
  };
}

/** Polls until there is an answer. @param assertAlive throws when waiting is of no use any more. */
export async function until(what, ask, assertAlive) {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    assertAlive(what);
    await pause(200);
  }
}

/** Renders a video of one sentence, and looks at its file. @returns its id. */
export async function renderHello(call, assertAlive) {
  const slides = [{ id: 1, speech: 'Hello from a package.', avatar: { code: 'nora' } }];
  const { _id } = await call('POST', '/videos', { name: 'Hello', slides });
  await call('POST', `/videos/render/${_id}`);
  const ask = async () => {
    const found = await call('GET', `/videos/${_id}`);
    expect(found.status !== 'error', 'a video without error');
    return found.status === 'ready' ? found : undefined;
  };
  const video = await until('a video that is ready', ask, assertAlive);
  const { headers } = await fetch(video.url, { method: 'HEAD' });
  console.log(`video: ${headers.get('content-type')}, ${headers.get('content-length')} bytes, ${video.duration} s`);
  expect(headers.get('content-type') === 'video/mp4' && Number(headers.get('content-length')) > 50_000, 'an MP4 file');
  return _id;
}

/** A live stream as viewers receive it: pictures arrive, and a text is spoken to its end. */
export async function watchStream(call, assertAlive) {
  // The stream host measures the machine first, so it is polled until it is ready.
  const open = () =>
    call('POST', '/streams', { avatarCode: 'nora' }).catch((error) =>
      [429, 503].includes(error.status) ? undefined : Promise.reject(error),
    );
  const { id, webrtcData } = await until('an offer', open, assertAlive);
  const events = [];
  const receiver = new Receiver(webrtcData.offer.sdp, { onEvent: ({ type }) => events.push(type) });
  try {
    await call('PUT', `/streams/${id}`, { answer: { type: 'answer', sdp: await receiver.answer() } });
    await call('POST', `/streams/render/${id}`, { text: 'Hello from a package.' });
    await until('the end of the speech', async () => events.includes('speech.ended') || undefined, assertAlive);
    console.log(`${receiver.counts.frames} pictures`);
    expect(receiver.counts.frames > 20, `more than 20 pictures of a spoken sentence, got ${receiver.counts.frames}`);
    await call('DELETE', `/streams/${id}`);
  } finally {
    receiver.close();
  }
}

/** Prints how long the work took. */
export async function timed(what, work) {
  const started = Date.now();
  const result = await work();
  console.log(`${what}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

export function expect(isTrue, what) {
  if (!isTrue) throw new Error(`expected ${what}`);
}
