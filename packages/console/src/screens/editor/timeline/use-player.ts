import type { Slide } from '@figurehead/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { hasSpeech, spokenKey } from '../document.js';
import { useEditor, useEditorState } from '../store.js';
import type { SlideClock } from './spans.js';
import { storedTrack, useSpeak } from './use-spoken.js';

/** Length of the sound while scrubbing, ms. */
const SCRUB_SOUND_MS = 160;

/** Plays a slide, or the video from it on, as the editor's state says, and scrubs through it; the position is the playhead of that state. */
export function usePlayer(slide: Slide, clock: SlideClock) {
  const { store, goTo } = useEditor();
  const playing = useEditorState((state) => state.playing);
  const [running, setRunning] = useState(false);
  const speak = useSpeak();
  const audio = useMemo(() => new Audio(), []);
  const quiet = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { track, lead, length } = clock;

  const load = (url: string) => {
    if (audio.src !== url) audio.src = url;
  };
  const stop = useCallback(() => store.setState({ playing: null }), [store]);

  const scrub = (second: number) => {
    const at = Math.min(length, Math.max(0, second));
    store.setState({ playhead: at, view: 'rendered' });
    if (!track?.url) return;
    load(track.url);
    const heard = at - lead;
    if (heard < 0 || heard >= track.duration) return;
    audio.currentTime = heard;
    if (running) return;
    audio.play().catch(stop);
    clearTimeout(quiet.current);
    quiet.current = setTimeout(() => audio.pause(), SCRUB_SOUND_MS);
  };

  const begin = async (ended: AbortSignal) => {
    clearTimeout(quiet.current);
    const { playhead } = store.getState();
    const from = playhead >= length - 0.1 ? 0 : playhead;
    store.setState({ view: 'rendered', playhead: from });
    const url = hasSpeech(slide) ? (track?.url ?? (await speak.mutateAsync(slide)).url) : undefined;
    if (ended.aborted) return;
    if (url) {
      load(url);
      audio.currentTime = Math.max(0, from - lead);
      await audio.play();
    }
    if (!ended.aborted) setRunning(true);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: begins once, with the slide as it is then
  useEffect(() => {
    if (playing === null) return;
    const end = new AbortController();
    begin(end.signal).catch(() => !end.signal.aborted && stop());
    return () => {
      end.abort();
      audio.pause();
      setRunning(false);
    };
  }, [playing]);
  useChanged(spokenKey(slide), stop);

  const finish = useCallback(() => {
    const { at, draft } = store.getState();
    if (store.getState().playing === 'video' && at + 1 < draft.slides.length) goTo(at + 1);
    else stop();
  }, [store, goTo, stop]);
  useRunning(running, { audio, clock, finish });
  useSpeechAhead(running && playing === 'video');
  const toggle = () => store.setState({ playing: playing === null ? 'slide' : null });
  return { isPlaying: playing !== null, toggle, scrub, speak };
}

/** Calls `act` when `value` is another one than at first. */
function useChanged(value: string, act: () => void) {
  const last = useRef(value);
  useEffect(() => {
    if (last.current !== value) act();
    last.current = value;
  }, [value, act]);
}

/** Synthesizes the next slide's speech while this one plays, so that the video goes on without a pause. */
function useSpeechAhead(active: boolean) {
  const { store, opened } = useEditor();
  const queries = useQueryClient();
  const { mutate } = useSpeak();
  useEffect(() => {
    const { draft, at } = store.getState();
    const next = draft.slides[at + 1];
    if (active && next && hasSpeech(next) && !storedTrack(queries, next, opened)?.url) mutate(next);
  }, [active, store, opened, queries, mutate]);
}

/** Moves the playhead during playback: with the sound during speech, otherwise with the clock. */
function useRunning(
  running: boolean,
  { audio, clock, finish }: { audio: HTMLAudioElement; clock: SlideClock; finish: () => void },
) {
  const { store } = useEditor();
  const { lead, length } = clock;
  useEffect(() => {
    if (!running) return;
    let last = performance.now();
    let frame = 0;
    const step = (now: number) => {
      const passed = (now - last) / 1000;
      last = now;
      const sounding = audio.src !== '' && !audio.paused && !audio.ended;
      const { playhead } = store.getState();
      const next = sounding ? lead + audio.currentTime : playhead + passed;
      store.setState({ playhead: Math.min(length, next) });
      if (next >= length) finish();
      else frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [running, audio, store, lead, length, finish]);
}
