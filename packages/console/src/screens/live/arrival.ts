/** Reception statistics of a stream from the browser. */
export interface Arrival {
  readonly codec: string;
  readonly size: string;
  readonly framesPerSecond: number;
  readonly framesDropped: number;
  readonly kilobitsPerSecond: number;
  readonly lossPercent: number;
  readonly roundTripMs: number | null;
  readonly jitterMs: number;
  /** Time that a frame waits in the jitter buffer. */
  readonly bufferMs: number | null;
  readonly path: string;
}

/** Totals since the start for the comparison with the next reading, and their time (ms). */
export interface Counted {
  readonly bytes: number;
  readonly at: number;
  readonly bufferSeconds: number;
  readonly bufferFrames: number;
}

/** Reads a report of RTCPeerConnection.getStats (W3C webrtc-stats). */
export function readArrival(
  report: RTCStatsReport,
  before: Counted | undefined,
): { arrival: Arrival; counted: Counted } {
  const all = [...report.values()] as Record<string, unknown>[];
  const number = (entry: Record<string, unknown> | undefined, key: string) => Number(entry?.[key] ?? 0);
  const picture = all.find((one) => one.type === 'inbound-rtp' && one.kind === 'video');
  const codec = all.find((one) => one.id === picture?.codecId);
  const pair = all.find((one) => one.type === 'candidate-pair' && one.nominated === true && one.state === 'succeeded');
  const local = all.find((one) => one.id === pair?.localCandidateId);
  const counted: Counted = {
    bytes: number(pair, 'bytesReceived'),
    at: number(pair, 'timestamp'),
    bufferSeconds: number(picture, 'jitterBufferDelay'),
    bufferFrames: number(picture, 'jitterBufferEmittedCount'),
  };
  const elapsed = before ? counted.at - before.at : 0;
  const frames = before ? counted.bufferFrames - before.bufferFrames : 0;
  const received = number(picture, 'packetsReceived');
  const lost = Math.max(0, number(picture, 'packetsLost'));
  const roundTrip = pair?.currentRoundTripTime;
  const arrival: Arrival = {
    codec: String(codec?.mimeType ?? '—').replace('video/', ''),
    size: `${number(picture, 'frameWidth')} × ${number(picture, 'frameHeight')}`,
    framesPerSecond: Math.round(number(picture, 'framesPerSecond')),
    framesDropped: number(picture, 'framesDropped'),
    kilobitsPerSecond: before && elapsed > 0 ? Math.round(((counted.bytes - before.bytes) * 8) / elapsed) : 0,
    lossPercent: received + lost === 0 ? 0 : (lost / (received + lost)) * 100,
    roundTripMs: typeof roundTrip === 'number' ? roundTrip * 1000 : null,
    jitterMs: number(picture, 'jitter') * 1000,
    bufferMs: before && frames > 0 ? ((counted.bufferSeconds - before.bufferSeconds) / frames) * 1000 : null,
    path: `${String(local?.protocol ?? '').toUpperCase()} ${String(local?.candidateType ?? '')}`.trim() || '—',
  };
  return { arrival, counted };
}
