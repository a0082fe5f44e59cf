// Memory while one stream speaks an hour of recorded sound, which must stay constant (npm run bench:hour [minutes]). The chain of a live session from the
// arriving pieces to Opus packets and poses, without a network and as fast as the processor allows: six recordings of ten minutes, the longest that a
// stream accepts, one after the other, each sent as far ahead as the server lets its sender.
import { MAX_SOUND_AHEAD_SECONDS, MAX_SOUND_SECONDS } from '../packages/contract/dist/index.js';
import { createLiveFace } from '../packages/media/dist/face/index.js';
import { ArrivingSound, createSpeech, SAMPLE_RATE } from '../packages/media/dist/index.js';
import { AudioSource } from '../packages/media/dist/live/playout/audio-source.js';
import { PlayoutQueue } from '../packages/media/dist/live/playout/playout-queue.js';
import { energyOf } from '../packages/media/dist/speech/energy.js';
import { resampled } from '../packages/media/dist/speech/resample.js';

const MINUTES = Number(process.argv[2] ?? 60);
const RATE = 16_000;
const PACKETS_PER_SECOND = 50;
const POSE_EVERY = SAMPLE_RATE / 25;
/** Maximum ratio of the last quarter's peak to the second's; sound that is kept would add 12 MB a minute. */
const LIMIT = 1.1;
const TEXT = 'Every morning the harbour wakes early, and all our yellow boats are already running along the river. ';

const speech = createSpeech({ threads: 1 });
const { samples } = await speech.utter('flite', TEXT, { voice: 'slt' });
await speech.close();
const pcm = Buffer.from(Int16Array.from(resampled(samples, SAMPLE_RATE, RATE), (sample) => 32_767 * sample).buffer);

const face = createLiveFace(1, 'friendly');
const queue = new PlayoutQueue(
  {
    onPlaced({ start, chunk }) {
      const move = (mark) => ({ ...mark, start: mark.start - chunk.start, end: mark.end - chunk.start });
      const marks = { phonemes: chunk.marks.phonemes.map(move), words: [] };
      face.addStretch({ start, samples: chunk.samples.length, marks, energy: energyOf(chunk.samples) });
    },
    onCut: (sample) => face.cutAt(sample),
    onEvent: () => undefined,
    onFailure(_id, error) {
      throw error;
    },
    onBegun: () => undefined,
  },
  { now: () => performance.now() },
);
const audio = new AudioSource((out) => queue.pull(out));
queue.start(0);

const begin = performance.now();
const memory = [];
let clock = 0;
let bytes = 0;
for (let left = 60 * MINUTES; left > 0; left -= MAX_SOUND_SECONDS) {
  const sound = new ArrivingSound(RATE);
  const utterance = queue.speak(String(left), (signal) => sound.chunks(signal));
  const ended = { is: false };
  void utterance.ended.then(() => {
    ended.is = true;
  });
  let toSend = Math.min(left, MAX_SOUND_SECONDS) * RATE * 2;
  while (!ended.is) {
    while (toSend > 0 && sound.waitingSeconds < MAX_SOUND_AHEAD_SECONDS - 1) {
      const piece = pcm.subarray(0, Math.min(2 * RATE, toSend));
      sound.append(piece);
      toSend -= piece.length;
      if (toSend === 0) sound.end();
    }
    playSecond();
    // Synthesis and back-pressure run between two calls of the clock.
    await new Promise((resolve) => setImmediate(resolve));
    memory.push(process.memoryUsage.rss() / 1e6);
  }
}
audio.close();
report();

function playSecond() {
  for (let packet = 0; packet < PACKETS_PER_SECOND; packet++) {
    bytes += audio.next()?.payload.length ?? 0;
    const next = clock + SAMPLE_RATE / PACKETS_PER_SECOND;
    if (Math.floor(next / POSE_EVERY) > Math.floor(clock / POSE_EVERY)) face.poseAt(next);
    clock = next;
  }
}

function report() {
  const quarter = Math.floor(memory.length / 4);
  const peakOf = (from) => Math.max(...memory.slice(from * quarter, (from + 1) * quarter));
  const growth = peakOf(3) / peakOf(1);
  console.table([
    {
      'minutes of sound': MINUTES,
      'seconds it took': ((performance.now() - begin) / 1000).toFixed(0),
      'MB of Opus': (bytes / 1e6).toFixed(1),
      'MB, second quarter': peakOf(1).toFixed(0),
      'MB, last quarter': peakOf(3).toFixed(0),
      verdict: growth <= LIMIT ? 'flat' : 'GROWS',
    },
  ]);
  process.exitCode = growth <= LIMIT ? 0 : 1;
}
