import type { EncodedPacket, SoundStream } from '../contract.js';
import { PACKETS_PER_BATCH } from './sound.js';

/** Maximum sound encoded ahead, in packets: three to four minutes, 4 MB at most. */
const MAX_AHEAD = 10_000;

/**
 * The same soundtrack, encoded up to some minutes ahead while its consumer waits for something else (for pictures).
 * Starts immediately. Errors are thrown to the consumer of the packets.
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
    // The pump catches its errors and throws them to the consumer.
    void this.#pump();
  }

  /**
   * Runs have a fixed length regardless of the source of the packets, because the file's layout depends on them: the
   * same video must give the same file.
   */
  async *packets(): AsyncGenerator<EncodedPacket[]> {
    for (;;) {
      if (this.#ready.length >= PACKETS_PER_BATCH || (this.#ended && this.#ready.length > 0)) {
        const run = this.#ready.slice(0, PACKETS_PER_BATCH);
        this.#ready = this.#ready.slice(PACKETS_PER_BATCH);
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

  /** Frees the encoder as soon as its current run is done. Idempotent. */
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
        while (this.#ready.length > MAX_AHEAD && !this.#ended) {
          await new Promise<void>((resolve) => {
            this.#wakePump = resolve;
          });
        }
      }
      // Also ends its encoder when the consumer stopped early.
      await this.source.return(undefined);
    } catch (error) {
      this.#failure = { error };
      this.#ended = true;
      this.#wakeConsumer?.();
    }
  }
}
