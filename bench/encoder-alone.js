// Time of x264 alone for the frames of shots: frames are drawn outside the measurement and encoded on as many threads as in a render, with the same
// preset and constant rate factor but without information about the content.
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openSegmentEncoder } from '../packages/media/dist/encode/index.js';
import { createCompositor } from '../packages/media/dist/presenter/index.js';
import { ShotDrawing } from '../packages/media/dist/render/drawing/drawing.js';
import { planSegments } from '../packages/media/dist/render/plan.js';
import { createFaceTrack } from '../packages/presenter/dist/face/index.js';
import { allocateYuv } from '../packages/presenter/dist/frame.js';

/** Processor and wall seconds of `act`, all threads of this process. */
export async function measured(act) {
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await act();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: (user + system) / 1e6, wall: (performance.now() - start) / 1000 };
}

/**
 * Encodes drawn shots; `plans` (those of the shots when absent) are their segments.
 * @returns processor and wall seconds of encoding, and processor seconds of drawing the frames without fitting presenters
 */
export async function encodeAlone(shots, settings, { threads, loadPack, plans }) {
  const compositor = await createCompositor();
  const frame = () => compositor.createFrame(settings.width, settings.height);
  const frames = { target: frame(), ground: frame(), scratch: frame() };
  const encoders = Array.from(
    { length: threads },
    () => new Worker(fileURLToPath(import.meta.url), { workerData: settings }),
  );
  await Promise.all(encoders.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
  const sum = { cpu: 0, wall: 0, drawing: 0 };
  for (const shot of shots) {
    const packs = new Map();
    for (const layer of shot.layers) if (layer.kind === 'presenter') packs.set(layer.pack, await loadPack(layer.pack));
    const drawing = await ShotDrawing.open(shot, {
      compositor,
      ...frames,
      pack: (folder) => packs.get(folder),
      createFaceTrack,
    });
    const segments = plans ?? planSegments(shot, settings.gopFrames);
    for (let at = 0; at < segments.length; at += threads) {
      const batch = [];
      for (const plan of segments.slice(at, at + threads)) batch.push(await drawn(drawing, plan, sum));
      const run = await measured(() => Promise.all(batch.map((pictures, index) => answer(encoders[index], pictures))));
      sum.cpu += run.cpu;
      sum.wall += run.wall;
    }
    await drawing.close();
  }
  await Promise.all(encoders.map((worker) => worker.terminate()));
  compositor.close();
  return sum;
}

async function drawn(drawing, plan, sum) {
  drawing.begin(plan.start, plan.frames);
  const pictures = [];
  for (let index = 0; index < plan.frames; index++) {
    const { result, cpu } = await measured(() => drawing.draw(plan.start + index));
    sum.drawing += cpu;
    pictures.push(copyOf(result));
  }
  return pictures;
}

function answer(worker, frames) {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage(frames);
  });
}

function copyOf(frame) {
  const copy = allocateYuv(frame.width, frame.height);
  for (const [plane, stride, width] of [
    ['y', 'yStride', frame.width],
    ['u', 'uvStride', frame.width / 2],
    ['v', 'uvStride', frame.width / 2],
  ]) {
    for (let row = 0; row < copy[plane].length / width; row++) {
      copy[plane].set(frame[plane].subarray(row * frame[stride], row * frame[stride] + width), row * width);
    }
  }
  return copy;
}

/** The thread of {@link encodeAlone}, which only encodes. */
function encodeForever(settings) {
  parentPort.on('message', (frames) => {
    const encoder = openSegmentEncoder(settings);
    for (const frame of frames) encoder.encode(frame);
    encoder.finish();
    encoder.close();
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
}

if (!isMainThread) encodeForever(workerData);
