import type { VoiceCustomization } from '@figurehead/sdk';
import { useEffect, useRef, useState } from 'react';
import { tell } from '../lib/notices.js';
import { type ListedVoice, voiceKey } from './catalogue.js';
import { describeError, useApi } from './client.js';

/** The playing and the loading voice (as {@link voiceKey}s), and a function that starts and stops. */
export interface Sample {
  readonly playing: string | null;
  readonly loading: string | null;
  readonly toggle: (voice: ListedVoice) => void;
}

/** Plays samples of voices, one at a time: the recorded sample, otherwise a newly synthesised one. */
export function useSample(): Sample {
  const api = useApi();
  const player = useRef<HTMLAudioElement>(undefined);
  const wanted = useRef<string | null>(null);
  const [playing, setPlaying] = useState<string | null>(null);
  const [loading, setLoading] = useState<string | null>(null);
  useEffect(
    () => () => {
      wanted.current = null;
      player.current?.pause();
    },
    [],
  );

  const play = async (voice: ListedVoice, key: string) => {
    const { voice: name, voiceProvider, language, locale, stability, speed } = voice;
    const url =
      voice.url ||
      (
        await api.previewVoice({
          body: {
            voice: name,
            provider: voiceProvider as VoiceCustomization['provider'],
            language,
            locale,
            ...(stability !== undefined && { stability }),
            ...(speed !== undefined && { speed }),
          },
        })
      ).url;
    if (wanted.current !== key) return;
    player.current ??= new Audio();
    const audio = player.current;
    audio.onended = () => setPlaying(null);
    audio.src = url;
    await audio.play();
    if (wanted.current === key) setPlaying(key);
  };

  const toggle = (voice: ListedVoice) => {
    const key = voiceKey(voice);
    player.current?.pause();
    setPlaying(null);
    if (playing === key) {
      wanted.current = null;
      return;
    }
    wanted.current = key;
    setLoading(key);
    play(voice, key)
      // Another voice was selected before this one had loaded.
      .catch((error: unknown) => {
        if (wanted.current === key) tell({ failed: 'The voice could not be played', message: describeError(error) });
      })
      .finally(() => setLoading((now) => (now === key ? null : now)));
  };
  return { playing, loading, toggle };
}
