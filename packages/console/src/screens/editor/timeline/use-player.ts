import type { Slide } from '@figurehead/sdk';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { hasSpeech, spokenKey } from '../document.js';
import { useEditor } from '../store.js';
import type { SlideClock } from './spans.js';
import { useSpeak } from './use-spoken.js';

/** Length of the sound while scrubbing, ms. */
const SCRUB_SOUND_MS = 160;

/** Plays a slide and scrubs through it; the position is the playhead of the editor's state. */
export function usePlayer(slide: Slide, clock: SlideClock) {
  const { store } = useEditor();
  const [playing, setPlaying] = useState(false);
  const speak = useSpeak();
  const audio = useMemo(() => new Audio(), []);
  const quiet = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { track, lead, length } = clock;

  const load = (url: string) => {
    if (audio.src !== url) audio.src = url;
  };
  const stop = useCallback(() => {
    clearTimeout(quiet.current);
    audio.pause();
    setPlaying(false);
  }, [audio]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another slide or another speech stops the sound
  useEffect(() => stop, [stop, slide.id, spokenKey(slide)]);

  const scrub = (second: number) => {
    const at = Math.min(length, Math.max(0, second));
    store.setState({ playhead: at, view: 'rendered' });
    if (!track?.url) return;
    load(track.url);
    const heard = at - lead;
    if (heard < 0 || heard >= track.duration) return;
    audio.currentTime = heard;
    if (playing) return;
    audio.play().catch(() => setPlaying(false));
    clearTimeout(quiet.current);
    quiet.current = setTimeout(() => audio.pause(), SCRUB_SOUND_MS);
  };

  const toggle = async () => {
    if (playing) return stop();
    clearTimeout(quiet.current);
    const url = hasSpeech(slide) ? (track?.url ?? (await speak.mutateAsync(slide)).url) : undefined;
    const { playhead } = store.getState();
    const from = playhead >= length - 0.1 ? 0 : playhead;
    store.setState({ view: 'rendered', playhead: from });
    if (url) {
      load(url);
      audio.currentTime = Math.max(0, from - lead);
      await audio.play();
    }
    setPlaying(true);
  };

  useRunning(playing, { audio, clock, stop });
  return { playing, toggle, scrub, stop, speak };
}

/** Moves the playhead during playback: with the sound during speech, otherwise with the clock. */
function useRunning(
  playing: boolean,
  { audio, clock, stop }: { audio: HTMLAudioElement; clock: SlideClock; stop: () => void },
) {
  const { store } = useEditor();
  const { lead, length } = clock;
  useEffect(() => {
    if (!playing) return;
    let last = performance.now();
    let frame = 0;
    const step = (now: number) => {
      const passed = (now - last) / 1000;
      last = now;
      const sounding = audio.src !== '' && !audio.paused && !audio.ended;
      const { playhead } = store.getState();
      const next = sounding ? lead + audio.currentTime : playhead + passed;
      store.setState({ playhead: Math.min(length, next) });
      if (next >= length) stop();
      else frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing, audio, store, lead, length, stop]);
}
