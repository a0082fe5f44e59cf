/** Draws a live presenter in the page that watches it; bundled to `/embed/presenter.js`. */
import type { FaceMessage } from '@figurehead/contract';
import { createLiveFace, type LiveFace, type OwnMotion } from '../face/index.js';
import { readStretch } from '../face/messages.js';
import { type PlayedPacket, SoundClock } from './sound-clock.js';
import { openStage, type StageOptions } from './stage.js';

export { openScreen } from './screen.js';
export { openPicture } from './stage.js';

/** Time between two readings of the sound, which cost a change of threads. */
const READ_MS = 250;
/** Latency of the sound's output where the browser does not say it, ms. */
const OUTPUT_MS = 30;

/** The sound's receiver. */
export interface SoundReceiver {
  getSynchronizationSources(): readonly PlayedPacket[];
}

/** A presenter in the page. The caller closes it. */
export interface Viewer {
  /** Takes a message of the data channel. @param sound the receiver of sound of its connection. */
  receive(message: FaceMessage, sound: SoundReceiver | undefined): void;
  close(): void;
}

/**
 * Loads a presenter and draws it on a canvas, in step with the sound that plays.
 * @throws Error when a file does not come or there is no WebGL, PackError for a pack that cannot be read.
 */
export async function openViewer(options: StageOptions): Promise<Viewer> {
  const clock = new SoundClock();
  const early: FaceMessage[] = [];
  let face: LiveFace | undefined;
  let receiver: SoundReceiver | undefined;
  let readMs = 0;
  const stage = await openStage(options, (startMs) => {
    const [played] = startMs - readMs > READ_MS ? (receiver?.getSynchronizationSources() ?? []) : [];
    if (played !== undefined) {
      clock.read(played);
      readMs = startMs;
    }
    return face?.poseAt(Math.max(0, clock.sampleAt(performance.timeOrigin + startMs - OUTPUT_MS)));
  });

  const receive = (message: FaceMessage, sound: SoundReceiver | undefined): void => {
    if (message.type === 'face.begin') {
      receiver = sound;
      clock.begin(message.timestamp, message.sample, performance.timeOrigin + performance.now());
      readMs = 0;
      face ??= createLiveFace(message.seed, message.expression, message.motion as OwnMotion | undefined);
      for (const one of early.splice(0)) receive(one, sound);
    } else if (face === undefined) early.push(message);
    else if (message.type === 'face.stretch') face.addStretch(readStretch(message));
    else if (message.type === 'face.cut') face.cutAt(message.sample);
    else if (message.type === 'face.state') face.setState(message.state, message.sample);
  };
  return { receive, close: () => stage.close() };
}
