import type { LiveStream } from '@figurehead/sdk';
import { useEffect, useState } from 'react';

/** A spoken word; the last one is the current one. */
export interface SpokenWord {
  readonly key: string;
  readonly text: string;
}

/** State of a stream's speech from its events. */
export interface Spoken {
  readonly words: readonly SpokenWord[];
  readonly speaking: boolean;
  readonly queued: number;
  /** Time from the last text sent to its first sound, from the stream's events; milliseconds. */
  readonly firstSoundMs: number | null;
}

const SILENT: Spoken = { words: [], speaking: false, queued: 0, firstSoundMs: null };
const MAX_WORDS = 60;

/** Follows the events of a stream. */
export function useSpoken(stream: LiveStream | null): Spoken {
  const [spoken, setSpoken] = useState<Spoken>(SILENT);
  useEffect(() => {
    setSpoken(SILENT);
    if (stream === null) return;
    const asked = new Map<string, number>();
    const stops = [
      stream.on('queue', (event) => {
        if (event.id && !asked.has(event.id)) asked.set(event.id, event.at);
        setSpoken((now) => ({ ...now, queued: Math.max(0, (event.ids?.length ?? 1) - 1) }));
      }),
      stream.on('speech.started', (event) => {
        const since = event.id === undefined ? undefined : asked.get(event.id);
        setSpoken((now) => ({
          ...now,
          speaking: true,
          words: [],
          firstSoundMs: since === undefined ? now.firstSoundMs : event.at - since,
        }));
      }),
      stream.on('speech.word', (event) =>
        setSpoken((now) => ({
          ...now,
          words: [
            ...now.words,
            { key: `${event.id}-${event.start}-${now.words.length}`, text: event.text ?? '' },
          ].slice(-MAX_WORDS),
        })),
      ),
      stream.on('speech.ended', () => setSpoken((now) => ({ ...now, speaking: false }))),
      stream.on('speech.interrupted', () => setSpoken((now) => ({ ...now, speaking: false, queued: 0, words: [] }))),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [stream]);
  return spoken;
}
