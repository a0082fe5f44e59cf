import type { Avatar, Voice } from '@figurehead/sdk';
import { useQuery } from '@tanstack/react-query';
import { useApi } from './client.js';

/** A voice with the language it is listed under. */
export interface ListedVoice extends Voice {
  readonly language: string;
  readonly gender: 'male' | 'female';
}

/** Presenters of this server, ready ones and those in the making. */
export function useAvatars() {
  const api = useApi();
  return useQuery<Avatar[]>({
    queryKey: ['avatars'],
    staleTime: 300_000,
    refetchInterval: ({ state }) => (state.data?.some((avatar) => avatar.status === 'processing') ? 1500 : false),
    queryFn: ({ signal }) => api.listAvatars({}, { signal }),
  });
}

/** Voices of this server in one list, by language. */
export function useVoices() {
  const api = useApi();
  return useQuery<ListedVoice[]>({
    queryKey: ['voices'],
    staleTime: 300_000,
    queryFn: async ({ signal }) => {
      const groups = await api.listVoices({}, { signal });
      return groups.flatMap(({ name, male, female }) => [
        ...female.map((voice) => ({ ...voice, language: name, gender: 'female' as const })),
        ...male.map((voice) => ({ ...voice, language: name, gender: 'male' as const })),
      ]);
    },
  });
}

/** A voice's place in selects: provider, voice and language, which together name one. */
export function voiceKey(voice: { voiceProvider: string; voice: string; language: string }): string {
  return `${voice.voiceProvider}|${voice.voice}|${voice.language}`;
}

/** The voice a presenter speaks with unless told otherwise. */
export function voiceOf(avatar: Avatar | undefined, voices: readonly ListedVoice[]): ListedVoice | undefined {
  const wanted = avatar?.defaultVoice;
  const found = wanted
    ? voices.find((voice) => voice.voice === wanted.voice && voice.voiceProvider === wanted.voiceProvider)
    : undefined;
  return found ?? voices.find((voice) => voice.language === 'English') ?? voices[0];
}

/** A presenter as they can be put on a slide; `code` is what the slide names. */
export type Look = Avatar['variants'][number];

/** All looks of a presenter, the usual one first. */
export function looksOf(avatar: Avatar): readonly Look[] {
  const { code, thumbnail, canvas } = avatar;
  const usual = { code, name: 'Usual', thumbnail, canvas };
  return [usual, ...avatar.variants.filter((variant) => variant.code !== code)];
}

/** The presenter whom a code names, by itself or by one of their looks. */
export function avatarOf(avatars: readonly Avatar[], code: string | null | undefined): Avatar | undefined {
  return avatars.find((avatar) => looksOf(avatar).some((look) => look.code === code));
}
