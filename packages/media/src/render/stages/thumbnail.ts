import { rm } from 'node:fs/promises';
import { even } from '@figurehead/presenter/even';
import { openOutput } from '../../encode/container/output.js';
import type { EncodedSegment, VideoSettings } from '../../encode/contract.js';
import { encodePicture } from '../../encode/input/picture.js';
import { openVideo } from '../../encode/input/video-reader.js';

/** At most 640 px wide. For a transparent video, the WebP is transparent and the JPEG has a white background. */
export interface Thumbnail {
  readonly jpeg: Buffer;
  readonly webp: Buffer;
}

const WIDTH = 640;

/**
 * Pictures of frame `at` of a segment. The segment is written to a temporary file next to `beside` and decoded from it,
 * so that no separate decoder per codec is needed and the video itself is not opened.
 */
export async function thumbnailOf(
  segment: EncodedSegment,
  at: number,
  { settings, beside }: { readonly settings: VideoSettings; readonly beside: string },
): Promise<Thumbnail> {
  const file = `${beside}.thumbnail`;
  const shrink = Math.min(1, WIDTH / settings.width);
  const [width, height] = [settings.width, settings.height].map((side) => Math.max(2, even(side * shrink)));
  const size = { width: width!, height: height! };
  const writer = await openOutput(file, settings);
  try {
    await writer.write(segment);
    await writer.finish();
    const reader = await openVideo(file, settings.alpha === true ? { alpha: true } : size);
    try {
      const frame = await reader.frameAt(at / settings.fps);
      return { jpeg: await encodePicture(frame, 'jpeg'), webp: await encodePicture(frame, 'webp') };
    } finally {
      await reader.close();
    }
  } finally {
    await writer.discard();
    await rm(file, { force: true });
  }
}
