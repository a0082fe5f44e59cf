import type { TimedPhone } from './phones.js';
import type { MemoryProgram } from './program.js';
import { phonesOf } from './utterance.js';
import { WAVE_TAP } from './wave-tap.js';

/** Samples a second of every Flite voice on offer. */
export const FLITE_RATE = 16_000;

/** Where Flite's structures hold what is read of them, in bytes (include/cst_wave.h and cst_audio.h on a 32-bit machine). */
const WAVE_RATE = 4;
const WAVE_SAMPLES = 16;
const INFO_UTTERANCE = 8;

/** Samples that room is made for at first: two seconds. */
const FIRST_ROOM = 2 * FLITE_RATE;

/** What Flite says, while it computes it. */
export interface GrowingWave {
  /** 16-bit samples so far; they hold until the next piece comes. */
  readonly samples: Int16Array;
  /**
   * The phones of the utterances so far: Flite cuts a text into utterances by rules of its own. Those of the last one are complete, because their
   * times are settled before there is sound.
   */
  readonly phones: readonly TimedPhone[];
}

/** What a run is given. */
interface Growing {
  /** Hears every 16 ms of sound as they come. */
  readonly onGrown?: ((wave: GrowingWave) => void) | undefined;
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/**
 * Runs a tapped Flite (`tapWaves`) to the end and gives all that it said.
 * @param args its arguments without an output.
 */
export function speakGrowing(
  program: MemoryProgram,
  args: readonly string[],
  { onGrown = () => undefined, files = {} }: Growing = {},
): GrowingWave {
  let room = new Int16Array(FIRST_ROOM);
  let length = 0;
  const phones: TimedPhone[] = [];
  const onOpen = ([info = 0, wave = 0, start = 0, size = 0]: readonly number[]): number => {
    const view = new DataView(program.memory);
    const rate = view.getUint32(wave + WAVE_RATE, true);
    if (rate !== FLITE_RATE) throw new Error(`expected ${FLITE_RATE} samples a second from Flite, got ${rate}`);
    if (length + size > room.length) {
      const larger = new Int16Array(2 * (length + size));
      larger.set(room.subarray(0, length));
      room = larger;
    }
    room.set(new Int16Array(program.memory, view.getUint32(wave + WAVE_SAMPLES, true) + 2 * start, size), length);
    if (start === 0) {
      phones.push(...phonesOf(program, view.getUint32(info + INFO_UTTERANCE, true), length / FLITE_RATE));
    }
    length += size;
    onGrown({ samples: room.subarray(0, length), phones });
    return 0;
  };
  program.run([...args, '-o', 'stream'], { files, tap: { directory: WAVE_TAP, onOpen } });
  return { samples: room.subarray(0, length), phones };
}
