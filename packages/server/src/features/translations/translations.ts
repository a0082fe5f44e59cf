import { textsOf, type Video, withTexts } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { FairSemaphore } from '../../kernel/fair-semaphore.js';
import type { Http } from '../../kernel/http/contract.js';
import { ModelError } from '../language-model/index.js';
import { createVideo, loadLiveVideo, requireImported } from '../videos/index.js';
import type { Voices } from '../voices/index.js';
import { createTranslator } from './translator.js';

/** A model takes up to a minute for a whole video; workspaces take turns. */
const TURNS = { atOnce: 4, perWorkspace: 2, waitingPerWorkspace: 10, waitMs: 20_000 } as const;

/** Serves the translation of whole videos. */
export function bindTranslations(http: Http, kernel: Kernel, voices: Pick<Voices, 'resolve'>): void {
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
      // A voice for the language is chosen before the model is called.
      const voice = await voices.resolve(caller.workspace.id, { language });
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
        slides: slides.map((slide) => ({ ...slide, language, voice: voice.voice, voiceProvider: voice.provider })),
      });
    },
  });
}
