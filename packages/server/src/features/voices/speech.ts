import { createSpeech, type Speech, type SpeechConfig } from '@figurehead/media';
import type { Config } from '../../config.js';
import { SETTINGS } from '../../config-table.js';

/**
 * The speech engine with every provider that the operator has configured; the built-in ones need nothing. Who opens it closes it.
 * @param onUnavailable hears of a provider that cannot list its voices.
 */
export function openSpeech(config: Config, onUnavailable: NonNullable<SpeechConfig['onUnavailable']>): Speech {
  const { piperDir, elevenlabsKey, elevenlabsUrl, azureSpeechKey, azureSpeechRegion, azureSpeechUrl } = config;
  const { openaiKey, openaiUrl, openaiModel } = config;
  // A server of one's own often needs no key: naming it is enough.
  const hasOpenAi = openaiKey !== undefined || openaiUrl !== SETTINGS.openaiUrl.fallback;
  return createSpeech({
    onUnavailable,
    ...(piperDir !== undefined && { piper: { folder: piperDir } }),
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
        // The engine adds the path with its version itself.
        baseUrl: openaiUrl.replace(/\/v1$/, ''),
        model: openaiModel,
        ...(openaiKey !== undefined && { apiKey: openaiKey }),
      },
    }),
  });
}
