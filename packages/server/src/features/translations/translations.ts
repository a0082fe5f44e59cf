import { type Slide, textsOf, type Video, withTexts } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import type { Http } from '../../kernel/http/contract.js';
import type { Avatars } from '../avatars/index.js';
import { ModelError } from '../language-model/index.js';
import { createVideo, loadLiveVideo, requireImported } from '../videos/index.js';
import type { Voices } from '../voices/index.js';
import { createTranslator } from './translator.js';

/** A model takes up to a minute for a whole video; workspaces take turns. */
const TURNS = { atOnce: 4, perWorkspace: 2, waitingPerWorkspace: 10, waitMs: 20_000 } as const;

/** What chooses the voices of a translation. */
interface Speakers {
  readonly voices: Pick<Voices, 'list' | 'resolve'>;
  readonly avatars: Pick<Avatars, 'list'>;
}

/** Serves the translation of whole videos. */
export function bindTranslations(http: Http, kernel: Kernel, speakers: Speakers): void {
  const translator = createTranslator(kernel);
  const turns = new FairSemaphore(TURNS);
  http.bind('translateVideo', {
    resource: ({ caller, params }) => loadLiveVideo(kernel, caller, params.videoId),
    check: ({ resource }) => {
      requireImported(resource);
      if (translator === undefined) {
        const reason = 'this server has no language model (FIGUREHEAD_LLM_URL); export the texts as XLIFF instead';
        throw new ApiError('badRequest', { reason });
      }
    },
    handle: async ({ caller, resource: video, body: { language }, signal }): Promise<Video> => {
      // Voices for the language are chosen before the model is called.
      const voiceOf = await chooseVoices(speakers, caller.workspace.id, { slides: video.slides, language });
      const texts = textsOf(video.slides);
      const words = texts.map(({ text }) => text);
      const ask = async () => translator?.translate([video.name, ...words], language, signal);
      const translated = await turns.run(caller.workspace.id, ask, signal).catch((error: unknown) => {
        if (error instanceof ModelError) {
          kernel.log.warn({ err: error, videoId: video.id }, 'a translation failed');
          throw new ApiError('modelFailed', { reason: error.message });
        }
        throw error;
      });
      const [name = video.name, ...rest] = translated ?? [];
      const slides = withTexts(video.slides, new Map(texts.map(({ id }, index) => [id, rest[index] ?? ''])));
      return createVideo(kernel, caller, {
        name: name.slice(0, 500),
        type: video.type,
        tags: video.tags,
        folderId: video.folderId,
        data: video.data as Video['data'],
        slides: slides.map((slide) => ({ ...slide, language, ...voiceOf(slide) })),
      });
    },
  });
}

/** A voice of `language` for each slide, of the sex of its presenter; on a slide without one, of its voice. */
async function chooseVoices(
  { voices, avatars }: Speakers,
  workspaceId: string,
  { slides, language }: { readonly slides: readonly Slide[]; readonly language: string },
): Promise<(slide: Slide) => Pick<Slide, 'voice' | 'voiceProvider'>> {
  const [presenters, groups] = await Promise.all([avatars.list(workspaceId), voices.list(workspaceId)]);
  const women = groups.flatMap(({ female }) => female);
  const speakerOf = ({ avatar, hasAvatar, voice, voiceProvider }: Slide) => {
    const code = hasAvatar === false ? undefined : avatar?.code;
    const shown = presenters.find((one) => one.code === code || one.variants.some((look) => look.code === code));
    if (shown || !voice) return shown;
    const isFemale = women.some(
      (one) => one.voice === voice && one.voiceProvider === (voiceProvider ?? one.voiceProvider),
    );
    return { gender: isFemale ? ('female' as const) : ('male' as const), defaultVoice: null };
  };
  const keyOf = (slide: Slide) =>
    JSON.stringify([slide.avatar?.code, slide.hasAvatar, slide.voice, slide.voiceProvider]);
  const chosen = new Map(
    await Promise.all(
      [...new Map(slides.map((slide) => [keyOf(slide), slide]))].map(async ([key, slide]) => {
        const { voice, provider } = await voices.resolve(workspaceId, { language, presenter: speakerOf(slide) });
        return [key, { voice, voiceProvider: provider }] as const;
      }),
    ),
  );
  return (slide) => chosen.get(keyOf(slide)) ?? {};
}
