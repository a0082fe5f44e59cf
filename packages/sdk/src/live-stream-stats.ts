/**
 * Statistics of a playing live stream from the browser; null when not reported, or not yet. Sums are since the start.
 */
export interface LiveStreamStats {
  /** `video/H264` or `video/VP8`. */
  readonly codec: string | null;
  /** Of the picture, px. */
  readonly width: number | null;
  readonly height: number | null;
  /** Pictures shown in the last second. */
  readonly framesPerSecond: number | null;
  readonly framesDropped: number | null;
  /** Number of times the picture froze for noticeably longer than the time between two pictures. */
  readonly freezes: number | null;
  /** Share of lost packets, 0…1; retransmitted ones do not count as lost. */
  readonly loss: number | null;
  /** Round trip to the server, milliseconds. */
  readonly roundTripMs: number | null;
  /** Jitter of the sound, milliseconds. */
  readonly jitterMs: number | null;
  /** Delay of the picture relative to the sound, milliseconds; negative when the sound is later. */
  readonly avOffsetMs: number | null;
  /** Current loudness, 0…1. */
  readonly audioLevel: number | null;
  /** True when the connection goes through a TURN server. */
  readonly relayed: boolean | null;
}

/** Each kind of report has other fields, and browsers implement different ones. */
type Report = Readonly<Record<string, unknown>>;

/** Reads the statistics of a peer connection that plays a live stream. */
export function readLiveStats(stats: RTCStatsReport): LiveStreamStats {
  const reports = [...(stats as unknown as ReadonlyMap<string, Report>).values()];
  const inbound = (kind: string) => reports.find((report) => report.type === 'inbound-rtp' && report.kind === kind);
  const byId = (id: unknown) => reports.find((report) => id !== undefined && report.id === id);
  const [video, audio] = [inbound('video'), inbound('audio')];
  const pair = selectedPair(reports);
  const candidates = pair && [byId(pair.localCandidateId), byId(pair.remoteCandidateId)];
  const mimeType = byId(video?.codecId)?.mimeType;
  return {
    codec: typeof mimeType === 'string' ? mimeType : null,
    width: number(video?.frameWidth),
    height: number(video?.frameHeight),
    framesPerSecond: number(video?.framesPerSecond),
    framesDropped: number(video?.framesDropped),
    freezes: number(video?.freezeCount),
    loss: lossOf([video, audio]),
    roundTripMs: milliseconds(pair?.currentRoundTripTime),
    jitterMs: milliseconds(audio?.jitter),
    avOffsetMs: offsetOf(video, audio),
    audioLevel: number(audio?.audioLevel),
    relayed: candidates ? candidates.some((candidate) => candidate?.candidateType === 'relay') : null,
  };
}

function selectedPair(reports: readonly Report[]): Report | undefined {
  const transport = reports.find((report) => report.type === 'transport');
  const pairs = reports.filter((report) => report.type === 'candidate-pair');
  // Firefox marks the pair itself.
  return (
    pairs.find(({ id }) => id === transport?.selectedCandidatePairId) ?? pairs.find(({ selected }) => selected === true)
  );
}

function lossOf(streams: readonly (Report | undefined)[]): number | null {
  let lost = 0;
  let received = 0;
  for (const stream of streams) {
    lost += Math.max(0, number(stream?.packetsLost) ?? 0);
    received += number(stream?.packetsReceived) ?? 0;
  }
  return received === 0 ? null : lost / (lost + received);
}

/** Offset of sound against picture, ms: positive if the sound is ahead. Both reports name the sender's time of what plays now. */
function offsetOf(video: Report | undefined, audio: Report | undefined): number | null {
  const [shown, heard] = [number(video?.estimatedPlayoutTimestamp), number(audio?.estimatedPlayoutTimestamp)];
  return shown === null || heard === null ? null : heard - shown;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function milliseconds(seconds: unknown): number | null {
  const value = number(seconds);
  return value === null ? null : value * 1000;
}
