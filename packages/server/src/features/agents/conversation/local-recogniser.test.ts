import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../../../../tests/support/api.js';
import { openViewer } from '../../../../../../tests/support/conversation-viewer.js';
import { openLanguageModel } from '../../../../../../tests/support/language-model.js';
import { hasSherpa } from '../../../../../../tests/support/natural-voice.js';
import { installRecogniser, tone } from '../../../../../../tests/support/recogniser.js';
import { openAll, until } from '../../../../../../tests/support/stream-host.js';
import { ModelError, openLocalRecogniser } from '../../language-model/index.js';
import { recogniserFolder } from '../../voices/index.js';

/** More conversations than the recogniser has processes. */
const MANY = 12;

describe.skipIf(!hasSherpa('conversations with a recogniser on this machine'))(
  'a conversation with a recogniser on this machine',
  () => {
    let all: Awaited<ReturnType<typeof openAll>>;
    let models: Awaited<ReturnType<typeof openLanguageModel>>;
    let alice: TestCaller;
    let folder: string;
    beforeAll(async () => {
      models = await openLanguageModel();
      models.script(() => 'It opens at nine.');
      all = await openAll(
        { FIGUREHEAD_LLM_URL: models.url },
        { capacity: MANY + 5, holdSpeech: true, tellsSpeech: true },
      );
      alice = await all.api.caller({ plan: 'Enterprise', status: 'active' });
      ({ folder } = recogniserFolder(all.api.test.kernel.config));
    });
    const streams: string[] = [];
    afterEach(async () => {
      await Promise.all(streams.splice(0).map((id) => alice.call('DELETE', `/streams/${id}`)));
    });
    afterAll(async () => {
      await all.close();
      await models.close();
    });

    async function talk(settings: object = {}) {
      const viewer = await openViewer(all.host, alice, settings);
      streams.push(viewer.id);
      return { ...viewer, say: (level = 0.5) => viewer.hear({ type: 'ended', ...tone(1, level) }) };
    }

    it('is refused without an installed one, and the answer names the command', async () => {
      await expect(talk()).rejects.toThrow(
        'Its administrator sets FIGUREHEAD_STT_URL to the address of a server with OpenAI’s API, then restarts it. Instead of FIGUREHEAD_STT_URL a recogniser on this machine will do: figurehead voices add whisper-base',
      );
    });

    it('hears a question in the language of the agent, and answers; silence gets no answer', async () => {
      await installRecogniser(folder, 'hello');
      for (const [language, heard] of [
        ['English', 'Hello.'],
        ['German', 'Hallo.'],
      ] as const) {
        models.script(() => 'It opens at nine.');
        const { say, texts, states, failures, isState } = await talk({ language });
        say(0);
        await until('it was silence', () => states().slice(-2).join() === 'thinking,listening');
        expect(models.questions).toHaveLength(0);
        say();
        await isState('speaking');
        expect(texts('conversation.heard')).toEqual([heard]);
        expect(failures()).toEqual([]);
      }
    });

    it(`is held ${MANY} times at once`, async () => {
      const talks = await Promise.all(Array.from({ length: MANY }, () => talk()));
      for (const { say } of talks) say();
      await Promise.all(talks.map(({ isState }) => isState('speaking')));
      expect(talks.map(({ texts }) => texts('conversation.heard'))).toEqual(talks.map(() => ['Hello.']));
    });

    it('fails with a sentence when no model knows the language or files are gone, and goes on', async () => {
      const french = await talk({ language: 'French' });
      french.say();
      await until('it failed', () => french.failures().length === 1);
      expect(french.failures()).toEqual([
        'No installed speech recogniser knows the language fr; run: figurehead voices add whisper-base.',
      ]);
      await rm(join(folder, 'hello'), { recursive: true });
      await installRecogniser(folder, 'other');
      await rm(join(folder, 'other', 'decoder.onnx'));
      const { say, failures, isState } = await talk();
      say();
      await until('it failed', () => failures().length === 1);
      expect(failures()).toEqual(['The speech recogniser other failed.']);
      await installRecogniser(folder, 'other');
      say();
      await isState('speaking');
    });

    it('gives up at its deadline', async () => {
      const recogniser = openLocalRecogniser(recogniserFolder(all.api.test.kernel.config));
      const options = { language: 'en', deadlineMs: 1, signal: new AbortController().signal };
      try {
        const late = recogniser.transcribe(tone(30), options);
        await expect(late).rejects.toThrow(ModelError);
        await expect(late).rejects.toThrow('the speech recogniser gave no answer within 0.001 s');
        expect(await recogniser.transcribe(tone(1), { ...options, deadlineMs: 600_000 })).toBe('Hello.');
      } finally {
        await recogniser.close();
      }
    });

    it('uses the configured server where there is one', async () => {
      models.hear(() => 'When do you open?');
      const env = { FIGUREHEAD_LLM_URL: models.url, FIGUREHEAD_STT_URL: `${models.url}/v1` };
      const configured = await openAll(env, { capacity: 1, holdSpeech: true });
      try {
        const bob = await configured.api.caller();
        await installRecogniser(recogniserFolder(configured.api.test.kernel.config).folder, 'hello');
        const { hear, texts } = await openViewer(configured.host, bob, {});
        hear({ type: 'ended', ...tone(1) });
        await until('it has heard', () => texts('conversation.heard').length === 1);
        expect(texts('conversation.heard')).toEqual(['When do you open?']);
      } finally {
        await configured.close();
      }
    });
  },
);
