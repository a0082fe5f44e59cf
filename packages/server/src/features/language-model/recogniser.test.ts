import { describe, expect, it } from 'vitest';
import { openRecogniser } from './recogniser.js';

describe('a speech recogniser', () => {
  const heard = (body: string) =>
    openRecogniser({
      fetch: async () => ({ status: 200, body: Buffer.from(body) }),
      url: 'http://stt.test',
      key: undefined,
      model: 'm',
    }).transcribe(
      { samples: new Int16Array(160), sampleRate: 16_000 },
      { language: 'en', deadlineMs: 1000, signal: new AbortController().signal },
    );

  it.each([
    ['JSON', '{"text":" At nine. "}', 'At nine.'],
    ['JSON with times', '{"text":"At nine.","segments":[{"text":"At nine."}]}', 'At nine.'],
    ['text alone', ' At nine.\n', 'At nine.'],
    ['silence', '{"text":" [BLANK_AUDIO]"}', ''],
    ['noises between words', '{"text":"(door closes) At [cough] nine. *music* ♪"}', 'At nine.'],
    ['nothing', '', ''],
  ])('answers with %s', async (_what, body, words) => {
    expect(await heard(body)).toBe(words);
  });

  it.each(['{"error":"busy"}', '{"text":', '<html>'])('that answers %j has failed', async (body) => {
    await expect(heard(body)).rejects.toThrow(/^the speech recogniser/);
  });
});
