import type { RecordedSpeech } from '@figurehead/media';
import { encodeWav } from '@figurehead/media/basic';
import { ModelError, type ModelServer, post, TRANSCRIPTION } from './chat.js';

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
export function openRecogniser(server: ModelServer): Recogniser {
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
      const result = await post(server, TRANSCRIPTION, {
        headers: { 'Content-Type': encoded.headers.get('content-type') ?? '' },
        body: Buffer.from(await encoded.arrayBuffer()),
        deadlineMs,
        maxBytes: MAX_ANSWER_BYTES,
        signal,
      });
      if (result.status !== 200) throw new ModelError(`the speech recogniser answered ${result.status}`);
      return textOf(result.body);
    },
  };
}

/** What recognisers write in the place of words: `[BLANK_AUDIO]`, `(coughs)`, `*music*`, notes. */
const NOISES = /\[[^\][]{1,40}\]|\([^()]{1,40}\)|\*[^*]{1,40}\*|♪/g;

/** The words of an answer, which is JSON or, of servers without formats, the text itself. */
function textOf(body: Buffer): string {
  const written = body.toString('utf8').trim();
  const text = written.startsWith('{') ? textIn(written) : written;
  if (/^</.test(text)) throw new ModelError('the speech recogniser did not answer with JSON');
  return text
    .replace(NOISES, ' ')
    .replace(/ {2,80}/g, ' ')
    .trim();
}

function textIn(json: string): string {
  try {
    const { text } = JSON.parse(json) as { text?: unknown };
    if (typeof text === 'string') return text;
  } catch (cause) {
    throw new ModelError('the speech recogniser did not answer with JSON', { cause });
  }
  throw new ModelError("the speech recogniser's answer has no text");
}
