// A naive pipeline for comparison: a canvas for each frame, its pixels read back, converted by swscale, then encoded.
import { createCanvas } from '@napi-rs/canvas';
import { allocatePicture, av, avc } from '../packages/media/dist/encode/av.js';
import { openSegmentEncoder } from '../packages/media/dist/encode/index.js';

/** Draws and encodes `frames` frames of a slide with a moving disc instead of a presenter. */
export function naiveFrames(slide, settings, frames) {
  const { width, height } = settings;
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const encoder = openSegmentEncoder(settings);
  const scaler = new av.SoftwareScaleContext();
  scaler.getContext(width, height, avc.AV_PIX_FMT_RGBA, width, height, avc.AV_PIX_FMT_YUV420P, avc.SWS_BILINEAR);
  const converted = allocatePicture(width, height, avc.AV_PIX_FMT_YUV420P);
  const [y, u, v] = converted.data;
  const [yStride, uvStride] = converted.linesize;
  for (let index = 0; index < frames; index++) {
    context.drawImage(slide, 0, 0);
    context.fillStyle = '#d9a282';
    context.beginPath();
    context.ellipse(width * 0.8, height * 0.6 + Math.sin(index / 5) * 6, width * 0.12, height * 0.3, 0, 0, Math.PI * 2);
    context.fill();
    const { data } = context.getImageData(0, 0, width, height);
    const pixels = Buffer.from(data.buffer, data.byteOffset, data.length);
    scaler.scaleSync([pixels], [width * 4], 0, height, [y, u, v], [yStride, uvStride, uvStride]);
    encoder.encode({ width, height, y, u, v, yStride, uvStride });
  }
  encoder.finish();
  encoder.close();
  scaler.freeContext();
  converted.free();
}
