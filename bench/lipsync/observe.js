/** Decodes a finished video and reads mouth, eyes and sound from it. */
import { decodeAudio, decodeFrames, energyOf, probe } from '../../packages/media/dist/index.js';
import { colourOfEyes } from './eye-gauge.js';
import { silentFrames } from './figures.js';
import { trackHead } from './head-track.js';
import { calibrate, stripOf } from './mouth-gauge.js';
import { calibrateTeeth, teethShown, teethStripOf } from './teeth-gauge.js';

/** Maximum seconds of sound. */
const LONGEST = 4 * 3600;
/** Number of frames of closed lips to learn their colours from. */
const ENOUGH = 400;
/** Share of the quietest frames that is used in a video without settled silence. */
const QUIETEST = 0.06;
/** Teeth are measured in at most this many frames, two minutes, because their strips are kept in memory. */
const TEETH_FRAMES = 3000;

/**
 * @typedef {{ mouth: import('./mouth-gauge.js').MouthPlace, eyes: readonly import('./eye-gauge.js').EyePlace[] }} Places
 */

/** Gaps (in halves of the mouth region's width), teeth shown by the wide open mouth, colours of the eyes, loudness and sound of a video file. */
export async function observe(/** @type {string} */ file, /** @type {Places} */ { mouth, eyes }) {
  const { video } = await probe(file);
  if (video === undefined) throw new Error(`${file}: expected a video, found no pictures`);
  const pcm = await decodeAudio(file, { maxSeconds: LONGEST });
  const loudness = energyOf(pcm);
  const strips = [];
  const teethStrips = [];
  const eyeColours = [];
  const shiftOf = trackHead({ mouth, eyes });
  for await (const frame of decodeFrames(file)) {
    const shift = shiftOf(frame);
    const place = { ...mouth, x: mouth.x + shift.x, y: mouth.y + shift.y };
    strips.push(stripOf(frame, place));
    if (teethStrips.length < TEETH_FRAMES) teethStrips.push(teethStripOf(frame, place));
    if (eyes.length > 0)
      eyeColours.push(
        colourOfEyes(
          frame,
          eyes.map((eye) => ({ ...eye, x: eye.x + shift.x, y: eye.y + shift.y })),
        ),
      );
  }
  const { fps } = video;
  let closed = silentFrames({ fps, gaps: strips.map(() => 0), loudness });
  if (closed.length < 10) {
    const quiet = strips.map((_, frame) => ({ frame, level: loudness[Math.round((frame / fps) * 100)] ?? 0 }));
    quiet.sort((a, b) => a.level - b.level);
    closed = quiet.slice(0, Math.ceil(strips.length * QUIETEST)).map(({ frame }) => frame);
  }
  const step = Math.max(1, Math.floor(closed.length / ENOUGH));
  const learnt = closed.filter((_, i) => i % step === 0);
  const gapOf = calibrate(
    learnt.map((frame) => strips[frame]),
    strips,
  );
  const gaps = strips.map((strip) => gapOf(strip) / mouth.half);
  const teethOf = calibrateTeeth(learnt.map((frame) => teethStrips[frame]).filter((strip) => strip !== undefined));
  return { fps, gaps, teeth: teethShown(gaps, teethStrips.map(teethOf)), eyeColours, loudness, pcm };
}
