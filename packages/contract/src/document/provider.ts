/** Properties of a speech provider. */
export interface ProviderRow {
  readonly label: string;
  /** Required configuration, for messages; absent for built-in providers. */
  readonly needs?: string;
  /** How an operator provides it. */
  readonly remedy: string;
}

/** Speech providers: values of `provider` and `voiceProvider`. */
export const PROVIDERS = {
  flite: { label: 'Flite', remedy: 'it is built in' },
  espeak: { label: 'eSpeak NG', remedy: 'it is built in' },
  piper: {
    label: 'Piper',
    needs: 'a folder of Piper voices',
    remedy: 'add a voice with `figurehead voices add`, or set FIGUREHEAD_PIPER_DIR to a folder of voices',
  },
  sherpa: {
    label: 'Natural',
    needs: 'a natural voice',
    remedy: 'add one with `figurehead voices add`, such as kokoro-en-small',
  },
  elevenlabs: { label: 'ElevenLabs', needs: 'an ElevenLabs API key', remedy: 'set FIGUREHEAD_ELEVENLABS_KEY' },
  azure: {
    label: 'Azure',
    needs: 'an Azure Speech key and region',
    remedy: 'set FIGUREHEAD_AZURE_SPEECH_KEY and FIGUREHEAD_AZURE_SPEECH_REGION',
  },
  openai: {
    label: 'OpenAI',
    needs: 'the address of an OpenAI-compatible server',
    remedy: 'set FIGUREHEAD_OPENAI_KEY',
  },
} as const satisfies Readonly<Record<string, ProviderRow>>;
export type ProviderName = keyof typeof PROVIDERS;

/** Range of the speaking rate, relative to the voice's default. */
export const SPEED_RANGE = { minimum: 0.7, maximum: 1.2 } as const;
/** Range of `stability`: 0 lively, 1 steady. */
export const STABILITY_RANGE = { minimum: 0, maximum: 1 } as const;
/** Longest text of one utterance, characters (UTF-16). */
export const LONGEST_TEXT = 20_000;
/** Longest recording of a slide, seconds: the duration of the longest text. */
export const LONGEST_RECORDING_SECONDS = 1200;
