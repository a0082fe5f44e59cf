import type { EncodedPacket, SoundStream } from '../contract.js';
import { PACKETS_A_TURN } from './sound.js';

/** Most sound that waits to be taken, in packets: three to four minutes, 4 MB at most. */
const MOST_AHEAD = 10_000;

/**
 * The same soundtrack, encoded while its consumer waits for something else (for pictures), up to some minutes ahead. Begins at once. Errors are
 * thrown where the packets are taken.
 */
export function readAhead(sound: SoundStream): SoundStream {
  const ahead = new Ahead(sound.packets);
  return { ...sound, packets: ahead.packets(), close: () => ahead.close() };
}

class Ahead {
  #ready: EncodedPacket[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #wakeConsumer: (() => void) | undefined;
  #wakePump: (() => void) | undefined;

  constructor(private readonly source: AsyncGenerator<EncodedPacket[]>) {
    // Its errors are caught in it and thrown to the consumer.
    void this.#pump();
  }

  /** Runs of one length, wherever the packets come from: files are laid out by runs, and the same video is the same file. */
  async *packets(): AsyncGenerator<EncodedPacket[]> {
    for (;;) {
      if (this.#ready.length >= PACKETS_A_TURN || (this.#ended && this.#ready.length > 0)) {
        const run = this.#ready.slice(0, PACKETS_A_TURN);
        this.#ready = this.#ready.slice(PACKETS_A_TURN);
        this.#wakePump?.();
        yield run;
        continue;
      }
      if (this.#failure) throw this.#failure.error;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve;
      });
    }
  }

  /** Frees the encoder as soon as the run that it is making is done. Idempotent. */
  close(): void {
    this.#ended = true;
    this.#wakePump?.();
  }

  async #pump(): Promise<void> {
    try {
      while (!this.#ended) {
        const next = await this.source.next();
        if (next.done) this.#ended = true;
        else this.#ready.push(...next.value);
        this.#wakeConsumer?.();
        while (this.#ready.length > MOST_AHEAD && !this.#ended) {
          await new Promise<void>((resolve) => {
            this.#wakePump = resolve;
          });
        }
      }
      // Ends its encoder too, where the consumer has left early.
      await this.source.return(undefined);
    } catch (error) {
      this.#failure = { error };
      this.#ended = true;
      this.#wakeConsumer?.();
    }
  }
}
