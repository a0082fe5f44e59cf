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
  type YuvFrame,
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
  /** What the mouth does instead of speaking, once in four seconds; head and eyes move. */
  readonly silent?: keyof typeof SILENT;
  /** The camera is this far beside the person, degrees. */
  readonly beside?: number;
  /** Rows from the top that the film shows, even; the chin is in row 335 of 480. */
  readonly rows?: number;
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

/** Mouths without speech at a share of the loop. */
const SILENT = {
  shut: (): MouthPose => shut,
  yawning: (share: number): MouthPose => ({ ...shut, open: Math.max(0, Math.sin(2 * Math.PI * share)) }),
  smiling: (share: number): MouthPose => ({ ...shut, smile: Math.sin(Math.PI * share) }),
} as const;

/** Half of a head's width, px. */
const HEAD_RADIUS = 120;

/** Writes a silent MP4 of 25 frames per second, 480 px high unless the first scene has `rows`, and as wide as its presenters. */
export async function writeFilm(file: string, scenes: readonly FilmScene[]): Promise<void> {
  const format = {
    width: SIDE * Math.max(...scenes.map(({ presenters }) => presenters.length)),
    height: scenes[0]?.rows ?? SIDE,
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
      for (const person of people) person.draw(poseOf(frame, scene), target);
      if (scene.beside !== undefined) turn(target, scene.beside);
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

/** Turns the middle of a picture as if it were painted on a column. */
function turn({ width, height, y, u, v, yStride, uvStride }: YuvFrame, degrees: number): void {
  const planes = [
    { plane: y, stride: yStride, scale: 1 },
    { plane: u, stride: uvStride, scale: 2 },
    { plane: v, stride: uvStride, scale: 2 },
  ];
  for (const { plane, stride, scale } of planes) {
    const [middle, radius] = [width / 2 / scale, HEAD_RADIUS / scale];
    const from = Array.from({ length: width / scale }, (_, x) => {
      const across = (x - middle) / radius;
      if (Math.abs(across) >= 1) return x;
      const angle = Math.asin(across) - (degrees * Math.PI) / 180;
      return Math.round(middle + radius * Math.sin(Math.max(angle, -Math.PI / 2)));
    });
    for (let row = 0; row < height / scale; row++) {
      const line = plane.slice(row * stride, row * stride + width / scale);
      for (const [x, source] of from.entries()) plane[row * stride + x] = line[source]!;
    }
  }
}

function poseOf(shown: number, { still, silent, beside }: FilmScene): Pose {
  const frame = still ? 0 : shown;
  const turned = (2 * Math.PI * frame) / LOOP_FRAMES;
  const at = (frame * SOUNDS.length) / LOOP_FRAMES;
  const [before, now] = [SOUNDS[(Math.floor(at) + SOUNDS.length - 1) % SOUNDS.length]!, SOUNDS[Math.floor(at)]!];
  return {
    mouth: silent ? SILENT[silent](frame / LOOP_FRAMES) : mixed(before, now, Math.min(1, 2 * (at % 1))),
    // A blink in the middle.
    lids: Math.max(0, 1 - Math.abs(frame - LOOP_FRAMES / 2) / 4),
    gaze: { x: 0, y: 0 },
    head: {
      yaw: (beside ? 0.1 : 0) + 0.06 * Math.sin(turned),
      pitch: 0.02 * Math.sin(2 * turned),
      roll: 0,
      x: 0,
      y: 0,
    },
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
