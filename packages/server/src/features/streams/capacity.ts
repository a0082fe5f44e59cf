/** Share of the processors that streams may use when all of them speak at once; the rest is for sound, packets and the system. */
const MAX_CPU_SHARE = 0.75;
/** Maximum per host, because all its streams share one UDP socket and one JavaScript thread. */
const MAX_STREAMS = 200;

/**
 * Streams that a host can serve when all of them speak at once. Idle ones cost a tenth or less, so a full host is seldom busy.
 * @param cost per frame of one stream, ms of one processor: all streams are drawn on one thread and encoded on any.
 * @param cpus number of processors that the process may use.
 */
export function streamCapacity(
  cost: { drawMs: number; encodeMs: number },
  cpus: number,
  framesPerSecond: number,
): number {
  const onThread = (MAX_CPU_SHARE * 1000) / (cost.drawMs * framesPerSecond);
  const anywhere = (MAX_CPU_SHARE * 1000 * cpus) / ((cost.drawMs + cost.encodeMs) * framesPerSecond);
  return Math.max(1, Math.min(MAX_STREAMS, Math.floor(Math.min(onThread, anywhere))));
}
