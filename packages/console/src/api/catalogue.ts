import type { Avatar, Slide, Voice } from '@figurehead/sdk';
import { AGES, isNameOf, PROVIDERS } from '@figurehead/sdk/document';
import { useState } from 'react';
import { useRead } from './client.js';

/** A voice with its language group. */
export interface ListedVoice extends Voice {
  readonly language: string;
  readonly gender: 'male' | 'female';
}

/** Presenters of this server, including those that are being created. */
export function useAvatars() {
  return useRead<Avatar[]>(['avatars'], (api, call) => api.listAvatars({}, call), {
    staleTime: 300_000,
    refetchInterval: ({ state }) => (state.data?.some((avatar) => avatar.status === 'processing') ? 1500 : false),
  });
}

/** Voices of this server in one list, by language. */
export function useVoices() {
  return useRead<ListedVoice[]>(
    ['voices'],
    async (api, call) => {
      const groups = await api.listVoices({}, call);
      return groups.flatMap(({ name, male, female }) => [
        ...female.map((voice) => ({ ...voice, language: name, gender: 'female' as const })),
        ...male.map((voice) => ({ ...voice, language: name, gender: 'male' as const })),
      ]);
    },
    { staleTime: 300_000 },
  );
}

/** The languages of voices, each once. */
export function languagesOf(voices: readonly ListedVoice[]): string[] {
  return [...new Set(voices.map(({ language }) => language))];
}

/** The languages that voices of this server speak. */
export function useLanguages(): string[] {
  return languagesOf(useVoices().data ?? []);
}

/** Value of a voice in selects: provider, voice and language, which are unique together. */
export function voiceKey(voice: { voiceProvider: string; voice: string; language: string }): string {
  return `${voice.voiceProvider}|${voice.voice}|${voice.language}`;
}

/** The fields of a slide, or of a brand, that a voice sets; none without a voice. */
export function speaking(voice: ListedVoice | undefined) {
  return voice && { voice: voice.voice, voiceProvider: voice.voiceProvider, language: voice.language };
}

/** The voice of a slide. */
export function voiceIn(voices: readonly ListedVoice[], slide: Slide): ListedVoice | undefined {
  return voices.find(
    (voice) =>
      voice.voice === slide.voice &&
      voice.voiceProvider === slide.voiceProvider &&
      (!slide.language || voice.language === slide.language),
  );
}

/** BCP 47 tag of the language of a video's words, by its first slide that has any; `und` when it is not known. */
export function languageTagOf(slides: readonly Slide[], voices: readonly ListedVoice[]): string {
  const slide = slides.find(({ speech }) => speech?.trim());
  if (slide === undefined) return 'und';
  const voice =
    voiceIn(voices, slide) ?? voices.find((one) => one.language === slide.language || one.locale === slide.language);
  return voice?.locale ?? 'und';
}

/** The default voice of a presenter: a natural one if this server has one. */
export function voiceOf(avatar: Avatar | undefined, voices: readonly ListedVoice[]): ListedVoice | undefined {
  const wanted = avatar?.defaultVoice;
  const natural = voices.find(
    (voice) => isNatural(voice) && voice.language === 'English' && voice.gender === avatar?.gender,
  );
  if (natural) return natural;
  const found = wanted
    ? voices.find((voice) => voice.voice === wanted.voice && voice.voiceProvider === wanted.voiceProvider)
    : undefined;
  if (found) return found;
  const english = voices.filter((voice) => voice.language === 'English');
  return english.find((voice) => voice.gender === avatar?.gender) ?? english[0] ?? voices[0];
}

/**
 * The voice after presenter `from` was replaced by `to`: a fitting voice that the user chose, otherwise the new
 * presenter's default, otherwise a fitting voice of the same language. `undefined` keeps the voice.
 */
export function voiceAfterRecast(
  cast: { readonly from: Avatar | undefined; readonly to: Avatar | undefined },
  present: ListedVoice | undefined,
  voices: readonly ListedVoice[],
): ListedVoice | undefined {
  const { from, to } = cast;
  if (to === undefined) return undefined;
  const own = voiceOf(to, voices);
  if (present === undefined) return own;
  const fits = to.gender !== 'male' && to.gender !== 'female' ? true : present.gender === to.gender;
  const wasTheirs =
    from !== undefined && [from.defaultVoice?.voice, voiceOf(from, voices)?.voice].includes(present.voice);
  if (fits && !wasTheirs) return undefined;
  if (own?.language === present.language) return own;
  return voices.find((voice) => voice.language === present.language && voice.gender === to.gender);
}

