import type { Slide } from '@figurehead/sdk';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAction, useApi } from '../../../api/client.js';
import { spokenKey } from '../document.js';
import { useEditor, useEditorState } from '../store.js';
import { clockOf, guessedTrack, type SlideClock, type SpokenTrack } from './spans.js';

/** Resolution of the waveform. */
export const PEAKS_PER_SECOND = 40;

/** Query key of a slide's speech, stored with the slides when the editor opened or synthesized since. */
const keyOf = (slide: Slide) => ['spoken', spokenKey(slide)];

/** Timing of a slide; measured once its current text has been synthesized with its current voice. */
export function useSlideClock(slide: Slide): SlideClock {
  const fps = useEditorState(({ draft }) => draft.data.fps) ?? 25;
  const spoken = useSpokenTrack(slide);
  // The same object until the timing changes, so that a change of the canvas does not draw the timeline again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains what the timing depends on
  return useMemo(
    () => clockOf(slide, spoken ?? guessedTrack(slide), fps),
    [spokenKey(slide), slide.duration, spoken, fps],
  );
}

function useSpokenTrack(slide: Slide): SpokenTrack | undefined {
  const { opened } = useEditor();
  // Speech that was stored when the editor opened is valid until text or voice change.
  const stored = opened.get(spokenKey(slide));
  const { data } = useQuery<SpokenTrack | null>({
    queryKey: keyOf(slide),
    queryFn: () => stored ?? null,
    initialData: stored ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  return data ?? undefined;
}

/** The measured speech of a slide as it is now; absent while it has not been synthesized. */
export function storedTrack(
  queries: QueryClient,
  slide: Slide,
  opened: ReadonlyMap<string, SpokenTrack>,
): SpokenTrack | undefined {
  return queries.getQueryData<SpokenTrack | null>(keyOf(slide)) ?? opened.get(spokenKey(slide));
}

/** Synthesizes the current speech of a slide, stores it with the slide, and updates its times in the editor. */
export function useSpeak() {
  const api = useApi();
  const queries = useQueryClient();
  const { videoId, flush } = useEditor();
  return useAction(
    async (slide: Slide): Promise<SpokenTrack> => {
      await flush();
      const track = await api.synthesizeSlide({ videoId, slideId: String(slide.id) });
      queries.setQueryData(keyOf(slide), track);
      return track;
    },
    { quiet: true },
  );
}

/** Peaks of a sound, {@link PEAKS_PER_SECOND} values of 0 to 1 per second; empty when the browser cannot read the file. */
export function usePeaks(url: string | undefined): readonly number[] {
  const { data } = useQuery({
    queryKey: ['peaks', url],
    enabled: url !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) => {
      const bytes = await (await fetch(url ?? '', { signal })).arrayBuffer();
      const sound = await new OfflineAudioContext(1, 1, 16_000).decodeAudioData(bytes);
      return peaksOf(sound.getChannelData(0), sound.sampleRate / PEAKS_PER_SECOND);
    },
  });
  return data ?? [];
}

function peaksOf(samples: Float32Array, step: number): number[] {
  const peaks: number[] = [];
  for (let from = 0; from < samples.length; from += step) {
    let peak = 0;
    for (const value of samples.subarray(from, from + step)) peak = Math.max(peak, Math.abs(value));
    peaks.push(peak);
  }
  const loudest = Math.max(0.01, ...peaks);
  return peaks.map((peak) => peak / loudest);
}
