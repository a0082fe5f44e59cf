import type { SpeechConfig } from '@figurehead/media';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Speech metrics of this process. */
export interface SpeechMetrics {
  /** For the engine. */
  readonly onSpoken: NonNullable<SpeechConfig['onSpoken']>;
  /** Adds them to a registry. */
  register(metrics: Registry): void;
}

/** Starts counting; `register` adds the metrics to a registry later. */
export function createSpeechMetrics(): SpeechMetrics {
  const labelNames = ['provider', 'cached'] as const;
  const characters = new Counter({
    name: 'figurehead_speech_characters_total',
    help: 'Characters of synthesised text; those from the cache needed no synthesis.',
    labelNames,
    registers: [],
  });
  const firstChunk = new Histogram({
    name: 'figurehead_speech_first_chunk_seconds',
    help: 'Time from requesting an utterance to its first sound.',
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
