import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createCompositor,
  type EncodedPacket,
  loadPack,
  type MouthPose,
  openMp4,
  openSegmentEncoder,
  type Pose,
} from '@figurehead/media';

const PACKS = fileURLToPath(new URL('../../presenters/packs/', import.meta.url));
const FPS = 25;
/** A scene repeats this many frames. */
const LOOP_FRAMES = 4 * FPS;
const SIDE = 480;

/** A part of a film: built-in presenters beside one another, who say the same few sounds again and again. */
export interface FilmScene {
  readonly presenters: readonly string[];
  /** Rounded up to whole loops of 4 s. */
  readonly seconds: number;
  /** Brightness of the picture, 1 as it is. */
  readonly light?: number;
  /** Nothing moves. */
  readonly still?: boolean;
}

const shut: MouthPose = { open: 0, width: 0, consonants: {}, smile: 0 };
const pressed: MouthPose = { ...shut, consonants: { PP: 1 } };
const wide: MouthPose = { ...shut, open: 0.95 };
/** Each for a third of a second. */
const SOUNDS: readonly MouthPose[] = [
  shut,
  pressed,
  wide,
  pressed,
  { ...shut, open: 0.55, width: 0.45 },
  { ...shut, open: 0.26, width: 0.9 },
  shut,
  { ...shut, open: 0.68, width: -0.65 },
  { ...shut, open: 0.15, width: -1 },
  { ...shut, open: 0.08, consonants: { FF: 0.9 } },
  wide,
  shut,
];

/** Writes a silent MP4 of 25 frames per second, 480 px high and as wide as its presenters. */
export async function writeFilm(file: string, scenes: readonly FilmScene[]): Promise<void> {
  const format = {
    width: SIDE * Math.max(...scenes.map(({ presenters }) => presenters.length)),
    height: SIDE,
    fps: FPS,
  } as const;
  const writer = await openMp4(file, format);
  try {
    for (const scene of scenes) {
      const segment = await encodeScene(scene, format);
      for (let loop = 0; loop * LOOP_FRAMES < scene.seconds * FPS; loop++) await writer.write(segment);
    }
    await writer.finish();
  } finally {
    await writer.discard();
  }
}

async function encodeScene(
  scene: FilmScene,
  format: { readonly width: number; readonly height: number; readonly fps: 25 },
) {
  const encoder = openSegmentEncoder({ ...format, preset: 'fast', crf: 18, gopFrames: LOOP_FRAMES });
  const compositor = await createCompositor();
  try {
    const target = compositor.createFrame(format.width, format.height);
    const people = await Promise.all(
      scene.presenters.map(async (name, i) => {
        const place = { x: i * SIDE, y: 0, width: SIDE, height: SIDE, crop: 'bust' } as const;
        return compositor.place(await loadPack(join(PACKS, name)), place, target);
      }),
    );
    const packets: EncodedPacket[] = [];
    for (let frame = 0; frame < LOOP_FRAMES; frame++) {
      target.y.fill(150);
      target.u.fill(132);
      target.v.fill(122);
      for (const person of people) person.draw(poseOf(scene.still ? 0 : frame), target);
      for (let i = 0; i < target.y.length; i++) target.y[i] = 16 + (scene.light ?? 1) * (target.y[i]! - 16);
      packets.push(...encoder.encode(target));
    }
    packets.push(...encoder.finish());
    return { frames: LOOP_FRAMES, extradata: encoder.extradata, packets };
  } finally {
    compositor.close();
    encoder.close();
  }
}

function poseOf(frame: number): Pose {
  const turn = (2 * Math.PI * frame) / LOOP_FRAMES;
  const at = (frame * SOUNDS.length) / LOOP_FRAMES;
  const [before, now] = [SOUNDS[(Math.floor(at) + SOUNDS.length - 1) % SOUNDS.length]!, SOUNDS[Math.floor(at)]!];
  return {
    mouth: mixed(before, now, Math.min(1, 2 * (at % 1))),
    // A blink in the middle.
    lids: Math.max(0, 1 - Math.abs(frame - LOOP_FRAMES / 2) / 4),
    gaze: { x: 0, y: 0 },
    head: { yaw: 0.06 * Math.sin(turn), pitch: 0.02 * Math.sin(2 * turn), roll: 0, x: 0, y: 0 },
    breath: 0,
    sway: 0,
    brow: 0,
  };
}

function mixed(a: MouthPose, b: MouthPose, share: number): MouthPose {
  const mix = (from = 0, to = 0): number => from + share * (to - from);
  return {
    open: mix(a.open, b.open),
    width: mix(a.width, b.width),
    consonants: { PP: mix(a.consonants.PP, b.consonants.PP), FF: mix(a.consonants.FF, b.consonants.FF) },
    smile: 0,
  };
}
