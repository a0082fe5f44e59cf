import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Shot } from '../scene/contract.js';

/** Bytes of unreferenced pictures in a thread after which garbage collection is triggered. */
const WAITING_BYTES = 48_000_000;

/**
 * Returns a function to call for finished shots. Their pictures are in shared memory, whose size V8 does not count: in
 * a measurement, it freed the pictures of a hundred slides only at the end of the video. So this triggers garbage
 * collection occasionally (about 10 ms, every dozen slides at 1080p).
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
