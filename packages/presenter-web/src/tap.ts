/** Runs on the thread of the sound: passes on what the page hears, and when. */

/** Blocks of 128 samples in a message: 21 ms. */
const BLOCKS = 8;

/** One channel, from sample `frame` of the context's clock. */
export interface TappedSound {
  readonly frame: number;
  readonly samples: Float32Array;
}

declare const currentFrame: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

class Tap extends AudioWorkletProcessor {
  #parts: Float32Array[] = [];

  process([input]: readonly (readonly Float32Array[])[]): boolean {
    const [first] = input ?? [];
    this.#parts.push(first === undefined ? new Float32Array(128) : mixed(input!));
    if (this.#parts.length === BLOCKS) {
      const samples = new Float32Array(BLOCKS * 128);
      for (const [at, part] of this.#parts.entries()) samples.set(part, 128 * at);
      const sound: TappedSound = { frame: currentFrame - 128 * (BLOCKS - 1), samples };
      this.port.postMessage(sound, [samples.buffer]);
      this.#parts = [];
    }
    return true;
  }
}

function mixed(channels: readonly Float32Array[]): Float32Array {
  return channels[0]!.map((_, at) => channels.reduce((sum, channel) => sum + channel[at]!, 0) / channels.length);
}

registerProcessor('figurehead-tap', Tap);
