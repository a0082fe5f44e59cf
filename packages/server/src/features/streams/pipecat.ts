import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { ApiError } from '../../kernel/http/error.js';
import { iceServersFor } from './ice-servers.js';
import type { Streams } from './streams.js';

/**
 * Serves Pipecat's small WebRTC transport: a client's offer opens a new stream, whose id is the client's `pc_id`. The messages on its data channel are
 * served by the host (`host/rtvi.ts`).
 */
export function servePipecat(http: Http, { config, ids, clock }: Kernel, streams: Streams): void {
  // The transport wants its servers before there is a stream.
  http.bind('startPipecat', {
    handle: async () => ({
      iceConfig: { iceServers: iceServersFor(config, { id: ids.next(), createdAt: new Date(clock.now()) }) },
    }),
  });
  // Streams whose replacement is being opened: of two restarts at once, one opens a stream.
  const replacing = new Set<string>();
  http.bind('openPipecat', {
    handle: async ({ caller, body }) => {
      const { sdp, pc_id: earlier, restart_pc: isRestart, requestData } = body;
      if (earlier && !isRestart) throw new ApiError('noIceRestart');
      const replaced = earlier ? await streams.load(caller, earlier).catch(gone) : undefined;
      if (replaced !== undefined && replacing.has(replaced.id)) throw new ApiError('streamReplaced');
      if (replaced !== undefined) replacing.add(replaced.id);
      try {
        if (replaced !== undefined) await streams.close(replaced);
        const { stream, answer } = await streams.watch(caller, requestData ?? {}, sdp);
        return { sdp: answer, type: 'answer' as const, pc_id: stream.id };
      } finally {
        if (replaced !== undefined) replacing.delete(replaced.id);
      }
    },
  });
  http.bind('tricklePipecat', {
    handle: async ({ caller, body }) => {
      const stream = await streams.load(caller, body.pc_id);
      for (const { candidate, sdp_mid: sdpMid } of body.candidates) {
        await streams.addCandidate(stream, { candidate, sdpMid: sdpMid ?? null });
      }
      return { status: 'ok' };
    },
  });
}

/** A connection is often replaced because its stream has ended. */
function gone(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'notFound') return undefined;
  throw error;
}
