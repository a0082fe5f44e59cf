import { fillTemplate } from '@figurehead/contract/document';
import { describe, expect, it } from 'vitest';
import { growthOf, HOSTILE_UNITS } from '../../../../tests/support/growth.js';
import { createExtractiveWriter } from './outlines/extractive-writer.js';

/** Linear work takes 4 times as long on a text 4 times as long; quadratic work 16 times. */
const LINEAR = 9;

describe('texts designed to take long', () => {
  it.each(HOSTILE_UNITS)('are filled into a template in linear time: %j', async (unit) => {
    const fill = (speech: string) =>
      fillTemplate({ name: 'N', slides: [{ id: 1, speech, avatar: { code: 'ava' } }] }, { a: 'b' });
    expect(await growthOf(fill, unit, 20_000)).toBeLessThan(LINEAR);
  });

  it.each(HOSTILE_UNITS)('become outlines in linear time: %j', async (unit) => {
    const write = async (source: string) => {
      const writer = createExtractiveWriter();
      const brief = { title: source.slice(0, 500), prompt: source.slice(0, 20_000), source, language: 'en' };
      const chapters = await writer.chapters(brief, 20);
      await writer.script(brief, chapters, 0);
    };
    expect(await growthOf(write, unit, 20_000)).toBeLessThan(LINEAR);
  });
});
