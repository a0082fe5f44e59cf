import { createHash } from 'node:crypto';
import { isRecorded, type Slide, type SlideSpeechInput } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError, invalidFields } from '../../kernel/errors.js';
import { ETAG, type Tagged } from '../../kernel/http/etag.js';
import { MEDIA_LINK_SECONDS, objectPrefix, type StoredVideo, storeSpeech } from '../videos/index.js';
import { timesOf } from './speech.js';
import type { StoredSpeech, Voices } from './voices.js';

/** A slide of a video, by the id in the path. Throws `notFound`. */
export function findSlide(video: StoredVideo, slideId: string): Slide {
  const slide = video.slides.find((candidate) => String(candidate.id) === slideId);
  if (slide === undefined) throw new ApiError('notFound', { what: 'slide' });
  return slide;
}

/**
 * Speaks a slide and stores speech and sound in it. The sound is copied from the cache to the video, so that it exists
 * as long as the video. The answer is under the video's entity tag.
 */
export async function speakSlide(
  kernel: Kernel,
  voices: Voices,
  options: { video: StoredVideo; slide: Slide; change: SlideSpeechInput; signal: AbortSignal },
): Promise<Tagged<{ url: string } & Pick<StoredSpeech, 'duration' | 'words' | 'marks'>>> {
  const { video, change, signal } = options;
  const slide = { ...options.slide, ...change };
  const store = isRecorded(slide) ? storeRecorded : storeSpoken;
  const { key, duration, words, marks } = await store(kernel, voices, { video, slide, signal });
  const times = { duration, words, ...(marks && { marks }) };
  const etag = await storeSpeech(kernel, video.id, { spoken: slide, change, audio: { url: key, ...times } });
  return { url: kernel.objects.link(key, MEDIA_LINK_SECONDS), ...times, [ETAG]: etag };
}

/** A slide and its video. */
interface SlideToSpeak {
  readonly video: StoredVideo;
  readonly slide: Slide;
  readonly signal: AbortSignal;
}

async function storeSpoken(
  kernel: Kernel,
  voices: Voices,
  { video, slide, signal }: SlideToSpeak,
): Promise<StoredSpeech> {
  const text = slide.speech?.trim() ?? '';
  if (text === '') throw invalidFields([{ field: 'speech', message: 'is required: the slide has none' }]);
  const wish = { voice: slide.voice, provider: slide.voiceProvider, language: slide.language };
  const voice = await voices.resolve(video.workspaceId, wish);
  const spoken = await voices.speak(video.workspaceId, text, voice, signal);
  const key = keyOf({ video, slide }, spoken.key.split('/').at(-1) ?? '');
  const sound = await kernel.objects.get(spoken.key);
  if (sound === undefined) throw new Error(`the cached speech ${spoken.key} vanished while it was copied`);
  await kernel.objects.put(key, sound.body, sound.info.contentType);
  return { ...spoken, key };
}

async function storeRecorded(
  kernel: Kernel,
  voices: Voices,
  { video, slide, signal }: SlideToSpeak,
): Promise<StoredSpeech> {
  const { recording, speech, language } = slide;
  if (!recording) throw invalidFields([{ field: 'recording', message: 'is required: the slide has none' }]);
  const wish = { src: recording.src, script: speech ?? '', language: language ?? null };
  const hash = createHash('sha256').update(JSON.stringify(wish)).digest('hex').slice(0, 32);
  const key = keyOf({ video, slide }, `${hash}.wav`);
  const onSound = async (file: string): Promise<void> => {
    await kernel.objects.putFile(key, file, 'audio/wav');
  };
  const track = await voices.recordings.read(video.workspaceId, wish, { signal, onSound });
  return { key, ...timesOf(track) };
}

function keyOf({ video, slide }: Omit<SlideToSpeak, 'signal'>, name: string): string {
  return `${objectPrefix(video)}speech/${slide.id}-${name}`;
}
