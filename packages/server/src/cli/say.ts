import { writeFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { encodeWav } from '@figurehead/media/basic';
import { SpeechError } from '@figurehead/media/speech';
import { commandSigner, signFile } from '../features/renders/credentials/offline.js';
import { chooseVoice, timesOf } from '../features/voices/offline.js';
import { ApiError } from '../kernel/errors.js';
import { OperatorError } from '../kernel/operator-error.js';
import { jsonOption, nonNegative, print, type Registration, readConfig } from './command.js';
import { openOfflineSpeech } from './offline-speech.js';
import { requireWritable, unwritable } from './output-path.js';

interface SayFlags {
  readonly output: string;
  readonly voice?: string;
  readonly language?: string;
  readonly speed?: number;
  readonly json?: boolean;
}

/** `figurehead say TEXT -o OUT.wav`: synthesises speech without a server. */
export const registerSay: Registration = (command) => {
  command
    .requiredOption('-o, --output <file>', 'output WAV file, 48 kHz mono')
    .option('--voice <id>', 'a voice as PROVIDER:VOICE, such as flite:rms')
    .option('--language <name>', 'a language by name or tag, such as German or de-DE')
    .option('--speed <factor>', 'speaking rate, 0.7 to 1.2', nonNegative)
    .addOption(jsonOption())
    .action(async (text: string, flags: SayFlags) => {
      const spoken = await say(text, flags);
      print(flags.json, { file: flags.output, ...spoken }, [`${flags.output}: ${spoken.durationSeconds.toFixed(2)} s`]);
    });
};

async function say(text: string, flags: SayFlags) {
  const type = extname(flags.output);
  if (type !== '' && type.toLowerCase() !== '.wav')
    throw new OperatorError(`Speech is written as a .wav file; the output is ${flags.output}.`);
  await requireWritable(flags.output);
  const config = readConfig();
  const speech = openOfflineSpeech(config);
  try {
    const request = { voice: flags.voice, language: flags.language };
    const { provider, voice, locale } = chooseVoice(await speech.voices(), config.aliases, request);
    const speed = flags.speed === undefined ? {} : { speed: flags.speed };
    const { samples, marks } = await speech.utter(provider, text, { voice, locale, ...speed });
    await writeFile(flags.output, encodeWav(samples)).catch((cause: unknown) => {
      throw unwritable(flags.output, cause);
    });
    const made = { title: basename(flags.output), source: 'trainedAlgorithmicMedia', consents: [] } as const;
    await signFile(flags.output, made, await commandSigner(config));
    const { duration: durationSeconds, ...times } = timesOf({ samples: samples.length, marks });
    return { voice: `${provider}:${voice}`, durationSeconds, ...times };
  } catch (error) {
    if (error instanceof SpeechError || error instanceof ApiError)
      throw new OperatorError(error.message, { cause: error });
    throw error;
  } finally {
    await speech.close();
  }
}
