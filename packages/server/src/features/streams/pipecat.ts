import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import type { Http } from '../../kernel/http/contract.js';
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
  http.bind('openPipecat', {
    handle: async ({ caller, body }) => {
      const { sdp, pc_id: earlier, restart_pc: isRestart, requestData: input = {} } = body;
      if (earlier && !isRestart) throw new ApiError('noIceRestart');
      const { stream, answer } = earlier
        ? await streams.replace(caller, { input, offer: sdp, replaces: earlier })
        : await streams.watch(caller, { input, offer: sdp });
      return { sdp: answer, type: 'answer' as const, pc_id: stream.id };
    },
  });
  http.bind('tricklePipecat', {
    handle: async ({ caller, body }) => {
      const stream = await streams.load(caller, body.pc_id);
      for (const { candidate, sdp_mid: sdpMid } of body.candidates) {
        await streams.ask(stream, 'addCandidate', { candidate: { candidate, sdpMid: sdpMid ?? null } });
      }
      return { status: 'ok' };
    },
  });
}
