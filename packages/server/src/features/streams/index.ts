/** Live streams: the API's side (routes, allocation, cleanup after dead hosts) and the host's side (sessions, reports). */
import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import type { Avatars } from '../avatars/index.js';
import { createInspector } from '../library/index.js';
import type { Voices } from '../voices/index.js';
import { serveClientTokens } from './client-token-routes.js';
import { createClientTokens, serveEmbed } from './client-tokens/index.js';
import { createHostClient } from './host/host-client.js';
import { measureStreams } from './metrics.js';
import { servePipecat } from './pipecat.js';
import { serveStreams } from './routes.js';
import { serveSoundSocket } from './speaking/sound-socket.js';
import { serveSoundUploads } from './speaking/sound-upload.js';
import { createStreams } from './streams.js';
import { startStreamSweeper } from './sweeper.js';
import { serveWhep } from './whep.js';

export { streamCapacity } from './capacity.js';
export { createClientTokens } from './client-tokens/index.js';
export { pruneClientTokens, pruneStreams } from './expiry.js';
export { startStreamHost } from './host/host.js';
export { createPackStore } from './host/packs.js';
export { drainHost, isHostPresent, listHosts } from './hosts/index.js';
export { openStreamsIn } from './store.js';

/** Serves streams and their metrics, and ends streams of dead hosts. The kernel's lifecycle stops it. */
export function bindStreams(http: Http, kernel: Kernel, engine: { voices: Voices; avatars: Avatars }): void {
  const hosts = createHostClient(kernel.internalSecret);
  kernel.lifecycle.onClose('connections to stream hosts', () => hosts.end());
  const streams = createStreams(kernel, { ...engine, hosts });
  serveStreams(http, streams);
  serveSoundSocket(http, streams);
  serveSoundUploads(http, kernel, { streams, inspector: createInspector(kernel) });
  serveWhep(http, streams);
  servePipecat(http, kernel, streams);
  const tokens = createClientTokens(kernel);
  serveClientTokens(http, tokens, streams);
  serveEmbed(http.app, { tokens, avatars: engine.avatars, origin: new URL(kernel.config.url).origin });
  measureStreams(http.metrics, kernel);
  startStreamSweeper(kernel);
}
