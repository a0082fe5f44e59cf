import type { Avatar, Brand } from '@figurehead/sdk';
import type { SlidePresenter } from '@figurehead/sdk/layouts';
import { type ListedVoice, speaking, useAvatars, useVoices, voiceOf } from './catalogue.js';
import { useRead } from './client.js';

/** Colours, fonts, logo, presenter and voice of the workspace. */
export function useBrand() {
  return useRead<Brand>(['brand'], (api, call) => api.readBrand({}, call), { staleTime: 60_000 });
}

/** What new videos and slides are made of. */
export function useIngredients() {
  const [brand, avatars, voices] = [useBrand(), useAvatars(), useVoices()];
  return {
    brand: brand.data,
    avatars: avatars.data ?? [],
    voices: voices.data ?? [],
    /** True until all have arrived: what is made before has no presenter, or another look. */
    isPending: [brand, avatars, voices].some(({ data }) => data === undefined),
  };
}

/** Presenter and voice of a new video: the brand's, otherwise the first presenter with its default voice. */
export function castOf(
  brand: Brand | undefined,
  avatars: readonly Avatar[],
  voices: readonly ListedVoice[],
): SlidePresenter {
  const ready = avatars.filter((avatar) => avatar.status === 'ready');
  const avatar = ready.find(({ code }) => code === brand?.avatar) ?? ready[0];
  const code = brand?.avatar ?? avatar?.code;
  const cast = { avatar: code === undefined ? null : { code } };
  if (brand?.voice)
    return { ...cast, voice: brand.voice, voiceProvider: brand.voiceProvider, language: brand.language };
  return { ...cast, ...speaking(voiceOf(avatar, voices)) };
}

/** The slide that a video begins with: a presenter who speaks on a plain ground. */
export function plainSlide(speech: string, code: string | null, voice: ListedVoice | undefined) {
  const canvas = { version: '6.0.0', background: '#e7efe9', objects: [] };
  return { id: 1, speech, avatar: code === null ? null : { code }, ...speaking(voice), canvas };
}
