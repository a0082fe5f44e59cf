import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const RECEIVERS = fileURLToPath(new URL('../../bench/live-receivers.js', import.meta.url));

/**
 * Opens a stream and connects to it with a process of receivers.
 * @returns `{id, frames(), firstSound(text, giveUpMs), close()}`: pictures so far, and ms from a text to its first sound, `undefined` without one.
 */
export async function openConnectedStream(stage, token) {
  const call = (method, path, body) => stage.call(method, `/api/v1${path}`, { token, body });
  const child = fork(RECEIVERS, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(child, 'message');
  /** The next message of a kind; `undefined` when none comes in time. */
  const next = (type, giveUpMs = 30_000) =>
    new Promise((resolve) => {
      const end = (message) => {
        clearTimeout(timer);
        child.off('message', hear);
        resolve(message);
      };
      const hear = (message) => message.type === type && end(message);
      const timer = setTimeout(end, giveUpMs);
      child.on('message', hear);
    });
  const { body, status } = await call('POST', '/streams', {});
  if (status !== 200) throw new Error(`the stream was not opened: ${status}`);
  const answered = next('answer');
  child.send({ type: 'open', id: body.id, offer: body.webrtcData.offer.sdp, codec: 'H264' });
  const { sdp } = await answered;
  await call('PUT', `/streams/${body.id}`, { answer: { type: 'answer', sdp } });
  return {
    id: body.id,
    async frames() {
      const counted = next('counts');
      child.send({ type: 'counts' });
      return (await counted).counts[0].frames;
    },
    async firstSound(text, giveUpMs) {
      const from = performance.now();
      const heard = next('sound', giveUpMs);
      await call('POST', `/streams/render/${body.id}`, { text });
      return (await heard) === undefined ? undefined : performance.now() - from;
    },
    close: () => child.kill('SIGKILL'),
  };
}
