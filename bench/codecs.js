// Cost and size of the codecs (npm run bench:codecs): the same frames of a talking presenter at 1080p, encoded with each of them.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allocateYuv } from '../packages/media/dist/frame.js';
import {
  createSpeech,
  encodeStill,
  energyOf,
  openFonts,
  openFramePainter,
  openSegmentEncoder,
  parseDocument,
  planShots,
  planTimeline,
} from '../packages/media/dist/index.js';

const FRAMES = 50;
const PACK = join(dirname(dirname(fileURLToPath(import.meta.url))), 'presenters', 'packs', 'marcus');

async function talk() {
  const speech = createSpeech();
  const text = 'Hello and welcome to our quarterly report.';
  const { samples, marks } = await speech.utter('flite', text, { voice: 'rms' });
  await speech.close();
  const speeches = [{ samples: samples.length, marks, energy: energyOf(samples) }];
  const objects = [
    { type: 'textbox', left: 40, top: 40, width: 300, text, fontSize: 30, fill: '#fff', fontFamily: 'Inter' },
  ];
  const slide = { id: 1, speech: text, avatar: { code: 'marcus' }, canvas: { background: '#20406a', objects } };
  const { document } = parseDocument({ slides: [slide], data: { resolution: '1080p' } });
  const [shot] = await planShots(document, planTimeline(document, speeches), {
    assets: { picture: async () => Buffer.alloc(0), file: async () => '' },
    fonts: await openFonts(),
    resolvePack: async () => ({ folder: PACK, version: '1' }),
    speeches,
  });
  const painter = await openFramePainter();
  const drawn = await shot.draw();
  const frames = [];
  for (let index = 0; index < FRAMES; index++) frames.push(await painter.paint(drawn, 10 + index));
  await painter.close();
  return frames;
}

function cpuOf(act) {
  const before = process.cpuUsage();
  const result = act();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (user + system) / 1e6 };
}

const frames = await talk();
const opaque = new Uint8Array(frames[0].y.length).fill(255);
const rows = [];
let base;
for (const [name, more] of [
  ['h264 veryfast', {}],
  ['h264 fast', { preset: 'fast' }],
  ['h265', { codec: 'h265' }],
  ['vp9', { codec: 'vp9' }],
  ['vp9 with alpha', { codec: 'vp9', alpha: true }],
  ['av1', { codec: 'av1' }],
]) {
  const settings = { width: 1920, height: 1080, fps: 25, preset: 'veryfast', crf: 21, gopFrames: 50, ...more };
  const shown = (frame) => (settings.alpha ? { ...frame, a: opaque } : frame);
  const { result: bytes, seconds } = cpuOf(() => {
    const encoder = openSegmentEncoder(settings);
    const packets = frames.flatMap((frame) => encoder.encode(shown(frame)));
    packets.push(...encoder.finish());
    encoder.close();
    return packets.reduce((sum, packet) => sum + packet.data.length, 0);
  });
  const still = cpuOf(() => encodeStill(shown(allocateYuv(1920, 1080)), 1500, settings)).seconds;
  base ??= { seconds, bytes };
  rows.push({
    name,
    'ms per frame': ((seconds * 1000) / FRAMES).toFixed(1),
    'time ÷ h264': (seconds / base.seconds).toFixed(2),
    'bytes ÷ h264': (bytes / base.bytes).toFixed(2),
    'one minute of a still, s': still.toFixed(2),
  });
}
console.table(rows);
