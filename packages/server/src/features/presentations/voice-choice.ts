import type { Brand } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { detectLanguages, languageName } from '../../kernel/languages.js';
import type { Avatars } from '../avatars/index.js';
import type { Voices } from '../voices/index.js';
import type { ImportRequest } from './store.js';

/** The uploading user's choice for all pages. */
export type SpeakerRequest = Pick<ImportRequest, 'avatar' | 'voice' | 'voiceProvider' | 'language' | 'voicePerPage'>;

/** Voice of a page, in the fields of slides. */
export interface PageVoice {
  readonly voice: string;
  readonly voiceProvider: string;
  readonly language: string;
}

/** Services that choosing voices needs. */
export interface Speakers {
  readonly voices: Pick<Voices, 'list' | 'resolve'>;
  readonly avatars: Pick<Avatars, 'link' | 'list' | 'resolve'>;
}

/**
 * A voice for each page's notes: the requested one, otherwise (with `voicePerPage`: on pages in another language than
 * its own) one for the language of the notes. Languages without a voice are read in English, with a warning.
 */
export async function choosePageVoices(
  kernel: Pick<Kernel, 'log'>,
  { voices, avatars }: Speakers,
  request: { workspaceId: string; speaker: SpeakerRequest; notes: readonly string[]; brand: Brand },
): Promise<{ pages: PageVoice[]; warnings: string[] }> {
  const { workspaceId, speaker, notes, brand } = request;
  const listed = (await voices.list(workspaceId)).flatMap(({ male, female }) => [...male, ...female]);
  const presenter = (await avatars.list(workspaceId)).find(({ code }) => code === speaker.avatar);
  const isWished = ({ voice, voiceProvider }: (typeof listed)[number]): boolean =>
    voice === speaker.voice && voiceProvider === speaker.voiceProvider;
  // It speaks pages in its language only.
  const own = speaker.voicePerPage === true ? listed.find(isWished) : undefined;
  const { voice, voiceProvider: provider, language } = own === undefined ? speaker : {};
  const isFixed = voice !== undefined || language !== undefined;
  const warnings: string[] = [];

  // By name first, because the tag `zh` would also match the first of the Chinese languages, which is Cantonese.
  const resolve = async (tag: string | undefined): Promise<PageVoice | undefined> => {
    for (const spoken of tag === undefined ? [undefined] : [languageName(tag), tag]) {
      try {
        const found = await voices.resolve(workspaceId, { voice, provider, language: spoken, presenter });
        const name = languageName((isFixed ? language : tag) ?? tagOf(found));
        return { voice: found.voice, voiceProvider: found.provider, language: name };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        kernel.log.debug({ language: spoken, reason: error.message }, 'there is no voice for the language of a page');
      }
    }
    return undefined;
  };

  const choose = async (tag: string | undefined, slides: string): Promise<PageVoice> => {
    const name = languageName(tag ?? 'en');
    if (own !== undefined && tagOf(own) === tag) {
      return { voice: own.voice, voiceProvider: own.voiceProvider, language: speaker.language ?? name };
    }
    const isBrands = !isFixed && provider === undefined && brand.language === name;
    const found =
      isBrands && brand.voice !== null
        ? { voice: brand.voice, voiceProvider: brand.voiceProvider ?? 'flite', language: name }
        : await resolve(tag);
    if (found !== undefined) {
      if (own !== undefined) warnings.push(`The chosen voice does not speak ${name}; another one speaks ${slides}.`);
      return found;
    }
    warnings.push(
      `The notes of ${slides} seem to be ${name}, for which this server has no voice; an English voice was chosen.`,
    );
    const english = await voices.resolve(workspaceId, { language: 'English' });
    return { voice: english.voice, voiceProvider: english.provider, language: 'English' };
  };

  const languages = isFixed ? notes.map(() => language) : await detectLanguages(notes, new Set(listed.map(tagOf)));
  const chosen = new Map<string | undefined, PageVoice>();
  for (const tag of new Set(languages)) {
    const pages = languages.flatMap((one, index) => (one === tag && notes[index]?.trim() !== '' ? [index + 1] : []));
    chosen.set(tag, await choose(tag, `${pages.length === 1 ? 'slide' : 'slides'} ${pages.join(', ')}`));
  }
  return { pages: languages.map((tag) => chosen.get(tag) as PageVoice), warnings };
}

function tagOf({ locale }: { readonly locale: string }): string {
  return locale.split('-')[0] ?? 'en';
}
