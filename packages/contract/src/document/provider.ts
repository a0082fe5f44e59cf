import { namesOf } from './table.js';

/** A setting of a speech provider, which an operator gives in the environment. */
export interface ProviderSetting {
  /** Name of the environment variable. */
  readonly key: `FIGUREHEAD_${string}`;
  readonly kind: 'secret' | 'address' | 'text' | 'folder';
  /** Used when it is not set. */
  readonly fallback?: string;
  /** One sentence for the operator. */
  readonly meaning: string;
}

/** Properties of a speech provider. */
export interface ProviderRow {
  readonly label: string;
  /** Required configuration, for messages; absent for built-in providers. */
  readonly needs?: string;
  /** How an operator provides it. */
  readonly remedy: string;
  /** `stability` changes the sound of its voices. */
  readonly stability?: true;
  /** It makes voices from recordings. */
  readonly cloning?: true;
  readonly settings?: Readonly<Record<string, ProviderSetting>>;
  /** Names of settings; the provider is available when one of each group is set. */
  readonly required?: readonly (readonly string[])[];
}

/** Speech providers: values of `provider` and `voiceProvider`. */
export const PROVIDERS = {
  flite: { label: 'Flite', remedy: 'it is built in', stability: true },
  espeak: { label: 'eSpeak NG', remedy: 'it is built in', stability: true },
  piper: {
    label: 'Piper',
    needs: 'a folder of Piper voices',
    remedy: 'add a voice with `figurehead voices add`, or set FIGUREHEAD_PIPER_DIR to a folder of voices',
    stability: true,
    settings: {
      folder: {
        key: 'FIGUREHEAD_PIPER_DIR',
        kind: 'folder',
        meaning:
          'Folder of Piper voices. Not set: the folder piper in the data folder, which `figurehead voices add` fills.',
      },
    },
  },
  sherpa: {
    label: 'Natural',
    needs: 'a natural voice',
    remedy: 'add one with `figurehead voices add`, such as kokoro',
    cloning: true,
  },
  elevenlabs: {
    label: 'ElevenLabs',
    needs: 'an ElevenLabs API key',
    remedy: 'set FIGUREHEAD_ELEVENLABS_KEY',
    stability: true,
    cloning: true,
    settings: {
      apiKey: {
        key: 'FIGUREHEAD_ELEVENLABS_KEY',
        kind: 'secret',
        meaning: 'ElevenLabs key; enables voices of the provider elevenlabs.',
      },
      baseUrl: {
        key: 'FIGUREHEAD_ELEVENLABS_URL',
        kind: 'address',
        fallback: 'https://api.elevenlabs.io',
        meaning: 'ElevenLabs base URL.',
      },
    },
    required: [['apiKey']],
  },
  azure: {
    label: 'Azure',
    needs: 'an Azure Speech key and region',
    remedy: 'set FIGUREHEAD_AZURE_SPEECH_KEY and FIGUREHEAD_AZURE_SPEECH_REGION',
    settings: {
      apiKey: {
        key: 'FIGUREHEAD_AZURE_SPEECH_KEY',
        kind: 'secret',
        meaning: 'Azure Speech key; enables voices of the provider azure.',
      },
      region: {
        key: 'FIGUREHEAD_AZURE_SPEECH_REGION',
        kind: 'text',
        meaning: 'Azure Speech region, such as westeurope.',
      },
      baseUrl: {
        key: 'FIGUREHEAD_AZURE_SPEECH_URL',
        kind: 'address',
        meaning: 'Azure Speech base URL. Not set: from the region.',
      },
    },
    required: [['apiKey'], ['region', 'baseUrl']],
  },
  openai: {
    label: 'OpenAI',
    needs: 'the address of an OpenAI-compatible server',
    remedy: 'set FIGUREHEAD_OPENAI_KEY',
    settings: {
      apiKey: {
        key: 'FIGUREHEAD_OPENAI_KEY',
        kind: 'secret',
        meaning: 'OpenAI key; enables voices of the provider openai.',
      },
      baseUrl: {
        key: 'FIGUREHEAD_OPENAI_URL',
        kind: 'address',
        fallback: 'https://api.openai.com/v1',
        meaning: 'Base URL of an OpenAI-compatible speech server.',
      },
      model: {
        key: 'FIGUREHEAD_OPENAI_MODEL',
        kind: 'text',
        fallback: 'gpt-4o-mini-tts',
        meaning: 'Speech model of the provider openai.',
      },
    },
    // A self-hosted server often needs no key.
    required: [['apiKey', 'baseUrl']],
  },
} as const satisfies Readonly<Record<string, ProviderRow>>;
export type ProviderName = keyof typeof PROVIDERS;

/** A provider that makes voices from recordings. */
export type CloningProvider = {
  [P in ProviderName]: (typeof PROVIDERS)[P] extends { readonly cloning: true } ? P : never;
}[ProviderName];
/** Providers that make voices from recordings, the preferred one first. */
export const CLONING_PROVIDERS = namesOf(PROVIDERS).filter(
  (name): name is CloningProvider => (PROVIDERS[name] as ProviderRow).cloning === true,
);

/** The values of the settings of each provider. */
export type ProviderSettings = {
  readonly [P in ProviderName]?: (typeof PROVIDERS)[P] extends { readonly settings: infer Settings }
    ? { readonly [Name in keyof Settings]?: string }
    : Readonly<Record<never, never>>;
};
/** Names of the settings of all providers, such as `elevenlabs.apiKey`. */
export type ProviderSettingName = {
  [P in ProviderName]: `${P}.${keyof NonNullable<ProviderSettings[P]> & string}`;
}[ProviderName];

/** Range of the speaking rate, relative to the voice's default. */
export const SPEED_RANGE = { minimum: 0.7, maximum: 1.2 } as const;
/** Range of `stability`: 0 lively, 1 steady. */
export const STABILITY_RANGE = { minimum: 0, maximum: 1 } as const;
/** Longest text of one utterance, characters (UTF-16). */
export const LONGEST_TEXT = 20_000;
/** Longest recording of a slide, seconds: the duration of the longest text. */
export const LONGEST_RECORDING_SECONDS = 1200;

/** How old a presenter looks, or a voice sounds. */
export const AGES = ['young', 'middle-aged', 'old'] as const;
export type Age = (typeof AGES)[number];
