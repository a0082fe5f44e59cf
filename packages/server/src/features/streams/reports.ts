import type { LiveSession } from '@figurehead/media';
import type { SessionStats } from './host/host-protocol.js';
import type { StreamReport } from './store.js';

/** A host's report of one of its sessions. */
export function reportOf(
  session: LiveSession,
  { leaving, expiresAt }: { leaving: boolean; expiresAt: Date },
): StreamReport {
  const { state, connectedMs } = session.stats();
  return {
    id: session.id,
    state: leaving ? 'closing' : state === 'connected' ? 'connected' : undefined,
    connectedMs: Math.round(connectedMs),
    expiresAt,
    stats: statsOf(session),
  };
}

/** The latest measurements of a session. */
export function statsOf(session: LiveSession): SessionStats {
  const { state: _state, connectedMs: _connectedMs, ...stats } = session.stats();
  return stats;
}
