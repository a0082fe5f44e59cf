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

/**
 * Slides that are spoken at once: one for each of the two threads that the engines of this machine have, and one more that waits for them;
 * services of the network mostly make their callers wait.
 */
const AT_ONCE = 3;

/**
 * Speaks every slide, some at once, into `folder`; a silent slide gives null. `onProgress` hears the share that is done, 0 to 1. Of several slides
 * that cannot be spoken the first one is named. What a service refuses because it is asked too much is asked again alone.
 */
export async function speakSlides(
  parts: PipelineParts,
  { video, document }: { video: FrozenVideo; document: VideoDocument },
  { folder, signal, onProgress }: Pick<RenderContext, 'folder' | 'signal'> & { onProgress(share: number): void },
): Promise<(SpokenSlide | null)[]> {
  const { slides } = document;
  const store = (await parts.kept?.(video.workspaceId))?.speech;
  const speeches: (SpokenSlide | null)[] = slides.map(() => null);
  const crowdedOut: number[] = [];
  const failures = new Map<number, unknown>();
  let done = 0;
  const speak = async (index: number): Promise<void> => {
    const slide = slides[index]!;
    if (slide.speech.trim() !== '') {
      const voice = await parts.resolveVoice(wishOf(video, slide));
      const spoken = await utterKept({ speech: parts.speech, store }, voice, { text: slide.speech, signal });
      speeches[index] = await laidDown(spoken, join(folder, `speech-${index}`));
    }
    done += 1;
    onProgress(done / slides.length);
  };
  const order = slides.keys();
  const speaker = async (): Promise<void> => {
    for (const index of order) {
      // Slides that come first have been begun by now: theirs is the failure that is told.
      if (failures.size > 0) return;
      try {
        await speak(index);
      } catch (error) {
        if (error instanceof SpeechError && error.code === 'rate_limited') crowdedOut.push(index);
        else failures.set(index, error);
      }
    }
  };
  onProgress(0);
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, slides.length) }, speaker));
  for (const index of failures.size > 0 ? [] : crowdedOut.sort((a, b) => a - b)) {
    await speak(index).catch((error: unknown) => failures.set(index, error));
    if (failures.size > 0) break;
  }
  const [first] = [...failures].sort(([a], [b]) => a - b);
  if (first === undefined) return speeches;
  const [index, error] = first;
  if (!(error instanceof SpeechError)) throw error;
  throw new RenderProblem([{ field: `slides[${index}].speech`, message: error.message }], { cause: error });
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
