import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import type { Avatars } from '../avatars/index.js';
import { createInspector } from '../library/index.js';
import type { Voices } from '../voices/index.js';
import { serveAvatarFacades } from './avatar-facades.js';
import type { ClientTokens } from './client-tokens/client-tokens.js';
import { serveClientTokens, serveEmbed } from './client-tokens/routes.js';
import { HostClient } from './host/host-client.js';
import { measureStreams } from './metrics.js';
import { servePipecat } from './pipecat.js';
import { serveSoundSocket } from './speaking/sound-socket.js';
import { serveSoundUploads } from './speaking/sound-upload.js';
import { Streams } from './streams.js';
import { startStreamSweeper } from './sweeper.js';
import { serveWhep } from './whep.js';

export { type ClientTokens, createClientTokens } from './client-tokens/client-tokens.js';

/** Serves streams and their metrics, and ends streams of dead hosts. The kernel's lifecycle stops it. */
export function bindStreams(
  http: Http,
  kernel: Kernel,
  parts: { voices: Voices; avatars: Avatars; tokens: ClientTokens },
): void {
  const hosts = new HostClient(kernel.internalSecret);
  kernel.lifecycle.onClose('connections to stream hosts', () => hosts.end());
  const { voices, avatars, tokens } = parts;
  const streams = new Streams(kernel, { voices, avatars, hosts });
  serveStreams(http, streams);
  serveSoundSocket(http, streams);
  serveSoundUploads(http, kernel, { streams, inspector: createInspector(kernel) });
  serveWhep(http, streams);
  servePipecat(http, kernel, streams);
  serveClientTokens(http, tokens, streams);
  serveAvatarFacades(http.app, kernel);
  serveEmbed(http, { tokens, avatars, origin: new URL(kernel.config.url).origin });
  measureStreams(http.metrics, kernel);
  startStreamSweeper(kernel);
}

/** Serves live streams (§3.3, §4.2 to §4.4). */
function serveStreams(http: Http, streams: Streams): void {
  const resource = ({ caller, params }: { caller: Parameters<Streams['load']>[0]; params: { streamId: string } }) =>
    streams.load(caller, params.streamId);

  http.bind('createStream', { handle: ({ caller, body }) => streams.create(caller, body ?? {}) });
  http.bind('listStreams', {
    handle: async ({ caller, query }) => ({ ...(await streams.list(caller.workspace.id, query)), ...query }),
  });
  http.bind('readStream', { resource, handle: async ({ resource: stream }) => streams.present(stream) });
  http.bind('readStreamStats', { resource, handle: ({ resource: stream }) => streams.stats(stream) });
  http.bind('reconnectStream', {
    resource,
    handle: ({ resource: stream, body }) => streams.reconnect(stream, body ?? {}),
  });
  http.bind('answerStream', {
    resource,
    handle: async ({ resource: stream, body }) => {
      await streams.answer(stream, body.answer.sdp);
      return { status: 'ok' };
    },
  });
  http.bind('joinRoom', {
    resource,
    handle: async ({ resource: stream, body }) => ({ status: 'ok', agent: await streams.joinRoom(stream, body) }),
  });
  http.bind('addCandidate', {
    resource,
    handle: async ({ resource: stream, body }) => {
      await streams.ask(stream, 'addCandidate', { candidate: body.candidate });
      return { status: 'ok' };
    },
  });
  http.bind('speak', {
    resource,
    handle: async ({ resource: stream, body }) => ({ accepted: true, ...(await streams.speak(stream, body.text)) }),
  });
  http.bind('openUtterance', {
    resource,
    handle: async ({ resource: stream, body }) => ({
      accepted: true,
      ...(await streams.openUtterance(stream, body?.text ?? '')),
    }),
  });
  http.bind('appendText', {
    resource,
    handle: async ({ resource: stream, params: { utteranceId }, body }) => {
      await streams.ask(stream, 'appendText', { ...body, utteranceId });
      return { accepted: true, id: utteranceId };
    },
  });
  http.bind('converse', {
    resource,
    handle: async ({ resource: stream, body }) => {
      await streams.converse(stream, body);
      return { accepted: true };
    },
  });
  http.bind('watchStream', {
    resource,
    handle: ({ resource: stream, signal }) => streams.events(stream, signal),
  });
  http.bind('interrupt', {
    resource,
    handle: ({ resource: stream, query }) => streams.ask(stream, 'interrupt', { scope: query.scope ?? 'all' }),
  });
  http.bind('closeStream', { resource, handle: ({ resource: stream }) => streams.close(stream) });
}
