import type { Spectrum } from '@figurehead/presenter/sound';
import type { Pcm } from '../../../audio.js';
import { warpPath } from '../../align/warp.js';
import type { SentenceOrder, SpokenSentence } from '../sentence.js';
import { serveJobs } from '../thread-jobs.js';
import { EspeakProgram } from './program.js';
import { EspeakSpeaker, type SpelledSymbol, type WordSpan } from './speaker.js';

/**
 * A thread's job: speaks a sentence, converts it to phones, aligns it with another voice's rendering, or warps a rendering of many sentences onto
 * another.
 */
export type EspeakJob =
  | { readonly kind: 'warp'; readonly reference: readonly Spectrum[]; readonly heard: readonly Spectrum[] }
  | { readonly kind: 'spell'; readonly order: SentenceOrder }
  /** `withHead` returns the first words as a part before the whole sentence. */
  | { readonly kind: 'speak'; readonly order: SentenceOrder; readonly withHead: boolean }
  | {
      readonly kind: 'align';
      readonly order: SentenceOrder;
      readonly samples: Pcm;
      /** Times of the words by token, in samples, if the provider reports them. */
      readonly words?: readonly WordSpan[] | undefined;
    };

/** The thread's answer: a sentence, its symbols for `spell`, or the path for `warp`. */
export interface EspeakAnswer extends SpokenSentence {
  readonly symbols?: readonly SpelledSymbol[];
  readonly path?: Float64Array;
}

const program = await EspeakProgram.load();
const speaker = new EspeakSpeaker(program);
serveJobs(
  (job: EspeakJob, give: (head: EspeakAnswer) => void): EspeakAnswer => {
    setImmediate(() => program.prepare());
    switch (job.kind) {
      case 'speak':
        return speaker.speak(job.order, job.withHead ? give : undefined);
      case 'align':
        return speaker.align(job.order, job.samples, job.words);
      case 'warp':
        return { samples: new Float32Array(0), phones: [], path: warpPath(job.reference, job.heard) };
      case 'spell':
        return { samples: new Float32Array(0), phones: [], symbols: speaker.spell(job.order) };
    }
  },
  ({ samples }) => [samples.buffer as ArrayBuffer],
);
