import { fillTemplate } from '@figurehead/contract/document';
import { describe, it } from 'vitest';
import { expectLinear, HOSTILE_UNITS } from '../../../../tests/support/growth.js';
import { createExtractiveWriter } from './outlines/extractive-writer.js';

describe('texts designed to take long', () => {
  it.each(HOSTILE_UNITS)('are filled into a template in linear time: %j', async (unit) => {
    const fill = (speech: string) =>
      fillTemplate({ name: 'N', slides: [{ id: 1, speech, avatar: { code: 'ava' } }] }, { a: 'b' });
    await expectLinear(fill, unit, 80_000);
  });

  it.each(HOSTILE_UNITS)('become outlines in linear time: %j', async (unit) => {
    const write = async (source: string) => {
      const writer = createExtractiveWriter();
      const brief = { title: source.slice(0, 500), prompt: source.slice(0, 20_000), source, language: 'en' };
      const chapters = await writer.chapters(brief, 20);
      await writer.script(brief, chapters, 0);
    };
    await expectLinear(write, unit, 60_000);
  });
});
