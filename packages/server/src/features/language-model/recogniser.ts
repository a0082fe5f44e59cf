import type { RecordedSpeech } from '@figurehead/media';
import { FetchError, type SafeFetch } from '../../kernel/contract.js';
import { encodeWav } from '../voices/index.js';
import { authorization, ModelError, operationUrl } from './chat.js';

/** Maximum size of an answer; half a minute of speech has some hundred words. */
const MAX_ANSWER_BYTES = 1_000_000;

/** Limits of a recognition. */
export interface RecognitionOptions {
  /** ISO 639-1. */
  readonly language: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Speech recognition. */
export interface Recogniser {
  /** The words of an utterance; empty when there are none. Throws {@link ModelError} when it fails or takes longer than the deadline. */
  transcribe(speech: RecordedSpeech, options: RecognitionOptions): Promise<string>;
  /** Gets ready for a language before the first utterance. A failure shows with the utterance. */
  prepare(language: string): void;
}

/** A client for any server with OpenAI's `/audio/transcriptions`. */
export function openRecogniser(server: {
  readonly fetch: SafeFetch;
  /** Base URL, with or without the path of transcriptions. */
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
}): Recogniser {
  const address = operationUrl(server.url, '/audio/transcriptions');
  return {
    prepare: () => undefined,
    async transcribe({ samples, sampleRate }, { language, deadlineMs, signal }) {
      const wav = encodeWav(
        new Float32Array(samples).map((sample) => sample / 32_768),
        sampleRate,
      );
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'speech.wav');
      form.set('model', server.model);
      form.set('language', language);
      form.set('response_format', 'json');
      const encoded = new Response(form);
      const result = await server
        .fetch(address, {
          method: 'POST',
          headers: { 'Content-Type': encoded.headers.get('content-type') ?? '', ...authorization(server.key) },
          body: Buffer.from(await encoded.arrayBuffer()),
          deadlineMs,
          maxBytes: MAX_ANSWER_BYTES,
          // Configured by the operator; it often runs on the same machine.
          allowPrivate: true,
          signal,
        })
        .catch((error: unknown) => {
          if (!(error instanceof FetchError)) throw error;
          throw new ModelError(`the speech recogniser gave no answer: ${error.message}`, { cause: error });
        });
      if (result.status !== 200) throw new ModelError(`the speech recogniser answered ${result.status}`);
      return textOf(result.body);
    },
  };
}

function textOf(body: Buffer): string {
  try {
    const { text } = JSON.parse(body.toString('utf8')) as { text?: unknown };
    if (typeof text === 'string') return text.trim();
  } catch (cause) {
    throw new ModelError('the speech recogniser did not answer with JSON', { cause });
  }
  throw new ModelError("the speech recogniser's answer has no text");
}
