import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectLinearIn } from '../../../../../tests/support/growth.js';
import type { Brief } from './contract.js';
import { createExtractiveWriter } from './extractive-writer.js';
import { sentencesIn } from './sentences.js';

const writer = createExtractiveWriter();
const brief = (fields: Partial<Brief>): Brief => ({
  title: 'Bees',
  prompt: null,
  source: null,
  language: null,
  ...fields,
});

const MARKDOWN = `# Bees

Bees are insects that live together in hives. A hive has one queen and many thousands of workers.

## Honey
Bees collect nectar from flowers. They store the nectar in combs of wax, where it becomes honey. Honey keeps for years.

## Pollination
Bees carry pollen from flower to flower. Without bees, many fruits would not grow. Farmers rent hives for their orchards.

Dangers
=======
Mites weaken many hives. Pesticides confuse bees so that they do not find home.
`;

describe('the extractive writer', () => {
  it('follows the headings of the source', async () => {
    const chapters = await writer.chapters(brief({ source: MARKDOWN }), undefined);
    expect(chapters.map(({ title }) => title)).toEqual(['Bees', 'Honey', 'Pollination', 'Dangers']);
    expect(chapters[1]?.summary).toMatch(/nectar/);
    const script = await writer.script(brief({ source: MARKDOWN }), chapters, 2);
    expect(script).toContain('Farmers rent hives for their orchards.');
    expect(script).not.toContain('Mites');
  });

  // Proves: D.outline.2
  it.each([1, 2, 3, 4, 5, 7, 10, 11, 16, 20])('returns exactly %i chapters for any material', async (count) => {
    for (const source of [MARKDOWN, 'One sentence only.', null, '   ']) {
      const chapters = await writer.chapters(brief({ source }), count);
      expect(chapters).toHaveLength(count);
      for (const { title, summary } of chapters)
        expect([title, summary].every((text) => text.trim() !== '')).toBe(true);
    }
  });

  it('uses only sentences of the source', async () => {
    const chapters = await writer.chapters(brief({ source: MARKDOWN }), 3);
    for (const [index, { summary }] of chapters.entries()) {
      const script = await writer.script(brief({ source: MARKDOWN }), chapters, index);
      for (const sentence of `${summary} ${script}`.split(/(?<=\.)\s+/)) expect(MARKDOWN).toContain(sentence);
    }
  });

  it('turns a list in the prompt into chapters', async () => {
    const prompt = 'Please cover:\n- What bees eat\n- How bees dance\n- Where bees live';
    const chapters = await writer.chapters(brief({ prompt }), undefined);
    expect(chapters.map(({ title }) => title)).toEqual(['What bees eat', 'How bees dance', 'Where bees live']);
  });

  it.each([
    ['German', 'Bienen', 'Einleitung', /Bienen/],
    ['fr-FR', 'Les abeilles', 'Introduction', /Bienvenue/],
    ['Japanese', 'ミツバチ', 'はじめに', /ミツバチ/],
    [null, 'Пчёлы', 'Введение', /Пчёлы/],
    [null, '蜜蜂', '简介', /蜜蜂/],
    ['Swahili', 'Nyuki', 'Nyuki – 1', /Nyuki/],
  ])('has a template for %s: %s', async (language, title, first, summary) => {
    const chapters = await writer.chapters(brief({ title, language }), undefined);
    expect(chapters[0]).toEqual({ title: first, summary: expect.stringMatching(summary) });
    expect(chapters).toHaveLength(5);
    expect(await writer.script(brief({ title, language }), chapters, 0)).toMatch(summary);
  });

  it('cuts sentences in scripts without spaces', async () => {
    const source = '蜜蜂生活在蜂巢中。蜂巢里有一只蜂王。工蜂采集花蜜。花蜜变成蜂蜜。蜂蜜可以保存多年。农民租用蜂巢。';
    const chapters = await writer.chapters(brief({ title: '蜜蜂', source, language: 'Chinese' }), 3);
    expect(chapters.map(({ title }) => title)).toEqual(['蜜蜂生活在蜂巢中', '工蜂采集花蜜', '花蜜变成蜂蜜']);
    const arabic = 'يعيش النحل في الخلايا. هل تعرف العسل؟ العسل لذيذ.';
    expect(await writer.chapters(brief({ source: arabic, language: 'ar' }), 2)).toHaveLength(2);
  });

  it('as many sentences as a source may have take linear time', async () => {
    await expectLinearIn(12_000, (sentences) => {
      const about = (i: number) => `Sentence number ${i} tells something about topic ${i % 97} and bees.`;
      const source = Array.from({ length: sentences }, (_, i) => about(i)).join(' ');
      return async () => {
        const chapters = await writer.chapters(brief({ source }), 20);
        await writer.script(brief({ source }), chapters, 5);
        expect(chapters).toHaveLength(20);
      };
    });
  });

  it('for any input the count is exact and all text can be stored', async () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.lorem({ maxCount: 30, mode: 'sentences' }));
    const language = fc.oneof(fc.constantFrom('de-1996-1996', 'en-US', 'German', 'zz', 'ja'), fc.string());
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          title: fc.string({ unit: 'binary', minLength: 1 }),
          prompt: fc.option(text),
          source: fc.option(text),
          language: fc.option(language),
        }),
        fc.integer({ min: 1, max: 20 }),
        async (input, count) => {
          const chapters = await writer.chapters(input, count);
          expect(chapters).toHaveLength(count);
          const script = await writer.script(input, chapters, count - 1);
          expect(JSON.stringify([chapters, script])).not.toMatch(/\\ud[89a-f]/i);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('long text without sentence ends is cut between characters, not inside', () => {
    const text = `a${'😀'.repeat(5000)}`;
    const pieces = [...sentencesIn(text, 'en')];
    expect(pieces.join('')).toBe(text);
    expect(JSON.stringify(pieces)).not.toMatch(/\\ud[89a-f]/i);
  });
});
