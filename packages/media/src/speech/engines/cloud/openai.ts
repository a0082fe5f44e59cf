import type { CatalogueVoice } from '../../contract.js';
import type { CloudApi, CloudSentence, CloudSpeech } from './cloud.js';
import { request } from './request.js';

/** A configured voice; OpenAI-compatible servers cannot list theirs. */
interface OpenAiVoice {
  readonly voice: string;
  readonly name?: string;
  readonly gender?: CatalogueVoice['gender'];
  /** BCP 47; `en-US` when absent. */
  readonly locale?: string;
}

/** Access to OpenAI's or any compatible server's `/v1/audio/speech`. */
export interface OpenAiConfig {
  /** Without the path, e.g. `https://api.openai.com`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** `tts-1` when absent. */
  readonly model?: string;
  /** OpenAI's own voices when absent. */
  readonly voices?: readonly OpenAiVoice[];
}

const OWN_VOICES: readonly OpenAiVoice[] = [
  { voice: 'alloy', gender: 'female' },
  { voice: 'echo', gender: 'male' },
  { voice: 'fable', gender: 'male', locale: 'en-GB' },
  { voice: 'onyx', gender: 'male' },
  { voice: 'nova', gender: 'female' },
  { voice: 'shimmer', gender: 'female' },
];

/** Speech from an OpenAI-compatible server (platform.openai.com/docs/api-reference/audio/createSpeech). */
export class OpenAiApi implements CloudApi {
  readonly provider = 'openai';
  readonly #config: OpenAiConfig;

  constructor(config: OpenAiConfig) {
    this.#config = config;
  }

  async voices(): Promise<readonly CatalogueVoice[]> {
    return (this.#config.voices ?? OWN_VOICES).map(catalogueVoice);
  }

  async speak({ text, voice, speed }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const { baseUrl, apiKey, model } = this.#config;
    const pcm = await request({
      provider: 'The OpenAI-compatible server',
      url: `${baseUrl.replace(/\/{1,8}$/, '').replace(/\/v1$/, '')}/v1/audio/speech`,
      headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      body: JSON.stringify({ model: model ?? 'tts-1', input: text, voice: voice.voice, response_format: 'pcm', speed }),
      signal,
    });
    return { pcm };
  }
}

function catalogueVoice({ voice, name, gender = 'female', locale = 'en-US' }: OpenAiVoice): CatalogueVoice {
  return {
    provider: 'openai',
    voice,
    name: name ?? `${voice.slice(0, 1).toUpperCase()}${voice.slice(1)}`,
    language: new Intl.DisplayNames('en', { type: 'language' }).of(locale.split('-')[0]!) ?? locale,
    locale,
    gender,
    premium: true,
  };
}
