import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestKernel, type TestKernel } from '../../../../../tests/support/kernel.js';
import { type LanguageModel, openLanguageModel, type Reply } from '../../../../../tests/support/language-model.js';
import type { Brief } from './contract.js';
import { createWriters } from './writers.js';

const brief: Brief = {
  title: 'Bees',
  prompt: 'For children',
  source: 'Bees make honey. Bees live in hives.',
  language: 'English',
};
const chapters = (count: number) => ({
  chapters: Array.from({ length: count }, (_, i) => ({ title: `T${i}`, summary: `S${i}` })),
});

describe('the model writer', () => {
  let model: LanguageModel;
  let test: TestKernel;
  beforeAll(async () => {
    model = await openLanguageModel();
    test = await openTestKernel({
      FIGUREHEAD_LLM_URL: model.url,
      FIGUREHEAD_LLM_KEY: 'k',
      FIGUREHEAD_LLM_MODEL: 'small',
    });
  });
  afterAll(async () => {
    await test.close();
    await model.close();
  });
  afterEach(() => model.script(() => ''));

  const never = new AbortController().signal;
  const write = (count: number | undefined, deadlineMs = 5000) =>
    createWriters(test.kernel, { deadlineMs }).chapters(brief, count, never);

  it('accepts clean JSON, requested as structured output', async () => {
    model.script(() => JSON.stringify(chapters(3)));
    expect(await write(3)).toEqual({ drafts: chapters(3).chapters, writer: 'model' });
    expect(model.questions).toHaveLength(1);
    expect(model.questions[0]).toMatchObject({ model: 'small', response_format: { type: 'json_schema' } });
    expect(model.questions[0]?.messages.at(-1)?.content).toContain('exactly 3 chapters in English');
  });

  it.each([
    ['prose around it', (text: string) => `Sure! [Here] they are:\n${text}\nAnything {else}?`],
    ['a fence', (text: string) => `\`\`\`json\n${text}\n\`\`\``],
    ['thoughts before it', (text: string) => `<think>maybe {"chapters": []}</think>${text}`],
    ['a trailing comma', (text: string) => text.replace(/\}\]/, '},]')],
    ['a bare list', (text: string) => text.replace(/^\{"chapters":/, '').replace(/\}$/, '')],
  ])('finds JSON with %s', async (_what, wrap) => {
    model.script(() => wrap(JSON.stringify(chapters(2))));
    expect(await write(2)).toEqual({ drafts: chapters(2).chapters, writer: 'model' });
    expect(model.questions).toHaveLength(1);
  });

  it('reports an error to the model once', async () => {
    model.script((_question, index) =>
      index === 0 ? '{"chapters": [{"title": "T0", "summ' : JSON.stringify(chapters(4)),
    );
    expect(await write(4)).toMatchObject({ writer: 'model' });
    expect(model.questions[1]?.messages.at(-1)?.content).toMatch(/cannot be used/);
    model.script((_question, index) => JSON.stringify(chapters(index === 0 ? 2 : 4)));
    expect((await write(4)).drafts).toHaveLength(4);
    expect(model.questions[1]?.messages.at(-1)?.content).toMatch(/expected 4 chapters, got 2/);
  });

  // Proves: D.outline.2
  it('cuts surplus chapters and extracts missing ones, so that the count is exact', async () => {
    model.script(() => JSON.stringify(chapters(6)));
    expect(await write(4)).toEqual({ drafts: chapters(4).chapters, writer: 'model' });
    model.script(() => JSON.stringify(chapters(1)));
    const { drafts, writer } = await write(4);
    expect([drafts.length, writer]).toEqual([4, 'extracted']);
  });

  it.each<[string, Reply]>([
    ['429', { status: 429 }],
    ['500', { status: 500, body: 'oops' }],
    ['no JSON around the answer', { status: 200, body: '<html>' }],
    ['an answer without a message', { status: 200, body: '{"choices":[]}' }],
    ['broken JSON twice', '{"chapters": ['],
    ['silence', 'hang'],
  ])('falls back to extraction, labelled, on %s', async (_what, reply) => {
    model.script(() => reply);
    const { drafts, writer } = await write(2, 400);
    expect([drafts.length, writer]).toEqual([2, 'extracted']);
  });

  it('stops requesting structured output from a server that refuses it', async () => {
    const writers = createWriters(test.kernel);
    model.script((question) =>
      question.response_format === undefined ? JSON.stringify(chapters(2)) : { status: 400 },
    );
    expect((await writers.chapters(brief, 2, never)).writer).toBe('model');
    expect((await writers.chapters(brief, 2, never)).writer).toBe('model');
    expect(model.questions.map((question) => question.response_format === undefined)).toEqual([false, true, true]);
  });

  it('writes scripts, and accepts the plain speech as an answer', async () => {
    const drafts = chapters(3).chapters;
    model.script((question) =>
      question.messages.at(-1)?.content.includes('in chapter 1,')
        ? 'Hello\u0000 there, bees.'
        : '{"script": "Line one.\\nLine two."}',
    );
    const { scripts, writer } = await createWriters(test.kernel).scripts(brief, drafts, {
      indices: [0, 2],
      signal: never,
    });
    expect([...scripts].sort()).toEqual([
      [0, 'Hello there, bees.'],
      [2, 'Line one.\nLine two.'],
    ]);
    expect(writer).toBe('model');
  });
});
