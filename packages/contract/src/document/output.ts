/** Aspect ratios of a video, and the size of their canvas in canvas units: its shorter side is always 360. */
export const FORMATS = {
  '16_9': { label: 'Wide, 16:9', width: 640, height: 360 },
  '9_16': { label: 'Tall, 9:16', width: 360, height: 640 },
  '1_1': { label: 'Square, 1:1', width: 360, height: 360 },
} as const;
export type AspectFormat = keyof typeof FORMATS;

/** Place of the presenter on a slide without an `avatar` object, as shares of the frame. */
const PRESENTER_PLACES = {
  '16_9': {
    beside: { x: 0.47, y: 0.2, width: 0.53, height: 0.8 },
    alone: { x: 0.1, y: 0.06, width: 0.8, height: 0.94 },
  },
  // Wider than the frame, which cuts the plate's empty sides off: a person as wide as the frame.
  '9_16': {
    beside: { x: -0.225, y: 0.5, width: 1.45, height: 0.5 },
    alone: { x: -0.225, y: 0.3, width: 1.45, height: 0.7 },
  },
  '1_1': { beside: { x: 0.3, y: 0.42, width: 0.7, height: 0.58 }, alone: { x: 0, y: 0.14, width: 1, height: 0.86 } },
} as const;

/**
 * Default box of a presenter in a frame, in its units: on the right, below or next to other objects; in the middle of an empty slide. The
 * picture fits inside, aligned to the bottom.
 */
export function presenterBox(frame: { readonly width: number; readonly height: number }, hasObjects: boolean) {
  const { width, height } = frame;
  const places = PRESENTER_PLACES[width > height ? '16_9' : width < height ? '9_16' : '1_1'];
  const share = hasObjects ? places.beside : places.alone;
  return { x: share.x * width, y: share.y * height, width: share.width * width, height: share.height * height };
}

/** Shorter side of the frame in px; `sameAs` names the row that user interfaces show. */
export const RESOLUTIONS = {
  HD: { label: 'HD, 720p', px: 720, sameAs: 'HD' },
  FullHD: { label: 'Full HD, 1080p', px: 1080, sameAs: 'FullHD' },
  '4K': { label: '4K, 2160p', px: 2160, sameAs: '4K' },
  '720p': { label: 'HD, 720p', px: 720, sameAs: 'HD' },
  '1080p': { label: 'Full HD, 1080p', px: 1080, sameAs: 'FullHD' },
  '2160p': { label: '4K, 2160p', px: 2160, sameAs: '4K' },
} as const;
export type Resolution = keyof typeof RESOLUTIONS;

/** Size of the encoded picture, px. */
export function frameSize(
  format: AspectFormat,
  resolution: Resolution,
): { readonly width: number; readonly height: number } {
  const { width, height } = FORMATS[format];
  const scale = RESOLUTIONS[resolution].px / Math.min(width, height);
  return { width: width * scale, height: height * scale };
}

/** Frame rates in frames per second; each divides 48 000 samples into whole numbers. */
export const FRAME_RATES = [25, 30, 50, 60] as const;
export type FrameRate = (typeof FRAME_RATES)[number];

/** Encoder presets, with x264's names. */
export const ENCODE_PRESETS = {
  veryfast: { label: 'Quick to render' },
  fast: { label: 'Smaller file' },
} as const;
export type EncodePreset = keyof typeof ENCODE_PRESETS;

/** How captions are drawn into the picture: not at all, as lines, or with the spoken word highlighted. */
export const CAPTION_STYLES = {
  off: { label: 'None' },
  lines: { label: 'Lines' },
  words: { label: 'Lines, the spoken word marked' },
} as const;
export type CaptionStyle = keyof typeof CAPTION_STYLES;