/** The voices of slides that differ between two versions of a video, as sentences: which took the place of which, and where the sex changed. */
export function substitutions(
  before: readonly Slide[],
  after: readonly Slide[],
  voices: readonly ListedVoice[],
): readonly { readonly text: string; readonly isOther: boolean }[] {
  const found = new Map<string, { text: string; isOther: boolean }>();
  for (const [index, slide] of after.entries()) {
    const [was, is] = [before[index] && voiceIn(voices, before[index]), voiceIn(voices, slide)];
    if (!is || (was && voiceKey(was) === voiceKey(is))) continue;
    const isOther = was !== undefined && was.gender !== is.gender;
    const name = `${is.name} (${is.language}, ${is.gender})`;
    const text = was ? `${name} speaks in place of ${was.name}${isOther ? ` (${was.gender})` : ''}` : `${name} speaks`;
    found.set(text, { text: `${text}.`, isOther });
  }
  return [...found.values()];
}

/** Whether a voice is a natural one of this server. */
function isNatural({ tags }: Pick<Voice, 'tags'>): boolean {
  return tags.includes('natural');
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region' });

/** Region of a voice as a name: `United States` for `en-US`. Empty for a locale without a region. */
export function regionOf(voice: Pick<Voice, 'locale'>): string {
  const region = /[-_]([A-Z]{2})\b/.exec(voice.locale)?.[1];
  return region === undefined ? '' : (REGIONS.of(region) ?? '');
}

/** How a voice sounds, and where it comes from: `Female, young · United States`. Without what its name says already: `British English, female`. */
export function aboutVoice(voice: ListedVoice): string {
  const named = voice.name.toLowerCase();
  const gender = /\b(?:fe)?male\b/.test(named) ? '' : voice.gender === 'female' ? 'Female' : 'Male';
  const age = AGES.find((one) => voice.tags.includes(one));
  const region = regionOf(voice);
  const place = named.includes(region.toLowerCase()) ? '' : region;
  return [[gender, age].filter(Boolean).join(', '), place].filter(Boolean).join(' · ');
}

/** Display name of a voice. The provider is included only when two voices would have the same name. */
export function voiceLabel(voice: ListedVoice, voices: readonly ListedVoice[]): string {
  const plain = [voice.name, regionOf(voice)].filter(Boolean).join(' · ');
  const twins = voices.some(
    (other) =>
      other.voiceProvider !== voice.voiceProvider &&
      other.language === voice.language &&
      other.name === voice.name &&
      regionOf(other) === regionOf(voice),
  );
  return twins ? `${plain} · ${providerLabel(voice.voiceProvider)}` : plain;
}

/** Display name of a speech provider. */
export function providerLabel(provider: string): string {
  return isNameOf(PROVIDERS, provider) ? PROVIDERS[provider].label : provider;
}

/** Display name of a speech provider with what to expect of it, for lists in which voices are compared. */
export function sourceLabel(provider: string): string {
  const isBuiltIn = isNameOf(PROVIDERS, provider) && !('needs' in PROVIDERS[provider]);
  return isBuiltIn ? `${providerLabel(provider)}: built-in, robotic` : providerLabel(provider);
}

/** A look of a presenter for a slide; the slide refers to `code`. */
export type PresenterLook = Avatar['variants'][number];

/** All looks of a presenter, the default one first. */
export function looksOf(avatar: Avatar): readonly PresenterLook[] {
  const { code, thumbnail, canvas } = avatar;
  const usual = { code, name: 'Standard', thumbnail, canvas };
  return [usual, ...avatar.variants.filter((variant) => variant.code !== code)];
}

/** The presenter with this code, its own or one of its looks. */
export function avatarOf(avatars: readonly Avatar[], code: string | null | undefined): Avatar | undefined {
  return avatars.find((avatar) => looksOf(avatar).some((look) => look.code === code));
}

/** A presenter and its voice until the user chooses others: the first presenter that `may` be chosen, and after each change a voice that fits. */
export function useCast(may: (avatar: Avatar) => boolean = ({ status }) => status === 'ready') {
  const [avatars, voices] = [useAvatars().data ?? [], useVoices().data ?? []];
  const [chosen, setChosen] = useState<string | null>();
  const [spoken, setVoice] = useState<ListedVoice>();
  const code = chosen === undefined ? (avatars.find(may)?.code ?? null) : chosen;
  const avatar = avatars.find((one) => one.code === code);
  const voice = spoken ?? voiceOf(avatar, voices);
  const setPresenter = (next: string | null, to: Avatar | undefined) => {
    setChosen(next);
    setVoice(voiceAfterRecast({ from: avatar, to }, voice, voices) ?? voice);
  };
  return { code, avatar, voice, setPresenter, setVoice };
}
