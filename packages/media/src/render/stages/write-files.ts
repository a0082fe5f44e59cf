import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { containerOf } from '@figurehead/contract/document/codec';
import { samplesToSeconds } from '@figurehead/presenter/time';
import { digestOf } from '../../digest.js';
import { encodeGif } from '../../encode/codecs/gif.js';
import type { VideoSettings } from '../../encode/contract.js';
import type { Timeline } from '../../scene/timeline/timeline.js';
import type { Marks } from '../../speech/contract.js';
import type { RenderedFiles, RenderJob, Reuse } from '../contract.js';
import { lipSyncOf } from '../lip-sync.js';
import type { SharedPlan } from '../render-plan.js';
import type { MuxJob, RenderedVideo } from './mux.js';

const compress = promisify(gzip);

/** Path and metadata of the video file. */
export function muxJobOf(
  { document, output, signal }: Pick<RenderJob, 'document' | 'output' | 'signal'>,
  { timeline, settings }: { readonly timeline: Timeline; readonly settings: VideoSettings },
): Omit<MuxJob, 'segments' | 'audio'> {
  return {
    timeline,
    subtitleTrack: document.data.subtitlesEnabled,
    settings,
    out: join(output, `video.${containerOf(settings.codec).extension}`),
    signal,
  };
}

/** A written video and the data for its report. */
export interface WrittenVideo {
  readonly job: Pick<RenderJob, 'document' | 'output'>;
  /** File of the finished video. */
  readonly video: string;
  readonly timeline: Timeline;
  readonly settings: VideoSettings;
  readonly plan: SharedPlan;
  readonly shotKeys: readonly string[];
  /** Reused parts of each slide's pictures. */
  readonly pictures: readonly (readonly Reuse[])[];
}

/** Writes the files that belong to a rendered video into the output folder. */
export async function writeFiles(rendered: RenderedVideo, written: WrittenVideo): Promise<RenderedFiles> {
  const { job, video, timeline, settings, plan, shotKeys, pictures } = written;
  const { document, output } = job;
  const put = async (name: string, content: string | Uint8Array): Promise<string> => {
    const file = join(output, name);
    await writeFile(file, content);
    return file;
  };
  const { durationSeconds, frames, reusedSegments, segments } = rendered;
  const lipSync = lipSyncOf({ document, timeline }, plan.tracks, plan.peaks);
  const gif = async () => encodeGif(video, rendered.thumbnailFrame / timeline.fps, { alpha: settings.alpha === true });
  return {
    video,
    thumbnailJpeg: await put('thumbnail.jpg', rendered.thumbnail.jpeg),
    thumbnailWebp: await put('thumbnail.webp', rendered.thumbnail.webp),
    vtt: await put('subtitles.vtt', rendered.vtt),
    srt: await put('subtitles.srt', rendered.srt),
    // Compresses tenfold: an hour at 25 frames/s is about 2 MB.
    lipSync: await put('lip-sync.json.gz', await compress(JSON.stringify(lipSync))),
    ...(document.data.gifEnabled ? { gif: await put('preview.gif', await gif()) } : {}),
    durationSeconds,
    report: {
      // All frames depend on these; the keys cover the speech.
      contentHash: digestOf([settings, shotKeys]),
      frames,
      segments,
      reusedSegments,
      slides: document.slides.map(({ id }, slide) => {
        const speech = plan.reusedSpeech.includes(slide) ? (['speech'] as const) : [];
        const marks = namedMarks(plan.tracks[slide]?.marks, timeline.slides[slide]?.speechStart ?? 0);
        return { id, reused: [...speech, ...(pictures[slide] ?? [])], ...(marks && { marks }) };
      }),
    },
  };
}

/** Marks of a script with times in the video. */
function namedMarks(marks: Marks | undefined, offset: number): { name: string; at: number }[] | undefined {
  return marks?.named?.map(({ name, at }) => ({ name, at: samplesToSeconds(offset + at) }));
}
