import type { SpeechConfig } from '@figurehead/media';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts of what this process spoke. */
export interface SpeechMetrics {
  /** For the engine. */
  readonly onSpoken: NonNullable<SpeechConfig['onSpoken']>;
  /** Shows the counts among the metrics of the process. */
  register(metrics: Registry): void;
}

/** Starts counting; the counts are shown by whoever has a registry. */
export function createSpeechMetrics(): SpeechMetrics {
  const labelNames = ['provider', 'cached'] as const;
  const characters = new Counter({
    name: 'figurehead_speech_characters_total',
    help: 'Characters of text that were spoken; those from the cache cost no engine and no provider anything.',
    labelNames,
    registers: [],
  });
  const firstChunk = new Histogram({
    name: 'figurehead_speech_first_chunk_seconds',
    help: 'Time from asking for an utterance to its first sound.',
    labelNames,
    buckets: [0.01, 0.04, 0.08, 0.2, 0.5, 1, 3, 10],
    registers: [],
  });
  return {
    onSpoken(report) {
      const labels = { provider: report.provider, cached: String(report.cached) };
      characters.inc(labels, report.characters);
      firstChunk.observe(labels, report.firstChunkMs / 1000);
    },
    register(metrics) {
      metrics.registerMetric(characters);
      metrics.registerMetric(firstChunk);
    },
  };
}
