import type { Voice } from '../../contract.js';
import type { CloudApi, CloudSentence, CloudSpeech } from './cloud.js';
import { parseJson, request, textField } from './request.js';

/** Access to Azure AI Speech. */
export interface AzureConfig {
  readonly apiKey: string;
  /** `westeurope`, `eastus`, … */
  readonly region: string;
  /** In place of the region's own address. */
  readonly baseUrl?: string;
}

/** Azure AI Speech's text to speech over HTTP (learn.microsoft.com, "Text to speech REST API"). */
export class AzureApi implements CloudApi {
  readonly provider = 'azure';
  readonly #config: AzureConfig;
  readonly #base: string;

  constructor(config: AzureConfig) {
    this.#config = config;
    this.#base = (config.baseUrl ?? `https://${config.region}.tts.speech.microsoft.com`).replace(/\/+$/, '');
  }

  async voices(): Promise<readonly Voice[]> {
    const answer = await request({ ...this.#call('/cognitiveservices/voices/list', {}) });
    const list = parseJson('Azure', answer.toString('utf8'));
    return (Array.isArray(list) ? list : []).flatMap((entry: unknown) => {
      const voice = textField(entry, 'ShortName');
      const locale = textField(entry, 'Locale');
      return voice && locale ? [catalogueVoice(voice, locale, entry)] : [];
    });
  }

  async speak({ text, voice, speed }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const rate = `${speed >= 1 ? '+' : ''}${Math.round((speed - 1) * 100)}%`;
    const body =
      `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${escapeXml(voice.locale)}">` +
      `<voice name="${escapeXml(voice.voice)}"><prosody rate="${rate}">${escapeXml(text)}</prosody></voice></speak>`;
    const headers = {
      'content-type': 'application/ssml+xml',
      'x-microsoft-outputformat': 'raw-24khz-16bit-mono-pcm',
      'user-agent': 'figurehead',
    };
    return { pcm: await request({ ...this.#call('/cognitiveservices/v1', headers), body, signal }) };
  }

  #call(
    path: string,
    headers: Record<string, string>,
  ): { provider: string; url: string; headers: Record<string, string> } {
    return {
      provider: 'Azure',
      url: `${this.#base}${path}`,
      headers: { ...headers, 'ocp-apim-subscription-key': this.#config.apiKey },
    };
  }
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function catalogueVoice(voice: string, locale: string, entry: unknown): Voice {
  return {
    provider: 'azure',
    voice,
    name: textField(entry, 'DisplayName') || voice,
    language: new Intl.DisplayNames('en', { type: 'language' }).of(locale.split('-')[0]!) ?? locale,
    locale,
    gender: textField(entry, 'Gender') === 'Female' ? 'female' : 'male',
    premium: true,
    capabilities: { stability: false, streaming: true, phonemes: false, deterministic: false },
  };
}
