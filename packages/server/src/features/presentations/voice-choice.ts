import type { Brand } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
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
  const groups = await voices.list(workspaceId);
  const listed = groups.flatMap(({ male, female }) => [...male, ...female]);
  const wished = speaker.voicePerPage === true ? speaker : undefined;
  const own = listed.find((one) => one.voice === wished?.voice && one.voiceProvider === wished.voiceProvider);
  const { voice, voiceProvider, language } = own === undefined ? speaker : {};
  const tags = new Set(listed.map(({ locale }) => locale.split('-')[0] ?? ''));
  const isFixed = voice !== undefined || language !== undefined;
  // Loaded on first use, because the detector takes 0.15 s.
  const { detectLanguages } = await import('./language.js');
  const languages = isFixed ? notes.map(() => language) : detectLanguages(notes, tags);
  const avatar = (await avatars.list(workspaceId)).find(({ code }) => code === speaker.avatar);
  const warnings: string[] = [];
  const known = new Map<string | undefined, PageVoice>();

  // By name first, because the tag `zh` would also match the first of the Chinese languages, which is Cantonese.
  const resolve = (spoken: string | undefined) =>
    voices
      .resolve(workspaceId, { voice, provider: voiceProvider, language: spoken, presenter: avatar })
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        kernel.log.debug({ language: spoken, reason: error.message }, 'there is no voice for the language of a page');
        return undefined;
      });

  const pagesIn = (tag: string | undefined): string => {
    const pages = languages.flatMap((one, index) => (one === tag && notes[index]?.trim() !== '' ? [index + 1] : []));
    return `${pages.length === 1 ? 'slide' : 'slides'} ${pages.join(', ')}`;
  };

  const choose = async (tag: string | undefined): Promise<PageVoice> => {
    if (own !== undefined && tag !== undefined && own.locale.split('-')[0] === tag) {
      return { voice: own.voice, voiceProvider: own.voiceProvider, language: wished?.language ?? languageName(tag) };
    }
    if (
      !isFixed &&
      voiceProvider === undefined &&
      brand.voice !== null &&
      brand.language === languageName(tag ?? 'en')
    ) {
      return { voice: brand.voice, voiceProvider: brand.voiceProvider ?? 'flite', language: brand.language };
    }
    const found = (await resolve(tag === undefined ? undefined : languageName(tag))) ?? (await resolve(tag));
    if (found !== undefined) {
      const spoken = isFixed ? language : tag;
      return {
        voice: found.voice,
        voiceProvider: found.provider,
        language: languageName(spoken ?? found.locale.split('-')[0] ?? 'en'),
      };
    }
    warnings.push(
      `The notes of ${pagesIn(tag)} seem to be ${languageName(tag ?? 'en')}, for which this server has no voice; an English voice was chosen.`,
    );
    const stand = await voices.resolve(workspaceId, { language: 'English' });
    return { voice: stand.voice, voiceProvider: stand.provider, language: 'English' };
  };

  const pages: PageVoice[] = [];
  for (const tag of languages) {
    const chosen = known.get(tag) ?? (await choose(tag));
    if (
      !known.has(tag) &&
      own !== undefined &&
      chosen.voice !== own.voice &&
      chosen.language === languageName(tag ?? '')
    ) {
      warnings.push(`The chosen voice does not speak ${chosen.language}; another one speaks ${pagesIn(tag)}.`);
    }
    known.set(tag, chosen);
    pages.push(chosen);
  }
  return { pages, warnings };
}

/** English name of a language by its tag: `German`. Names are kept. */
export function languageName(language: string): string {
  const isTag = /^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(language);
  return (isTag ? new Intl.DisplayNames(['en'], { type: 'language' }).of(language) : undefined) ?? language;
}
