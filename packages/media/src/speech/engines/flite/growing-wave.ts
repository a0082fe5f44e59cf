import type { TimedPhone } from './phones.js';
import type { MemoryProgram } from './program.js';
import { phonesOf } from './utterance.js';
import { WAVE_TAP } from './wave-tap.js';

/** Sample rate of all supported Flite voices, Hz. */
export const FLITE_RATE = 16_000;

/** Byte offsets of the used fields in Flite's structures (include/cst_wave.h and cst_audio.h on a 32-bit machine). */
const WAVE_RATE = 4;
const WAVE_SAMPLES = 16;
const INFO_UTTERANCE = 8;

/** Initial buffer size in samples: two seconds. */
const FIRST_ROOM = 2 * FLITE_RATE;

/** Flite's output while it is computed. */
export interface GrowingWave {
  /** 16-bit samples so far; valid until the next call. */
  readonly samples: Int16Array;
  /**
   * The phones of the utterances so far, into which Flite splits a text by its own rules. The last utterance has all its phones, because Flite
   * computes their times before the sound.
   */
  readonly phones: readonly TimedPhone[];
}

/** Options of a run. */
interface Growing {
  /** Called for every 16 ms of sound. */
  readonly onGrown?: ((wave: GrowingWave) => void) | undefined;
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/**
 * Runs a patched Flite (`tapWaves`) to the end and returns its whole output.
 * @param args its arguments, without the output file.
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
    if (rate !== FLITE_RATE) throw new Error(`expected ${FLITE_RATE} samples per second from Flite, got ${rate}`);
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
