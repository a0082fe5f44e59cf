import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  energyOf,
  type Pcm,
  type SlideDocument,
  SpeechError,
  type SpeechTrack,
  type VideoDocument,
} from '@figurehead/media';
import { type DocumentProblem, type FrozenVideo, type RenderContext, RenderProblem } from './contract.js';
import { type KeptUtterance, utterKept } from './kept-speech.js';
import type { PipelineParts, VoiceWish } from './pipeline-parts.js';

/** What only a look at this server's voices and presenters can judge. */
export async function castingProblems(
  parts: PipelineParts,
  video: FrozenVideo,
  document: VideoDocument,
): Promise<DocumentProblem[]> {
  const problems: DocumentProblem[] = [];
  for (const [index, slide] of document.slides.entries()) {
    const at = `slides[${index}]`;
    if (slide.speech.trim() === '' && slide.duration === null) {
      problems.push({ field: at, message: 'the slide has neither speech nor duration' });
    }
    if (slide.speech.trim() !== '') {
      const reason = await reasonAgainst(() => parts.resolveVoice(wishOf(video, slide)));
      if (reason !== undefined) problems.push({ field: `${at}.voice`, message: reason });
    }
    const { avatar } = slide;
    if (avatar !== null) {
      const reason = await reasonAgainst(() => parts.resolvePack(video.workspaceId, avatar));
      if (reason !== undefined) problems.push({ field: `${at}.avatar`, message: reason });
    }
  }
  return problems;
}

/** A slide that is spoken. Its sound lies in a file: an hour of it would take 700 MB of memory. */
export interface SpokenSlide {
  readonly track: SpeechTrack;
  /** It had been kept. */
  readonly reused: boolean;
  /** Reads the sound. */
  samples(): Promise<Pcm>;
}

/** Speaks every slide in order, into `folder`; a silent slide gives null. `onProgress` hears the share that is done, 0 to 1. */
export async function speakSlides(
  parts: PipelineParts,
  { video, document }: { video: FrozenVideo; document: VideoDocument },
  { folder, signal, onProgress }: Pick<RenderContext, 'folder' | 'signal'> & { onProgress(share: number): void },
): Promise<(SpokenSlide | null)[]> {
  const speeches: (SpokenSlide | null)[] = [];
  const store = (await parts.kept?.(video.workspaceId))?.speech;
  for (const [index, slide] of document.slides.entries()) {
    onProgress(index / document.slides.length);
    if (slide.speech.trim() === '') {
      speeches.push(null);
      continue;
    }
    const voice = await parts.resolveVoice(wishOf(video, slide));
    try {
      const spoken = await utterKept({ speech: parts.speech, store }, voice, { text: slide.speech, signal });
      speeches.push(await laidDown(spoken, join(folder, `speech-${index}`)));
    } catch (error) {
      if (!(error instanceof SpeechError)) throw error;
      throw new RenderProblem([{ field: `slides[${index}].speech`, message: error.message }], { cause: error });
    }
  }
  return speeches;
}

async function laidDown({ utterance, reused }: KeptUtterance, file: string): Promise<SpokenSlide> {
  const { samples, marks } = utterance;
  await writeFile(file, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  return {
    track: { samples: samples.length, marks, energy: energyOf(samples) },
    reused,
    // Copied, for floats must lie at a multiple of four bytes.
    samples: async () => new Float32Array(Uint8Array.from(await readFile(file)).buffer),
  };
}

function wishOf(video: FrozenVideo, slide: SlideDocument): VoiceWish {
  const { voice, voiceProvider: provider, language } = slide;
  return { workspaceId: video.workspaceId, voice, provider, language };
}

async function reasonAgainst(find: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await find();
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}
