/** Aspect ratios of a video, and the size of their canvas in canvas units: its shorter side is always 360. */
export const FORMATS = {
  '16_9': { label: 'Wide, 16:9', width: 640, height: 360 },
  '9_16': { label: 'Tall, 9:16', width: 360, height: 640 },
  '1_1': { label: 'Square, 1:1', width: 360, height: 360 },
} as const;
export type AspectFormat = keyof typeof FORMATS;

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
