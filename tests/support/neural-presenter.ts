import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { bytes, FLOAT, INT64, node, number, text, value, words } from './onnx.js';

/** Length of a pose for models; the first number is the opening of the mouth. */
const POSE = 21;

/**
 * Writes a neural presenter to `folder`: a model that paints its frames in the grey of the mouth's opening, and a grey
 * portrait. `output` names the output in the description (the model's is `frame`).
 */
export async function writeNeuralPresenter(
  folder: string,
  { side, output = 'frame' }: { readonly side: number; readonly output?: string },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const description = {
    version: 1,
    name: 'Zoe',
    gender: 'female',
    voice: 'slt',
    width: side,
    height: side,
    model: 'model.onnx',
    portrait: 'portrait.png',
    inputs: { pose: 'pose' },
    output: { name: output, range: [0, 1] },
    batch: 8,
    device: 'cpu',
  };
  await writeFile(join(folder, 'neural.json'), JSON.stringify(description));
  await writeFile(join(folder, 'model.onnx'), model(side));
  await writeFile(join(folder, 'portrait.png'), greyPng(side));
}

/** frame[n, 3, side, side] = pose[n, 0] everywhere. */
function model(side: number): Buffer {
  const graph = [
    node('Gather', ['pose', 'first'], 'opening', bytes(5, text(1, 'axis'), number(3, 1), number(20, 2))),
    node('Reshape', ['opening', 'point'], 'dot'),
    node('Expand', ['dot', 'picture'], 'frame'),
    text(2, 'painter'),
    // A list of one index, so that the axis stays.
    bytes(5, number(1, 1), number(2, INT64), text(8, 'first'), bytes(9, words(0))),
    bytes(5, number(1, 4), number(2, INT64), text(8, 'point'), bytes(9, words(-1, 1, 1, 1))),
    bytes(5, number(1, 4), number(2, INT64), text(8, 'picture'), bytes(9, words(1, 3, side, side))),
    value(11, 'pose', FLOAT, ['frames', POSE]),
    value(12, 'frame', FLOAT, ['frames', 3, side, side]),
  ];
  return Buffer.concat([number(1, 8), bytes(8, text(1, ''), number(2, 13)), bytes(7, ...graph)]);
}

/** A grey PNG, without a picture library. */
function greyPng(side: number): Buffer {
  const rows = Buffer.concat(
    Array.from({ length: side }, () => Buffer.concat([Buffer.from([0]), Buffer.alloc(side, 128)])),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

/** CRC of PNG (ISO 3309). */
function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
