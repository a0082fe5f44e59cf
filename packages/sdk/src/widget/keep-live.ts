import type { Figurehead } from '../client.js';
import { isRefusal } from '../errors.js';
import { LiveStream, type LiveStreamOptions } from '../live-stream.js';
import { sleep } from '../transport.js';

/**
 * Pauses between attempts, milliseconds; each is shortened by a random amount of up to half, so that many viewers do
 * not reconnect together.
 */
const PAUSES_MS = [500, 1000, 2000, 4000, 8000, 16_000] as const;
/** Options and callbacks of {@link keepLive}. */
export interface KeepLiveOptions {
  readonly client: Figurehead;
  /** Options of the next stream. */
  readonly settings: () => LiveStreamOptions;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly onLive: (stream: LiveStream) => void;
  /** The stream was lost, and could not be connected again; another one is being opened. */
  readonly onLost: () => void;
}

/**
 * Keeps a presenter live: opens a stream, and another one when it is lost. @returns the reason of the
 * stream's end.
 * @throws the refusal of a stream, after retries where they can help; the signal's reason.
 */
export async function keepLive(session: KeepLiveOptions): Promise<string> {
  const { client, settings, signal, onLive, onLost } = session;
  let lost: string | undefined;
  for (let failures = 0; ; failures += 1) {
    try {
      if (lost !== undefined) await release(client, lost);
      const stream = await LiveStream.open(client, { ...settings(), signal });
      failures = 0;
      lost = stream.id;
      onLive(stream);
      const reason = await ended(stream, signal);
      if (reason !== undefined) return reason;
      onLost();
    } catch (error) {
      if (signal.aborted || isRefusal(error) || failures >= PAUSES_MS.length) throw error;
    }
    await sleep((PAUSES_MS[failures] ?? 0) * (1 - Math.random() / 2), signal);
  }
}

/** The stream of a disconnected viewer counts against the token's limit until it is closed. */
async function release(client: Figurehead, streamId: string): Promise<void> {
  await client.closeStream({ streamId }).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
  });
}

/** Resolves with the reason, or with `undefined` when the connection was lost. */
function ended(stream: LiveStream, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const stop = () => void stream.close();
    signal.addEventListener('abort', stop, { once: true });
    stream.on('closed', ({ reason, by }) => {
      signal.removeEventListener('abort', stop);
      resolve(by === 'connection' ? undefined : reason);
    });
    if (signal.aborted) stop();
  });
}
