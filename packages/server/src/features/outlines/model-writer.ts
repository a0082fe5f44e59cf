import { Type } from '@sinclair/typebox';
import { type Chat, converse, jsonIn, type ModelError } from '../language-model/index.js';
import { type Brief, type ChapterDraft, MAX_CHAPTERS, type Writer } from './contract.js';

/** Maximum characters of a source, so that it fits the context of common models together with the answer. */
const MAX_SOURCE = 60_000;
const MAX_TITLE = 500;
const MAX_SUMMARY = 20_000;
const MAX_SCRIPT = 100_000;

/** For the answer and its repair together. */
const DEADLINE_MS = 90_000;

const strict = { additionalProperties: false } as const;
const CHAPTERS = Type.Object(
  { chapters: Type.Array(Type.Object({ title: Type.String(), summary: Type.String() }, strict)) },
  strict,
);
const SCRIPT = Type.Object({ script: Type.String() }, strict);

/**
 * Writes outlines with a language model. Its answer is searched for JSON and validated; an error is reported to the
 * model once. Throws {@link ModelError} when the answer is unusable.
 */
export function createModelWriter(chat: Chat, { deadlineMs = DEADLINE_MS }: { deadlineMs?: number } = {}): Writer {
  return {
    chapters(brief, count, signal) {
      const number = count === undefined ? `3 to ${MAX_CHAPTERS / 2}` : `exactly ${count}`;
      const question = `${describe(brief)}\n\nWrite ${number} chapters in ${languageOf(brief)}: a title of at most ten words and a summary of one to three sentences each.
Form: {"chapters": [{"title": "…", "summary": "…"}]}`;
      const read = (answer: string, last: boolean) => readChapters(answer, count, last);
      return converse(chat, { question, schema: CHAPTERS, read, deadlineMs, signal });
    },
    script(brief, chapters, index, signal) {
      const list = chapters.map(({ title, summary }, at) => `${at + 1}. ${title}: ${summary}`).join('\n');
      const question = `${describe(brief)}\n\nThe chapters are:\n${list}\n\nWrite what the presenter says in chapter ${index + 1}, "${chapters[index]?.title ?? ''}", in ${languageOf(brief)}: 80 to 150 words of plain spoken sentences, without headings, lists or stage directions.
Form: {"script": "…"}`;
      return converse(chat, { question, schema: SCRIPT, read: readScript, deadlineMs, signal });
    },
  };
}

function describe({ title, prompt, source }: Brief): string {
  const parts = [`Title of the video: ${title}`];
  if (prompt !== null && prompt !== '') parts.push(`Task: ${prompt}`);
  if (source !== null && source !== '') parts.push(`Source:\n<source>\n${source.slice(0, MAX_SOURCE)}\n</source>`);
  return parts.join('\n\n');
}

function languageOf({ language }: Brief): string {
  return language === null || language === '' ? 'the language of the title' : language;
}

function readChapters(
  answer: string,
  count: number | undefined,
  last: boolean,
): { value: ChapterDraft[] } | { problem: string } {
  let problem = 'it contains no JSON object with "chapters"';
  for (const value of jsonIn(answer)) {
    const list = Array.isArray(value) ? value : isRecord(value) ? value.chapters : undefined;
    if (!Array.isArray(list)) continue;
    const drafts = list.flatMap((entry) => draftOf(entry) ?? []);
    const isWhole = drafts.length === list.length && drafts.length > 0;
    if (isWhole && (count === undefined ? drafts.length <= MAX_CHAPTERS : drafts.length === count))
      return { value: drafts };
    // Surplus chapters do not invalidate the good ones.
    if (last && drafts.length > (count ?? MAX_CHAPTERS)) return { value: drafts.slice(0, count ?? MAX_CHAPTERS) };
    problem = isWhole
      ? `expected ${count === undefined ? `at most ${MAX_CHAPTERS}` : count} chapters, got ${drafts.length}`
      : 'each chapter needs a "title" and a "summary"';
  }
  return { problem };
}

function draftOf(entry: unknown): ChapterDraft | undefined {
  if (!isRecord(entry)) return undefined;
  const title = clean(entry.title, MAX_TITLE);
  const summary = clean(entry.summary, MAX_SUMMARY);
  return title === '' || summary === '' ? undefined : { title, summary };
}

function readScript(answer: string): { value: string } | { problem: string } {
  for (const value of jsonIn(answer)) {
    const script = clean(isRecord(value) ? value.script : value, MAX_SCRIPT);
    if (script !== '') return { value: script };
  }
  // Some models answer with the plain speech.
  const spoken = clean(answer, MAX_SCRIPT);
  return spoken !== '' && !/[{}]/.test(spoken)
    ? { value: spoken }
    : { problem: 'it contains no JSON object with "script"' };
}

/** Makes text storable: removes control characters and single surrogates. */
function clean(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  const text = value
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{C}\n\t]|\p{Cs}/gu, (found) => (/\p{Cf}/u.test(found) ? found : ''));
  return text
    .trim()
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
