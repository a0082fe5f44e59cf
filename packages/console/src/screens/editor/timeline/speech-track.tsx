import { useMemo } from 'react';
import type { SlideClock } from './spans.js';
import { PEAKS_PER_SECOND, usePeaks } from './use-spoken.js';

const HEIGHT = 30;

/** The waveform of the speech and its words below; a click on a word moves the playhead there. */
export function SpeechTrack(props: {
  readonly clock: SlideClock;
  /** Px per second. */
  readonly scale: number;
  readonly onSeek: (second: number) => void;
}) {
  const { clock, scale, onSeek } = props;
  const { track, lead } = clock;
  const peaks = usePeaks(track?.url);
  const wave = useMemo(() => waveOf(peaks), [peaks]);
  if (!track) return <div className="fh-words fh-words-none">This slide is silent</div>;
  return (
    <>
      <svg className="fh-wave" width={clock.length * scale} height={HEIGHT} aria-hidden="true">
        <path d={wave} transform={`translate(${lead * scale} ${HEIGHT / 2}) scale(${scale / PEAKS_PER_SECOND} 1)`} />
      </svg>
      <div className="fh-words" aria-hidden="true" data-guess={track.url === undefined || undefined}>
        {track.words.map((word, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a word is identified by its position
            key={index}
            className="fh-word"
            title={word.text}
            style={{ left: (lead + word.start) * scale, width: Math.max(4, (word.end - word.start) * scale) }}
            onPointerDown={() => onSeek(lead + word.start)}
          >
            {word.text}
          </span>
        ))}
      </div>
    </>
  );
}

/** SVG path with a vertical line for each peak. */
function waveOf(peaks: readonly number[]): string {
  return peaks
    .map((peak, index) => {
      const half = Math.max(0.5, peak * (HEIGHT / 2 - 1)).toFixed(1);
      return `M${index} -${half}V${half}`;
    })
    .join('');
}
