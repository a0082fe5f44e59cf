import { Type } from '@sinclair/typebox';
import type { Kernel } from '../../kernel/contract.js';
import { converse, jsonIn, openChat } from '../language-model/index.js';

/** Translates texts with the configured language model. */
export interface Translator {
  /** Translates texts, in the same order. Throws a `ModelError` when the model's response is unusable. */
  translate(texts: readonly string[], language: string, signal: AbortSignal): Promise<string[]>;
}

/** Texts of one question, so that the answer of a small model still fits. */
const MOST = { texts: 30, characters: 6000 } as const;
const DEADLINE_MS = 90_000;
const ANSWER = Type.Object({ texts: Type.Array(Type.String()) }, { additionalProperties: false });
/** Parts that a translation must keep unchanged: placeholders of templates and tags of speech. */
const KEPT = /\{\{[^{}]{1,200}\}\}|<[^<>]{1,200}>/g;

/** The translator of this server; `undefined` when no language model is configured. */
export function createTranslator({ config, fetch }: Pick<Kernel, 'config' | 'fetch'>): Translator | undefined {
  const { llmUrl: url, llmKey: key, llmModel: model } = config;
  if (url === undefined) return undefined;
  const chat = openChat({ fetch, url, key, model });
  return {
    async translate(texts, language, signal) {
      const translated: string[] = [];
      for (const group of groupsOf(texts)) {
        const question = `Translate every text of this list to ${language}, naturally, as a native speaker would say it. Keep line breaks, everything in {{braces}} and every <tag> as they are.
${JSON.stringify(group)}
Form: {"texts": ["…"]}, ${group.length} of them, in the same order.`;
        const read = (answer: string) => readTexts(answer, group);
        translated.push(...(await converse(chat, { question, schema: ANSWER, read, deadlineMs: DEADLINE_MS, signal })));
      }
      return translated;
    },
  };
}

function groupsOf(texts: readonly string[]): string[][] {
  const groups: string[][] = [];
  let characters = 0;
  for (const text of texts) {
    const last = groups.at(-1);
    characters += text.length;
    if (last === undefined || last.length >= MOST.texts || characters > MOST.characters) {
      groups.push([text]);
      characters = text.length;
    } else last.push(text);
  }
  return groups;
}

function readTexts(answer: string, asked: readonly string[]): { value: string[] } | { problem: string } {
  const texts = listIn(answer);
  if (texts === undefined) return { problem: 'there is no list "texts"' };
  if (texts.length !== asked.length) return { problem: `there are ${texts.length} texts, not ${asked.length}` };
  const broken = texts.findIndex((text, index) => keptOf(text) !== keptOf(asked[index] ?? ''));
  return broken < 0
    ? { value: texts }
    : { problem: `text ${broken + 1} has lost or changed something in {{braces}} or a <tag>` };
}

function keptOf(text: string): string {
  return [...text.matchAll(KEPT)]
    .map(([whole]) => whole)
    .sort()
    .join(' ');
}

/** The first list of texts in an answer. */
function listIn(answer: string): string[] | undefined {
  for (const found of jsonIn(answer)) {
    const texts: unknown = typeof found === 'object' && found !== null && 'texts' in found ? found.texts : undefined;
    if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return texts;
  }
  return undefined;
}
