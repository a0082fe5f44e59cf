import { escapeSsml } from '@figurehead/contract/document/ssml';
import type { CatalogueVoice } from '../../contract.js';
import { AzureSocket, type AzureTurn, NoSocket } from './azure-socket.js';
import type { CloudApi, CloudSentence, CloudSpeech } from './cloud.js';
import { type CloudRequest, request, requestJson, textField } from './request.js';

/** Access to Azure AI Speech. */
export interface AzureConfig {
  readonly apiKey: string;
  /** `westeurope`, `eastus`, … */
  readonly region: string;
  /** Replaces the region's address. */
  readonly baseUrl?: string;
}

/** Time for which the REST interface is used after a WebSocket was refused. */
const WITHOUT_SOCKET_MS = 10 * 60_000;

const OUTPUT_FORMAT = 'raw-24khz-16bit-mono-pcm';

/**
 * Azure AI Speech: over its WebSocket, which reports the times of words and visemes, and over HTTP (learn.microsoft.com,
 * "Text to speech REST API") when a proxy blocks WebSockets.
 */
export class AzureApi implements CloudApi {
  readonly provider = 'azure';
  readonly #base: string;
  readonly #socket: AzureSocket;
  #withoutSocketUntil = 0;

  constructor(private readonly config: AzureConfig) {
    this.#base = (config.baseUrl ?? `https://${config.region}.tts.speech.microsoft.com`).replace(/\/{1,8}$/, '');
    this.#socket = new AzureSocket(this.#base, { 'ocp-apim-subscription-key': config.apiKey });
  }

  async voices(): Promise<readonly CatalogueVoice[]> {
    const list = await requestJson(this.#call('/cognitiveservices/voices/list', {}));
    return (Array.isArray(list) ? list : []).flatMap((entry: unknown) => {
      const voice = textField(entry, 'ShortName');
      const locale = textField(entry, 'Locale');
      return voice && locale ? [catalogueVoice(voice, locale, entry)] : [];
    });
  }

  async speak({ text, voice, speed }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const rate = `${speed >= 1 ? '+' : ''}${Math.round((speed - 1) * 100)}%`;
    const body =
      `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${escapeSsml(voice.locale)}">` +
      `<voice name="${escapeSsml(voice.voice)}"><prosody rate="${rate}">${escapeSsml(text)}</prosody></voice></speak>`;
    if (performance.now() >= this.#withoutSocketUntil) {
      try {
        return speechOf(text, await this.#socket.speak(body, OUTPUT_FORMAT, signal));
      } catch (error) {
        if (!(error instanceof NoSocket)) throw error;
        this.#withoutSocketUntil = performance.now() + WITHOUT_SOCKET_MS;
      }
    }
    const headers = {
      'content-type': 'application/ssml+xml',
      'x-microsoft-outputformat': OUTPUT_FORMAT,
      'user-agent': 'figurehead',
    };
    return { pcm: await request({ ...this.#call('/cognitiveservices/v1', headers), body, signal }) };
  }

  close(): void {
    this.#socket.close();
  }

  #call(path: string, headers: Record<string, string>): CloudRequest {
    return {
      provider: 'Azure',
      url: `${this.#base}${path}`,
      headers: { ...headers, 'ocp-apim-subscription-key': this.config.apiKey },
    };
  }
}

/** Finds a turn's words in the text, each after the previous one. */
function speechOf(text: string, { pcm, events }: AzureTurn): CloudSpeech {
  const characters: { start: number; end: number }[] = [];
  let isWhole = true;
  let last = 0;
  for (const event of events) {
    if (event.kind !== 'word') continue;
    const at = text.indexOf(event.text, characters.length);
    isWhole &&= at >= 0;
    if (at < 0) continue;
    while (characters.length < at) characters.push({ start: last, end: last });
    const share = (event.end - event.start) / event.text.length;
    for (let unit = 0; unit < event.text.length; unit++) {
      characters.push({ start: event.start + unit * share, end: event.start + (unit + 1) * share });
    }
    last = event.end;
  }
  while (characters.length < text.length) characters.push({ start: last, end: last });
  const sounds = events.flatMap((event) => (event.kind === 'viseme' ? [event.start] : []));
  // A word that is not in the text, such as a number in words, makes the offsets unreliable; the words are then aligned by their sound.
  return isWhole && last > 0 ? { pcm, characters, sounds } : { pcm };
}

function catalogueVoice(voice: string, locale: string, entry: unknown): CatalogueVoice {
  return {
    provider: 'azure',
    voice,
    name: textField(entry, 'DisplayName') || voice,
    language: new Intl.DisplayNames('en', { type: 'language' }).of(locale.split('-')[0]!) ?? locale,
    locale,
    gender: textField(entry, 'Gender') === 'Female' ? 'female' : 'male',
    premium: true,
  };
}
