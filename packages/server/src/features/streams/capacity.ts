/** Share of the processors that streams may fill when all of them speak at once; the rest is for sound, packets and the system. */
const FILLED = 0.75;
/** No host takes more: all its streams share one UDP socket and one JavaScript thread. */
const MOST = 200;

/**
 * Streams that a host carries when every one of them speaks at once. Idle ones cost a tenth and less, so a host that is full is seldom busy.
 * @param cost of one frame of one stream in ms of one processor: drawing happens on one thread for all, encoding anywhere.
 * @param cpus processors that the process may use.
 */
export function streamCapacity(
  cost: { drawMs: number; encodeMs: number },
  cpus: number,
  framesPerSecond: number,
): number {
  const onThread = (FILLED * 1000) / (cost.drawMs * framesPerSecond);
  const anywhere = (FILLED * 1000 * cpus) / ((cost.drawMs + cost.encodeMs) * framesPerSecond);
  return Math.max(1, Math.min(MOST, Math.floor(Math.min(onThread, anywhere))));
}
