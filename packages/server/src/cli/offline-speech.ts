import type { Speech } from '@figurehead/media';
import { openSpeech } from '../features/voices/offline.js';
import type { Config } from '../kernel/config/config.js';
import { notice } from './command.js';

/**
 * Speech for a command, without a server or database, and therefore without saved voice settings. The caller closes it.
 */
export function openOfflineSpeech(config: Config): Speech {
  return openSpeech(config, {
    onUnavailable: (provider, error) => notice(`The provider ${provider} cannot be used: ${String(error)}`),
  });
}
