import type { Kernel } from '../../kernel/contract.js';
import { ModelError, openChat } from '../language-model/index.js';
import type { Brief, ChapterDraft, Writer } from './contract.js';
import { createModelWriter } from './model-writer.js';
import { createThreadedWriter } from './threaded-writer.js';

/** Author of a text. */
export type WriterName = 'model' | 'extracted';

/**
 * The configured model with the extractive writer as a fallback: a failing model reduces quality, but never fails the
 * answer.
 */
export interface Writers {
  chapters(
    brief: Brief,
    count: number | undefined,
    signal: AbortSignal,
  ): Promise<{ drafts: ChapterDraft[]; writer: WriterName }>;
  /** Scripts by the index of their chapter. `extracted` when any of them is extracted. */
  scripts(
    brief: Brief,
    chapters: readonly ChapterDraft[],
    work: { indices: readonly number[]; signal: AbortSignal },
  ): Promise<{ scripts: Map<number, string>; writer: WriterName }>;
}

/** Maximum concurrent questions to a model. */
const AT_ONCE = 4;

/** Creates the writers. Without a configured model the extractive writer is the only one. */
export function createWriters(kernel: Kernel, options: { deadlineMs?: number } = {}): Writers {
  const { config, fetch, log, lifecycle } = kernel;
  const extractive = createThreadedWriter(lifecycle);
  const model =
    config.llmUrl === undefined
      ? undefined
      : createModelWriter(openChat({ fetch, url: config.llmUrl, key: config.llmKey, model: config.llmModel }), options);

  async function write<T>(act: (writer: Writer) => Promise<T>): Promise<{ value: T; writer: WriterName }> {
    if (model !== undefined) {
      try {
        return { value: await act(model), writer: 'model' };
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        log.warn({ err: error }, 'the language model failed; the text is extracted instead');
      }
    }
    return { value: await act(extractive), writer: 'extracted' };
  }

  return {
    async chapters(brief, count, signal) {
      const { value, writer } = await write((one) => one.chapters(brief, count, signal));
      return { drafts: value, writer };
    },
    async scripts(brief, chapters, { indices, signal }) {
      const scripts = new Map<number, string>();
      const waiting = [...indices];
      let isAllModel = true;
      const worker = async () => {
        for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
          const chapter = index;
          const { value, writer } = await write((one) => one.script(brief, chapters, chapter, signal));
          scripts.set(chapter, value);
          isAllModel &&= writer === 'model';
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      return { scripts, writer: isAllModel ? 'model' : 'extracted' };
    },
  };
}
