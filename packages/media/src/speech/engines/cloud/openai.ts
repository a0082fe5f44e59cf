import type { CatalogueVoice } from '../../contract.js';
import type { CloudApi, CloudSentence, CloudSpeech } from './cloud.js';
import { request } from './request.js';

/** Access to OpenAI's or any compatible server's `/v1/audio/speech`. */
export interface OpenAiConfig {
  /** Without the path, e.g. `https://api.openai.com`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** `tts-1` when absent. */
  readonly model?: string;
}

/** OpenAI's own voices; compatible servers cannot list theirs. */
const VOICES = [
  { voice: 'alloy', gender: 'female', locale: 'en-US' },
  { voice: 'echo', gender: 'male', locale: 'en-US' },
  { voice: 'fable', gender: 'male', locale: 'en-GB' },
  { voice: 'onyx', gender: 'male', locale: 'en-US' },
  { voice: 'nova', gender: 'female', locale: 'en-US' },
  { voice: 'shimmer', gender: 'female', locale: 'en-US' },
] as const;

/** Speech from an OpenAI-compatible server (platform.openai.com/docs/api-reference/audio/createSpeech). */
export class OpenAiApi implements CloudApi {
  readonly provider = 'openai';

  constructor(private readonly config: OpenAiConfig) {}

  async voices(): Promise<readonly CatalogueVoice[]> {
    return VOICES.map(catalogueVoice);
  }

  async speak({ text, voice, speed }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const { baseUrl, apiKey, model } = this.config;
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

function catalogueVoice(voice: (typeof VOICES)[number]): CatalogueVoice {
  return {
    provider: 'openai',
    ...voice,
    name: `${voice.voice.slice(0, 1).toUpperCase()}${voice.voice.slice(1)}`,
    language: 'English',
    premium: true,
  };
}
