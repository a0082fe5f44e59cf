import type { PresenterPack } from '@figurehead/presenter';
import type { Pose } from '@figurehead/presenter/face';
import { createFaceTrack } from '@figurehead/presenter/face';
import { frameToSample } from '@figurehead/presenter/time';
import type { Shot } from '../../scene/contract.js';

/** Entrances are searched in the first seconds of a shot; the frame is chosen this long after the last of them. */
const ENTRANCE_SECONDS = 3;
const SETTLE_SECONDS = 0.4;

/** The frame is chosen from this time, which mostly has a pause between words. */
const CHOICE_SECONDS = 2.5;

/**
 * The most representative frame of a shot, counted from its first: after its entrances, before its exits, and with presenters whose eyes are
 * open and whose mouths are at rest.
 * @param packs the shot's packs by folder: filmed presenters blink and move in their own way.
 */
export function goodFrame(shot: Shot, packs: ReadonlyMap<string, Pick<PresenterPack, 'motion'>>): number {
  const { fps } = shot.format;
  const motions = shot.layers.flatMap((layer) => layer.motions);
  const entrances = motions
    .filter((motion) => motion.startFrame < ENTRANCE_SECONDS * fps && motion.to.opacity > 0)
    .map((motion) => motion.startFrame + motion.frames);
  const settled = Math.max(0, ...entrances) + Math.round(SETTLE_SECONDS * fps);
  if (settled >= shot.frames) return Math.floor(shot.frames / 2);
  const later = motions.map(({ startFrame }) => startFrame).filter((frame) => frame > settled);
  const end = Math.min(shot.frames, settled + Math.round(CHOICE_SECONDS * fps), ...later);
  const faces = shot.layers.flatMap((layer) =>
    layer.kind === 'presenter' ? [createFaceTrack(layer.face, packs.get(layer.pack)?.motion)] : [],
  );
  let best = { frame: settled, flaw: Number.POSITIVE_INFINITY };
  for (let frame = settled; frame < end && faces.length > 0; frame++) {
    const flaw = faces.reduce((sum, face) => sum + flawOf(face.poseAt(frameToSample(frame, fps))), 0);
    if (flaw < best.flaw) best = { frame, flaw };
  }
  return best.frame;
}

/** How far a face is from one that looks at the viewer with a mouth at rest; 0 when it does. */
function flawOf({ lids, gaze, mouth, brow }: Pose): number {
  const shaped = Object.values(mouth.consonants).reduce((sum, share) => sum + (share ?? 0), 0);
  return 2 * lids + mouth.open + Math.abs(mouth.width) + shaped + Math.max(0, -brow) + Math.hypot(gaze.x, gaze.y) / 16;
}
