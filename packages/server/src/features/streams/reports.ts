import type { LiveSession } from '@figurehead/media';
import type { StreamReport, StreamStats } from './store.js';

/** What a host says of one of its sessions. */
export function reportOf(
  session: LiveSession,
  { leaving, expiresAt }: { leaving: boolean; expiresAt: number },
): StreamReport {
  const { state, connectedMs } = session.stats();
  return {
    id: session.id,
    state: leaving ? 'closing' : state === 'connected' ? 'connected' : undefined,
    connectedMs: Math.round(connectedMs),
    expiresAt: new Date(expiresAt),
    stats: statsOf(session),
  };
}

/** What a session measured of itself lately. */
export function statsOf(session: LiveSession): StreamStats {
  const { state: _state, connectedMs: _connectedMs, ...stats } = session.stats();
  return stats;
}
