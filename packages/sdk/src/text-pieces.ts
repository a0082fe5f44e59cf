import type { TextPiece } from '@figurehead/contract';
import type { Figurehead } from './client.js';
import { NotFoundError } from './errors.js';

/** A text that is sent in pieces. */
export interface TextInPieces {
  /** Of the utterance, as in the events of the stream. */
  readonly id: string;
  /** Number of utterances before it in the queue. */
  readonly position: number;
  /**
   * All of its text has been sent, or the utterance ended before. Rejects with the error of the source (what came before is spoken) or of a call.
   * Nothing has to wait for it.
   */
  readonly sent: Promise<void>;
}

/** An empty piece this often, ms: the server ends a text when no piece comes for 10 s, and a language model may think longer. */
const KEEP_ALIVE_MS = 4000;

/**
 * Speaks a text that arrives in pieces, such as the answer of a language model, from its first clause on. Resolves when it is queued.
 * @param options.signal ends the text: what has been sent is spoken.
 */
export async function speakPieces(
  client: Pick<Figurehead, 'openUtterance' | 'appendText'>,
  streamId: string,
  pieces: AsyncIterable<string>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<TextInPieces> {
  const { id, position } = await client.openUtterance({ streamId }, options);
  const send = (body: TextPiece) => client.appendText({ streamId, utteranceId: id, body });
  const sent = sendAll(pieces, send, options.signal).catch((error: unknown) => {
    // The utterance or its stream has ended meanwhile.
    if (!(error instanceof NotFoundError)) throw error;
  });
  sent.catch(() => undefined);
  return { id, position, sent };
}

/** What has arrived and was not sent. */
interface Arrived {
  text: string;
  isLast: boolean;
  failure?: unknown;
  wake: () => void;
}

/** One call at a time: what arrives during a call goes with the next one. */
async function sendAll(
  pieces: AsyncIterable<string>,
  send: (piece: TextPiece) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const arrived: Arrived = { text: '', isLast: signal?.aborted ?? false, wake: () => undefined };
  const end = () => {
    arrived.isLast = true;
    arrived.wake();
  };
  signal?.addEventListener('abort', end);
  void readInto(arrived, iterator).finally(end);
  try {
    for (let index = 0, isLast = false; !isLast; index++) {
      if (arrived.text === '' && !arrived.isLast) await change(arrived);
      const { text } = arrived;
      ({ isLast } = arrived);
      arrived.text = '';
      await send({ index, text, isLast });
    }
    if (arrived.failure !== undefined) throw arrived.failure;
  } finally {
    signal?.removeEventListener('abort', end);
    arrived.isLast = true;
    // A source that still waits for its next piece ends when that has come.
    void iterator.return?.()?.catch(() => undefined);
  }
}

async function readInto(arrived: Arrived, iterator: AsyncIterator<string>): Promise<void> {
  try {
    for (let next = await iterator.next(); !next.done && !arrived.isLast; next = await iterator.next()) {
      arrived.text += next.value;
      arrived.wake();
    }
  } catch (failure) {
    arrived.failure = failure;
  }
}

/** Resolves when something has arrived, or when it is time for an empty piece. */
function change(arrived: Arrived): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, KEEP_ALIVE_MS);
    arrived.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
