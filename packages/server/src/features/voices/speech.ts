import { join } from 'node:path';
import { PROVIDERS } from '@figurehead/contract/document/provider';
import { namesOf } from '@figurehead/contract/document/table';
import type { SpeechTrack } from '@figurehead/media';
import { SAMPLE_RATE } from '@figurehead/media/basic';
import {
  createSpeech,
  type ModelFolder,
  type NaturalConfig,
  type Speech,
  type SpeechConfig,
  sherpaRuntime,
} from '@figurehead/media/speech';
import { type Config, providerConfig } from '../../kernel/config/config.js';

/** Callbacks of the engine; without `recordingOf` there are no cloned voices. */
export type SpeechListeners = Pick<SpeechConfig, 'onUnavailable' | 'onSpoken'> & Pick<NaturalConfig, 'recordingOf'>;

/** Folder of Piper voices: the configured one, otherwise one in the data folder; it need not exist. */
export function piperFolder(config: Pick<Config, 'piper.folder' | 'dataDir'>): string {
  return config['piper.folder'] ?? join(config.dataDir, 'piper');
}

/** Where natural voices are. */
export function naturalFolder(config: Pick<Config, 'dataDir'>): ModelFolder {
  return modelFolder('voices', config);
}

/** Where speech recognisers are. */
export function recogniserFolder(config: Pick<Config, 'dataDir'>): ModelFolder {
  return modelFolder('recognisers', config);
}

function modelFolder(name: string, { dataDir }: Pick<Config, 'dataDir'>): ModelFolder {
  return { folder: join(dataDir, name), runtime: sherpaRuntime(join(dataDir, 'sherpa-onnx')) };
}

/**
 * The speech engine with every configured provider; the built-in ones need no configuration. The caller closes it.
 * @param listeners called for providers that cannot list their voices, and for each utterance.
 */
export function openSpeech(config: Config, { recordingOf, ...listeners }: SpeechListeners): Speech {
  const configured = namesOf(PROVIDERS).map((provider) => [provider, providerConfig(config, provider)] as const);
  return createSpeech({
    ...Object.fromEntries(configured.filter(([, settings]) => settings !== undefined)),
    ...listeners,
    piper: { folder: piperFolder(config) },
    natural: { ...naturalFolder(config), ...(recordingOf && { recordingOf }) },
  });
}

/** The length and the times of speech as the API shows them, seconds. */
export function timesOf({ samples, marks }: Pick<SpeechTrack, 'samples' | 'marks'>) {
  const words = marks.words.map(({ text, start, end }) => ({
    text,
    start: start / SAMPLE_RATE,
    end: end / SAMPLE_RATE,
  }));
  const named = marks.named?.map(({ name, at }) => ({ name, at: at / SAMPLE_RATE }));
  return { duration: samples / SAMPLE_RATE, words, ...(named && { marks: named }) };
}
