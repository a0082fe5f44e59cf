// A process of receivers for bench/live.js: answers offers and counts received packets.
import { OpusLevel } from '../packages/media/dist/live/testing/opus-level.js';
import { Receiver } from '../packages/media/dist/live/testing/receiver.js';
import { median, quantile } from './statistics.js';

/** Peak of an audible packet, and the minimum silence before the start of speech. */
const HEARD = 0.02;
const SILENT_MS = 400;
const FREEZE_MS = 200;
const NTP_TO_UNIX_MS = 2_208_988_800_000;
const now = () => performance.timeOrigin + performance.now();
const receivers = new Map();

process.on('message', async ({ type, id, offer, codec }) => {
  if (type === 'open') {
    const state = {
      frames: 0,
      freezes: 0,
      lastMs: undefined,
      loudMs: 0,
      level: new OpusLevel(),
      lag: { audio: [], video: [] },
      eventBytes: 0,
    };
    const keep = (kind, timestamp) => {
      const wallMs = state.receiver.wallMsOf(kind, timestamp);
      if (wallMs === undefined) return;
      state.lag[kind].push(now() - (wallMs - NTP_TO_UNIX_MS));
      if (state.lag[kind].length > 500) state.lag[kind].shift();
    };
    state.receiver = new Receiver(offer, {
      codec,
      onEvent(event) {
        state.eventBytes += JSON.stringify(event).length;
        // The beginning of a presenter that the viewer draws.
        if (event.type === 'face.begin') process.send({ type: 'frame', id, atMs: now() });
      },
      onSound(packet) {
        keep('audio', packet.timestamp);
        if (state.level.peakOf(packet.payload) < HEARD) return;
        if (now() - state.loudMs > SILENT_MS) process.send({ type: 'sound', id, atMs: now() });
        state.loudMs = now();
      },
      onFrame(frame) {
        keep('video', frame.timestamp);
        if (state.frames++ === 0) process.send({ type: 'frame', id, atMs: now() });
        if (state.lastMs !== undefined && now() - state.lastMs > FREEZE_MS) state.freezes++;
        state.lastMs = now();
      },
    });
    receivers.set(id, state);
    process.send({ type: 'answer', id, sdp: await state.receiver.answer() });
  }
  if (type === 'counts') {
    const counts = [...receivers].map(([id, { frames, freezes, lag, loudMs, eventBytes, receiver }]) => ({
      id,
      loudMs,
      frames,
      freezes,
      lost: receiver.counts.lost,
      bytes: receiver.counts.bytes + eventBytes,
      lateMs: lag.video.length > 0 && lag.audio.length > 0 ? median(lag.video) - median(lag.audio) : undefined,
      // Jitter of arrival.
      soundLateMs: lag.audio.length > 0 ? quantile(lag.audio, 0.95) - quantile(lag.audio, 0.05) : undefined,
    }));
    process.send({ type: 'counts', counts });
  }
  if (type === 'close') {
    const state = receivers.get(id);
    state?.receiver.close();
    state?.level.close();
    receivers.delete(id);
  }
  if (type === 'end') {
    for (const { receiver } of receivers.values()) receiver.close();
    process.exit(0);
  }
});

process.send({ type: 'ready' });
