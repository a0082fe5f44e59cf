import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Shot } from '../scene/contract.js';

/** Bytes of pictures that may wait for the garbage collector in a thread. */
const WAITING_BYTES = 48_000_000;

/**
 * Hears of shots that are done with. Their pictures lie in shared memory, whose size V8 does not count: measured, it left those of a hundred slides
 * lying until the video was finished. So it is told to collect now and then (about 10 ms, once in a dozen slides at 1080p).
 */
export function createCollection(): (shot: Shot) => void {
  let waiting = 0;
  let collect: (() => void) | undefined;
  return (shot) => {
    waiting += bytesOf(shot);
    if (waiting < WAITING_BYTES) return;
    waiting = 0;
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as () => void;
    }
    collect();
  };
}

function bytesOf({ base, layers }: Shot): number {
  const pixels = base.width * base.height * 1.5;
  return layers.reduce(
    (sum, layer) => sum + (layer.kind === 'sprite' ? layer.picture.width * layer.picture.height * 2.5 : 0),
    pixels,
  );
}
