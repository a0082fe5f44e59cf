import { av, checkAv, quietFfmpeg } from '../av.js';

/**
 * Accepted containers. Playlists and scripts (hls, dash, concat, image sequences) are excluded: they make FFmpeg open
 * other files and addresses that their author chose.
 */
const FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,gif,apng,webp_pipe,png_pipe,jpeg_pipe,mp3,wav,w64,aiff,ogg,flac,aac,ac3,eac3,amr,caf,au,wv,voc,tta,ape,dts,h264,hevc,ivf,mpegvideo,m4v,dv,mxf,yuv4mpegpipe';

/**
 * Opens a local file for demuxing, without following references to other files. The caller closes it. Throws `AvError`.
 */
export async function openInput(file: string): Promise<av.FormatContext> {
  quietFfmpeg();
  const input = new av.FormatContext();
  input.allocContext();
  input.setOption('protocol_whitelist', 'file');
  input.setOption('format_whitelist', FORMATS);
  input.maxStreams = 64;
  let opened = false;
  try {
    checkAv(await input.openInput(`file:${file}`), 'opening the file');
    opened = true;
    checkAv(await input.findStreamInfo(), 'reading the file');
    return input;
  } catch (error) {
    // A failed open has already freed the context.
    if (opened) await input.closeInput();
    throw error;
  }
}

/** A file's length in seconds; 0 when unknown. */
export function wholeSeconds({ duration, startTime, iformat }: av.FormatContext): number {
  // Matroska has the end, also of a recording whose clock was not at zero.
  const start = iformat?.name?.startsWith('matroska') && startTime > 0n ? startTime : 0n;
  return Math.max(0, Number(duration - start) / 1e6);
}

/** A track's length in seconds, if known. */
export function streamSeconds(stream: av.Stream): number | undefined {
  const base = stream.timeBase;
  const seconds = (Number(stream.duration) * base.num) / base.den;
  return stream.duration > 0n && Number.isFinite(seconds) ? seconds : undefined;
}
