import { type ModelFolder, type RecordedSpeech, SpeechError, SpeechRecogniser } from '@figurehead/media';
import { ModelError } from './chat.js';
import type { Recogniser, RecognitionOptions } from './recogniser.js';

/** Longest time for a model to load. */
const LOADED_WITHIN_MS = 60_000;

/** A recogniser on this machine. The creator closes it. */
export interface LocalRecogniser extends Recogniser {
  close(): Promise<void>;
}

/** Recognition by the models that `figurehead voices add` has installed. */
export function openLocalRecogniser(folder: ModelFolder): LocalRecogniser {
  const recogniser = new SpeechRecogniser(folder);

  async function transcribe(speech: RecordedSpeech, options: RecognitionOptions): Promise<string> {
    const { language, deadlineMs, signal } = options;
    const late = AbortSignal.timeout(deadlineMs);
    try {
      return await recogniser.transcribe(speech, language, AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted)
        throw new ModelError(`the speech recogniser gave no answer within ${deadlineMs / 1000} s`, { cause: error });
      if (error instanceof SpeechError) throw new ModelError(error.message, { cause: error });
      throw error;
    }
  }

  return {
    transcribe,
    prepare(language) {
      const silence = { samples: new Int16Array(0), sampleRate: 16_000 };
      recogniser.transcribe(silence, language, AbortSignal.timeout(LOADED_WITHIN_MS)).catch(() => undefined);
    },
    close: () => recogniser.close(),
  };
}
