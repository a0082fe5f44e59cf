/** Container formats of a finished video. */
export const CONTAINERS = {
  mp4: { extension: 'mp4', mediaType: 'video/mp4', sound: 'aac' },
  webm: { extension: 'webm', mediaType: 'video/webm', sound: 'opus' },
} as const;

/** Properties of a codec. */
export interface CodecRow {
  readonly label: string;
  readonly container: keyof typeof CONTAINERS;
  /** Name of the codec in its container: the sample entry of an MP4, the codec id of a WebM. */
  readonly mark: string;
  /** Box of an MP4 that holds the decoder configuration. */
  readonly configBox?: string;
  /** It can carry transparency. */
  readonly alpha: boolean;
}

/** Codecs of a finished video, all 4:2:0 with 8 bits per sample. `h264` plays everywhere. */
export const CODECS = {
  h264: { label: 'H.264, MP4', container: 'mp4', mark: 'avc1', configBox: 'avcC', alpha: false },
  h265: { label: 'H.265, MP4', container: 'mp4', mark: 'hvc1', configBox: 'hvcC', alpha: false },
  vp9: { label: 'VP9, WebM', container: 'webm', mark: 'V_VP9', alpha: true },
  av1: { label: 'AV1, WebM', container: 'webm', mark: 'V_AV1', alpha: false },
} as const satisfies Readonly<Record<string, CodecRow>>;
export type Codec = keyof typeof CODECS;

/** Extension, media type and sound codec of a file with `codec`; H.264 when absent. */
export function containerOf(codec: Codec = 'h264'): (typeof CONTAINERS)[keyof typeof CONTAINERS] {
  return CONTAINERS[CODECS[codec].container];
}
