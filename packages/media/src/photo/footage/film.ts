import { MediaError, openVideo, probe, type VideoReader, yuvToRgba } from '../../encode/index.js';
import { PortraitRefused } from '../contract.js';
import type { Picture } from '../picture.js';

/** Length of a film that becomes a presenter, seconds. */
const MIN_SECONDS = 20;
const MAX_SECONDS = 180;

/** Pictures that are looked at: at most this many, at most this often per second. */
const MAX_FRAMES = 750;
const MAX_RATE = 12.5;

/** Longer side of the decoded pictures, px: a plate shows no more of a face that fills a third of the height. */
const MAX_SIDE = 1600;
/** Longer side of the pictures in which the face is followed, px: its network sees it at 192 px. */
const MAX_FOLLOWED_SIDE = 960;
/** In a smaller film the face is never large enough. */
const MIN_SIDE = 240;

/** A film may end this much earlier than its container says, as a share of its length. */
const MISSING = 0.05;

/** One picture of a film. */
export interface FilmPicture {
  readonly seconds: number;
  /** Smaller than {@link Film}; valid until the next picture is requested. */
  readonly picture: Picture;
}

/** A film of one person, open for reading. The caller closes it. */
export interface Film {
  /** Size of the pictures of {@link Film.pictureAt}, px. */
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  /** Pictures per second that {@link Film.frames} gives. */
  readonly rate: number;
  /** Pictures at even intervals, in order. Throws {@link PortraitRefused} where the file is damaged. */
  frames(): AsyncGenerator<FilmPicture>;
  /** The picture at a time; ascending times are fastest. */
  pictureAt(seconds: number): Promise<Picture>;
  close(): Promise<void>;
}

/** Opens a film. Throws {@link PortraitRefused} unless it is a video of 20 s to 3 min. */
export async function openFilm(file: string): Promise<Film> {
  const info = await refusing(() => probe(file));
  const { video } = info;
  if (video === undefined) throw new PortraitRefused('The file has no pictures: it must be a video.');
  const seconds = video.durationSeconds || info.durationSeconds;
  if (!(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS)) {
    throw new PortraitRefused(
      `The video is ${Math.round(seconds)} s long; ${MIN_SECONDS} s to ${MAX_SECONDS / 60} min are needed.`,
    );
  }
  if (Math.min(video.width, video.height) < MIN_SIDE) {
    throw new PortraitRefused(
      `The video is too small: ${video.width} × ${video.height} px, at least ${MIN_SIDE} px per side are needed.`,
    );
  }
  const open = (maxSide: number): Promise<VideoReader> => {
    const scale = Math.min(1, maxSide / Math.max(video.width, video.height));
    const even = (side: number): number => 2 * Math.round((side * scale) / 2);
    return openVideo(file, { width: even(video.width), height: even(video.height) });
  };
  const reader = await refusing(() => open(MAX_SIDE));
  const followed = await refusing(() => open(MAX_FOLLOWED_SIDE));
  return new OpenFilm(reader, followed, seconds);
}

class OpenFilm implements Film {
  readonly width: number;
  readonly height: number;
  readonly rate: number;

  constructor(
    private readonly reader: VideoReader,
    private readonly followed: VideoReader,
    readonly durationSeconds: number,
  ) {
    this.width = reader.width;
    this.height = reader.height;
    this.rate = Math.min(MAX_RATE, MAX_FRAMES / durationSeconds);
  }

  async *frames(): AsyncGenerator<FilmPicture> {
    let count = 0;
    let last = 0;
    for (let next = await this.followed.next(); next !== undefined; next = await this.followed.next()) {
      last = next.seconds;
      // A container can claim less than it holds.
      if (last > MAX_SECONDS + 1) throw new PortraitRefused(`The video is longer than ${MAX_SECONDS / 60} min.`);
      if (last * this.rate < count - 1e-6) continue;
      count++;
      yield { seconds: last, picture: yuvToRgba(next.frame) };
    }
    if (last < this.durationSeconds * (1 - MISSING) - 1) {
      throw new PortraitRefused(`The video is damaged: its pictures end at second ${Math.floor(last)}.`);
    }
  }

  async pictureAt(seconds: number): Promise<Picture> {
    return yuvToRgba(await this.reader.frameAt(seconds));
  }

  async close(): Promise<void> {
    await Promise.all([this.reader.close(), this.followed.close()]);
  }
}

async function refusing<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof MediaError)) throw cause;
    throw new PortraitRefused('The file is not a video that can be read.', { cause });
  }
}
