import { join } from 'node:path';
import { createSpeech, type NaturalConfig, type Speech, type SpeechConfig } from '@figurehead/media';
import type { Config } from '../../config.js';
import { SETTINGS } from '../../config-table.js';

/** Callbacks of the engine; without `recordingOf` there are no cloned voices. */
export type SpeechListeners = Pick<SpeechConfig, 'onUnavailable' | 'onSpoken'> & Pick<NaturalConfig, 'recordingOf'>;

/** Folder of Piper voices: the configured one, otherwise one in the data folder; it need not exist. */
export function piperFolder({ piperDir, dataDir }: Pick<Config, 'piperDir' | 'dataDir'>): string {
  return piperDir ?? join(dataDir, 'piper');
}

/** Folder of natural voices; it need not exist. */
export function naturalFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'voices');
}

/** Folder of speech recognisers; it need not exist. */
export function recogniserFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'recognisers');
}

/**
 * The speech engine with every configured provider; the built-in ones need no configuration. The caller closes it.
 * @param listeners called for providers that cannot list their voices, and for each utterance.
 */
export function openSpeech(config: Config, { recordingOf, ...listeners }: SpeechListeners): Speech {
  const { elevenlabsKey, elevenlabsUrl, azureSpeechKey, azureSpeechRegion, azureSpeechUrl } = config;
  const { openaiKey, openaiUrl, openaiModel } = config;
  // A self-hosted server often needs no key: its URL is enough.
  const hasOpenAi = openaiKey !== undefined || openaiUrl !== SETTINGS.openaiUrl.fallback;
  return createSpeech({
    ...listeners,
    piper: { folder: piperFolder(config) },
    natural: { folder: naturalFolder(config), ...(recordingOf && { recordingOf }) },
    ...(elevenlabsKey !== undefined && { elevenlabs: { apiKey: elevenlabsKey, baseUrl: elevenlabsUrl } }),
    ...(azureSpeechKey !== undefined &&
      (azureSpeechRegion !== undefined || azureSpeechUrl !== undefined) && {
        azure: {
          apiKey: azureSpeechKey,
          region: azureSpeechRegion ?? '',
          ...(azureSpeechUrl !== undefined && { baseUrl: azureSpeechUrl }),
        },
      }),
    ...(hasOpenAi && {
      openai: {
        // The engine itself appends the path with the version.
        baseUrl: openaiUrl.replace(/\/v1$/, ''),
        model: openaiModel,
        ...(openaiKey !== undefined && { apiKey: openaiKey }),
      },
    }),
  });
}
