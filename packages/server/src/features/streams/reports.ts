import type { LiveSession } from '@figurehead/media';
import type { StreamReport } from './store.js';

/** What a host says of one of its sessions. */
export function reportOf(
  session: LiveSession,
  { leaving, expiresAt }: { leaving: boolean; expiresAt: number },
): StreamReport {
  const { state, connectedMs, ...rest } = session.stats();
  const { codec, framesPerSecond, encodeMs, drawMs, bitrate, loss, roundTripMs, firstSoundMs, avOffsetMs, queued } =
    rest;
  return {
    id: session.id,
    state: leaving ? 'closing' : state === 'connected' ? 'connected' : undefined,
    connectedMs: Math.round(connectedMs),
    expiresAt: new Date(expiresAt),
    stats: { codec, framesPerSecond, encodeMs, drawMs, bitrate, loss, roundTripMs, firstSoundMs, avOffsetMs, queued },
  };
}
