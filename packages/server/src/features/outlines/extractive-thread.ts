import workerpool from 'workerpool';
import type { Brief, ChapterDraft } from './contract.js';
import { createExtractiveWriter } from './extractive-writer.js';

/** Outline work of a thread. It caches its last brief, because the writer divides a brief's source once. */
function createWork() {
  const writer = createExtractiveWriter();
  let last: { readonly text: string; readonly brief: Brief } | undefined;
  const known = (brief: Brief): Brief => {
    const text = JSON.stringify(brief);
    if (last?.text !== text) last = { text, brief };
    return last.brief;
  };
  return {
    chapters: (brief: Brief, count: number | undefined) => writer.chapters(known(brief), count),
    script: (brief: Brief, chapters: readonly ChapterDraft[], index: number) =>
      writer.script(known(brief), chapters, index),
  };
}

workerpool.worker(createWork());
