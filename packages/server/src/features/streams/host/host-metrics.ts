import type { LiveSession, UtteranceHandle } from '@figurehead/media';
import { Counter, Histogram, type Registry } from 'prom-client';
import { gaugeOfEach } from '../../../kernel/observability/measures.js';
import type { EndReason } from '../store.js';
import { PER_STREAM } from '../stream-measures.js';
import { statsOf } from './hosted-stream.js';

/** Seconds from a text to its first sample; the target is 0.15. */
const FIRST_SOUND_BUCKETS = [0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5];

/** Callbacks that count events of a session registry. */
export interface HostMeasures {
  /** A text was accepted. */
  onUtterance(utterance: UtteranceHandle): void;
  onStreamEnded(reason: EndReason): void;
}

/**
 * The metrics of a stream host itself (`FIGUREHEAD_METRICS_PORT`), read at each scrape. Their names begin with `figurehead_host_`, so that
 * they are not added to the API's metrics of the whole installation.
 */
export function measureHost(metrics: Registry, sessions: () => readonly LiveSession[]): HostMeasures {
  const states = {
    name: 'figurehead_host_sessions',
    help: 'Sessions of this host by state.',
    labels: ['state'],
  } as const;
  gaugeOfEach(metrics, states, sessions, ({ state }) => [{ state }, 1]);
  for (const [name, { help, read }] of Object.entries(PER_STREAM)) {
    const gauge = { name: `figurehead_host_stream_${name}`, help, labels: ['stream'] } as const;
    gaugeOfEach(metrics, gauge, sessions, (session) => {
      const value = read(statsOf(session));
      return value === null ? undefined : [{ stream: session.id }, value];
    });
  }
  const firstSound = new Histogram({
    name: 'figurehead_host_first_sound_seconds',
    help: 'Time from accepting a text to its first sample on the wire, including the time in the queue.',
    buckets: FIRST_SOUND_BUCKETS,
    registers: [metrics],
  });
  const utterances = new Counter({
    name: 'figurehead_host_utterances_total',
    help: 'Texts by result.',
    labelNames: ['outcome'] as const,
    registers: [metrics],
  });
  const ended = new Counter({
    name: 'figurehead_host_streams_ended_total',
    help: 'Ended streams by reason.',
    labelNames: ['reason'] as const,
    registers: [metrics],
  });
  return {
    onUtterance(utterance) {
      void utterance.started.then((ms) => {
        if (ms !== undefined) firstSound.observe(ms / 1000);
      });
      void utterance.ended.then((outcome) => utterances.inc({ outcome }));
    },
    onStreamEnded: (reason) => ended.inc({ reason }),
  };
}
