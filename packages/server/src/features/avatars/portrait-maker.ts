import { writeFile } from 'node:fs/promises';
import { setImmediate as breathe } from 'node:timers/promises';
import { allocateYuv, SAMPLE_RATE, type YuvFrame } from '@figurehead/media/basic';
import { type EncodedPacket, encodePicture, openMp4, openSegmentEncoder } from '@figurehead/media/encode';
import { archivePack, createCompositor, loadPack, type PresenterPack, packPlate } from '@figurehead/media/presenter';
import { createFaceTrack, type Pose } from '@figurehead/presenter/face';
import type { PortraitOrder } from './portraits.js';

const THUMBNAIL_PX = 512;
const PREVIEW_PX = 360;
const FPS = 25;
const LOOP_FRAMES = 4 * FPS;
/** The clip plays this much of the face animation forwards and backwards, slowest at the turns. */
const SWING = 1.8 * SAMPLE_RATE;
/** Range and step of the search for a fitting moment in the face animation, samples. */
const SEARCHED = 40 * SAMPLE_RATE;
const SEARCH_STEP = SAMPLE_RATE / 10;

/** Draws one picture of a presenter. Heavy, so it runs in a separate process. */
export async function makePortrait(order: PortraitOrder): Promise<void> {
  if (order.kind === 'canvas') await writeFile(order.file, await packPlate(order.pack));
  else if (order.kind === 'bust') await writeFile(order.file, await packPlate(order.pack, 'bust'));
  else if (order.kind === 'preview') await writeClip(order);
  else if (order.kind === 'half' || order.kind === 'whole')
    await writeFile(order.file, await archivePack(order.pack, order.kind === 'half'));
  else await writeThumbnail(order);
}

async function writeThumbnail({ pack, file }: PortraitOrder): Promise<void> {
  await drawPoses(await loadPack(pack), { side: THUMBNAIL_PX, poses: [restingPose()] }, async (frame) => {
    await writeFile(file, await encodePicture(frame, 'webp', { maxWidth: THUMBNAIL_PX, quality: 86 }));
  });
}

async function writeClip({ pack: folder, file }: PortraitOrder): Promise<void> {
  const pack = await loadPack(folder);
  const format = { width: PREVIEW_PX, height: PREVIEW_PX, fps: FPS } as const;
  const encoder = openSegmentEncoder({ ...format, preset: 'fast', crf: 21, gopFrames: LOOP_FRAMES });
  const writer = await openMp4(file, format);
  try {
    const packets: EncodedPacket[] = [];
    await drawPoses(pack, { side: PREVIEW_PX, poses: loopPoses(pack) }, async (frame) => {
      packets.push(...encoder.encode(frame));
    });
    packets.push(...encoder.finish());
    await writer.write({ frames: LOOP_FRAMES, extradata: encoder.extradata, packets });
    await writer.finish();
  } finally {
    encoder.close();
    await writer.discard();
  }
}

/** Draws the bust of a pack in each pose; a frame is valid until `each` has returned. */
async function drawPoses(
  pack: PresenterPack,
  { side, poses }: { readonly side: number; readonly poses: readonly Pose[] },
  each: (frame: YuvFrame) => Promise<void>,
): Promise<void> {
  const compositor = await createCompositor();
  try {
    const ground = softGround(side);
    const target = compositor.createFrame(side, side);
    const whole = { x: 0, y: 0, width: side, height: side };
    const placed = compositor.place(pack, { ...whole, crop: 'bust' }, target);
    for (const pose of poses) {
      compositor.restore(ground, target, whole);
      placed.draw(pose, target);
      await each(target);
      await breathe();
    }
  } finally {
    compositor.close();
  }
}

/** A blue-grey background, lighter behind the head, in BT.709 limited range. */
function softGround(side: number): YuvFrame {
  const frame = allocateYuv(side, side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const far = Math.hypot(x / side - 0.5, y / side - 0.42);
      frame.y[y * frame.yStride + x] = Math.round(168 - 92 * Math.min(1, far / 0.75) ** 1.5);
    }
  }
  frame.u.fill(134);
  frame.v.fill(122);
  return frame;
}

const idleFace = ({ motion }: Pick<PresenterPack, 'motion'> = {}) =>
  createFaceTrack({ seed: 5, stretches: [], expression: 'friendly' }, motion);

/** A moment in which the eyes are open and look at the viewer. */
function restingPose(): Pose {
  const face = idleFace();
  const [best] = moments()
    .map((sample) => face.poseAt(sample))
    .map((pose) => ({
      pose,
      unrest: 5 * pose.lids + Math.hypot(pose.gaze.x, pose.gaze.y) + 10 * Math.abs(pose.head.yaw),
    }))
    .sort((a, b) => a.unrest - b.unrest);
  return best!.pose;
}

/** Poses of the loop: a part of the face animation with a blink in its middle, played forwards and backwards. */
function loopPoses(pack: PresenterPack): Pose[] {
  const face = idleFace(pack);
  const start = moments().find((sample) => hasBlinkInside(sample, (at) => face.poseAt(at).lids)) ?? 0;
  return Array.from({ length: LOOP_FRAMES }, (_, frame) => {
    const forth = (1 - Math.cos((2 * Math.PI * frame) / LOOP_FRAMES)) / 2;
    return face.poseAt(Math.round(start + forth * SWING));
  });
}

/** The ends of the swing, where it is slow, must show open eyes; a blink in between appears twice. */
function hasBlinkInside(start: number, lidsAt: (sample: number) => number): boolean {
  const lids = Array.from({ length: 37 }, (_, i) => lidsAt(start + (i * SWING) / 36));
  const isOpen = (part: readonly number[]): boolean => part.every((closed) => closed < 0.05);
  return isOpen(lids.slice(0, 11)) && isOpen(lids.slice(-11)) && lids.some((closed) => closed > 0.8);
}

function moments(): number[] {
  return Array.from({ length: SEARCHED / SEARCH_STEP }, (_, i) => (i + 20) * SEARCH_STEP);
}
