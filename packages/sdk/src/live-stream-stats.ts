/** What a browser measures of a live stream that it plays; null where it does not tell, or not yet. Sums are since the start. */
export interface LiveStreamStats {
  /** `video/H264` or `video/VP8`. */
  readonly codec: string | null;
  /** Of the picture, px. */
  readonly width: number | null;
  readonly height: number | null;
  /** Pictures shown in the last second. */
  readonly framesPerSecond: number | null;
  readonly framesDropped: number | null;
  /** Times that the picture stood still for noticeably longer than between two pictures. */
  readonly freezes: number | null;
  /** Share of packets that were lost, 0…1, those sent again not counted as lost. */
  readonly loss: number | null;
  /** To the server and back, milliseconds. */
  readonly roundTripMs: number | null;
  /** How unevenly sound arrives, milliseconds. */
  readonly jitterMs: number | null;
  /** By how many milliseconds the picture that plays is later than the sound that plays; negative when the sound is the later one. */
  readonly avOffsetMs: number | null;
  /** Loudness now, 0…1. */
  readonly audioLevel: number | null;
  /** True when the connection goes through a TURN server. */
  readonly relayed: boolean | null;
}

/** Reports of every kind have other fields, and browsers differ in which they have. */
type Report = Readonly<Record<string, unknown>>;

/** Reads the statistics of a peer connection that plays a live stream. */
export function readLiveStats(stats: RTCStatsReport): LiveStreamStats {
  const reports: Report[] = [];
  for (const report of (stats as unknown as ReadonlyMap<string, Report>).values()) reports.push(report);
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

/** Both are instants of the sender's clock that play now: the one that is behind belongs to what is late. */
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
