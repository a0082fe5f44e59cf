import { AGES } from '@figurehead/contract/document/provider';
import { type CatalogueVoice, type Cloning, SpeechError } from '../../contract.js';
import type { CloudApi, CloudSentence, CloudSpeech } from './cloud.js';
import { CLOUD_RATE } from './rate.js';
import { type CloudRequest, field, listField, parseJson, request, requestJson, textField } from './request.js';

/** Access to ElevenLabs. */
export interface ElevenLabsConfig {
  readonly apiKey: string;
  /** `https://api.elevenlabs.io` when absent. */
  readonly baseUrl?: string;
}

/** Label of a cloned voice at ElevenLabs: its id here. */
const CLONE_LABEL = 'figurehead';

const cloneOf = (entry: unknown): string => textField(field(entry, 'labels'), CLONE_LABEL);

/** ElevenLabs' text to speech with character times (elevenlabs.io/docs/api-reference, `stream/with-timestamps`). */
export class ElevenLabsApi implements CloudApi {
  readonly provider = 'elevenlabs';
  readonly #base: string;

  constructor(private readonly config: ElevenLabsConfig) {
    this.#base = (config.baseUrl ?? 'https://api.elevenlabs.io').replace(/\/{1,8}$/, '');
  }

  async voices(): Promise<readonly CatalogueVoice[]> {
    return (await this.#list()).flatMap((entry) => {
      const voice = textField(entry, 'voice_id');
      // Cloned voices are listed by the workspace that owns them.
      return voice && cloneOf(entry) === '' ? [catalogueVoice(voice, entry)] : [];
    });
  }

  async unlisted(voice: string): Promise<CatalogueVoice | undefined> {
    try {
      return catalogueVoice(voice, await requestJson(this.#call(`/v1/voices/${encodeURIComponent(voice)}`)));
    } catch (error) {
      if (error instanceof SpeechError && error.code === 'unknown_voice') return undefined;
      throw error;
    }
  }

  /** Instant voice cloning: `POST /v1/voices/add`. */
  readonly cloning: Cloning = {
    isReady: async () => true,
    add: async ({ id, name, wav }) => {
      const body = new FormData();
      body.set('name', name);
      body.set('labels', JSON.stringify({ [CLONE_LABEL]: id }));
      body.set('files', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'recording.wav');
      const { 'content-type': _, ...headers } = this.#call('').headers;
      const voice = textField(await requestJson({ ...this.#call('/v1/voices/add'), headers, body }), 'voice_id');
      if (voice === '') throw new SpeechError('provider_failed', 'ElevenLabs sent no id of the voice');
      return voice;
    },
    find: async (id) => {
      const made = (await this.#list()).find((entry) => cloneOf(entry) === id);
      return made === undefined ? undefined : textField(made, 'voice_id');
    },
    remove: async (voice) => {
      await request({ ...this.#call(`/v1/voices/${encodeURIComponent(voice)}`), method: 'DELETE' }).catch((error) => {
        if (!(error instanceof SpeechError && error.code === 'unknown_voice')) throw error;
      });
    },
  };

  async speak({ text, voice, speed, stability }: CloudSentence, signal: AbortSignal): Promise<CloudSpeech> {
    const path = `/v1/text-to-speech/${encodeURIComponent(voice.voice)}/stream/with-timestamps?output_format=pcm_${CLOUD_RATE}`;
    const body = JSON.stringify({
      text,
      model_id: 'eleven_multilingual_v2',
      voice_settings: { speed, ...(stability === undefined ? {} : { stability }) },
    });
    const answer = await request({ ...this.#call(path), body, signal });
    return joinParts(answer.toString('utf8'), text);
  }

  async #list(): Promise<readonly unknown[]> {
    return listField(await requestJson(this.#call('/v1/voices')), 'voices');
  }

  #call(path: string): CloudRequest {
    return {
      provider: 'ElevenLabs',
      url: `${this.#base}${path}`,
      headers: { 'xi-api-key': this.config.apiKey, 'content-type': 'application/json' },
    };
  }
}

/** The stream has one JSON object per line, each with a piece of sound and the times of its characters. */
function joinParts(stream: string, text: string): CloudSpeech {
  const sound: Buffer[] = [];
  const characters: { start: number; end: number }[] = [];
  let said = '';
  for (const line of stream.split('\n')) {
    if (line.trim() === '') continue;
    const part = parseJson('ElevenLabs', line);
    sound.push(Buffer.from(textField(part, 'audio_base64'), 'base64'));
    const alignment = field(part, 'alignment');
    const starts = listField(alignment, 'character_start_times_seconds');
    const ends = listField(alignment, 'character_end_times_seconds');
    listField(alignment, 'characters').forEach((character, index) => {
      const place = { start: Number(starts[index]), end: Number(ends[index]) };
      for (let unit = 0; unit < String(character).length; unit++) characters.push(place);
      said += String(character);
    });
  }
  const pcm = Buffer.concat(sound);
  if (pcm.length === 0) throw new SpeechError('provider_failed', 'ElevenLabs sent no sound');
  const isWhole = said === text && characters.every(({ start, end }) => Number.isFinite(start) && end >= start);
  // Without times for every character, the words are aligned by their sound.
  return isWhole ? { pcm, characters } : { pcm };
}

function catalogueVoice(voice: string, entry: unknown): CatalogueVoice {
  const labels = field(entry, 'labels');
  const verified = listField(entry, 'verified_languages')[0];
  const language = textField(labels, 'language') || textField(verified, 'language') || 'en';
  const accent = textField(labels, 'accent').toLowerCase();
  const locale =
    textField(verified, 'locale') || (language === 'en' ? (accent === 'british' ? 'en-GB' : 'en-US') : language);
  return {
    provider: 'elevenlabs',
    voice,
    name: textField(entry, 'name') || voice,
    language: new Intl.DisplayNames('en', { type: 'language' }).of(locale.split('-')[0]!) ?? language,
    locale,
    gender: textField(labels, 'gender') === 'female' ? 'female' : 'male',
    ...ageOf(textField(labels, 'age')),
    premium: true,
  };
}

/** Its labels are `young`, `middle_aged` (or with a space or a hyphen) and `old`. */
function ageOf(label: string): Pick<CatalogueVoice, 'age'> {
  const age = AGES.find((one) => one === label.toLowerCase().replace(/[_ ]/gu, '-'));
  return age === undefined ? {} : { age };
}
