import { createSpeech, SAMPLE_RATE } from '@figurehead/media';
import { encodeWav } from '@figurehead/media/basic';
import type { Page } from 'playwright-core';
import type { LanguageModel, StreamedPart } from './language-model.js';

/** What a visitor asks, and says during the answer. */
export const QUESTION = 'What does a ticket for the museum cost on Sunday?';
export const THANKS = 'Thank you, that is enough.';
/** Longer than the pause after which the visitor's microphone repeats the question. */
export const LONG = 'The museum has many rooms, and each of them is worth a visit on a rainy day. '.repeat(8);
export const FAREWELL = 'Good bye.';
/** A tool of the page. */
export const PRICE = {
  name: 'price',
  description: 'The price of a ticket.',
  parameters: { type: 'object', properties: {} },
};

/** The model calls {@link PRICE}. */
export async function* callPrice(): AsyncGenerator<StreamedPart, void, void> {
  yield { tool: 'price', arguments: '{"day":"Sunday"}' };
}

/**
 * Scripts a conversation: question, call of {@link PRICE}, long answer, thanks in the middle of it, farewell. A slow machine may split the
 * question of a microphone, so the visitor says thanks as soon as the page has called its function `onWord`: something of the answer was spoken.
 */
export async function scriptTalk(models: LanguageModel, page: Page): Promise<void> {
  let isAnswered = false;
  await page.exposeFunction('onWord', () => {
    isAnswered = true;
  });
  models.hear(() => (isAnswered ? THANKS : QUESTION));
  models.script(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return LONG;
    return last?.content.includes(THANKS) ? FAREWELL : callPrice();
  });
}

/** A microphone's sound, which browsers repeat: a second of silence, the question, and silence. WAV. @param pause seconds after the question. */
export async function spokenQuestion(pause = 8): Promise<Buffer> {
  const speech = createSpeech({ threads: 1 });
  const { samples } = await speech.utter('flite', QUESTION, { voice: 'awb', locale: 'en-GB' });
  await speech.close();
  const sound = new Float32Array(samples.length + (1 + pause) * SAMPLE_RATE);
  sound.set(samples, SAMPLE_RATE);
  return encodeWav(sound);
}
