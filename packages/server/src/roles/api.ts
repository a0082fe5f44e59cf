import { bindAdministration } from '../features/administration/routes.js';
import { bindAgents } from '../features/agents/routes.js';
import { bindAvatars } from '../features/avatars/routes.js';
import { bindBatches } from '../features/batches/routes.js';
import { bindBilling } from '../features/billing/routes.js';
import { bindBrands } from '../features/brands/routes.js';
import { serveConsole } from '../features/console/index.js';
import { countUploadFolders } from '../features/library/index.js';
import { bindLibrary } from '../features/library/routes.js';
import { createLimiter } from '../features/limits/index.js';
import { bindLimits } from '../features/limits/routes.js';
import { serveMcp } from '../features/mcp/routes.js';
import { bindModeration } from '../features/moderation/routes.js';
import { serveOperations } from '../features/operations/routes.js';
import { bindOutlines } from '../features/outlines/routes.js';
import { bindPresentations } from '../features/presentations/routes.js';
import { bindRenders } from '../features/renders/routes.js';
import { bindSessions, createAuthenticator } from '../features/sessions/routes.js';
import { isHostPresent } from '../features/streams/index.js';
import { bindStreams, createClientTokens } from '../features/streams/routes.js';
import { bindTranslations } from '../features/translations/index.js';
import { bindVideos } from '../features/videos/routes.js';
import { bindVoices } from '../features/voices/routes.js';
import { startDeliverySender } from '../features/webhooks/index.js';
import { bindWebhooks } from '../features/webhooks/routes.js';
import { describeQuotas, readWorkspace } from '../features/workspaces/index.js';
import { bindWorkspaces } from '../features/workspaces/routes.js';
import type { Kernel } from '../kernel/contract.js';
import type { Http } from '../kernel/http/contract.js';
import { createHttp, type Patience } from '../kernel/http/http.js';
import { serveMedia } from '../kernel/http/media.js';
import { createEngine, type Engine } from './engine.js';

/** Starts the API: HTTP, media, documentation and the webhook sender. The kernel's lifecycle ends it. */
export async function start(kernel: Kernel): Promise<void> {
  const http = createApi(kernel, createEngine(kernel));
  startDeliverySender(kernel);
  const port = await http.listen();
  kernel.log.info({ port, url: kernel.config.url }, 'the API listens');
}

/**
 * Serves all features on one HTTP server without listening; tests call its `app` directly.
 * @param patience see `createHttp`.
 */
export function createApi(
  kernel: Kernel,
  { voices, avatars, pipeline, previews, speechMetrics }: Engine,
  patience?: Patience,
): Http {
  const limiter = createLimiter(kernel);
  const tokens = createClientTokens(kernel);
  const http = createHttp(kernel, { authenticator: createAuthenticator(kernel, tokens), limiter, patience });
  bindWorkspaces(http, kernel);
  bindSessions(http, kernel, limiter);
  bindBilling(http, kernel);
  bindVideos(http, kernel);
  bindTranslations(http, kernel, { voices, avatars });
  bindRenders(http, kernel, { pipeline, previews });
  bindBatches(http, kernel);
  bindPresentations(http, kernel, { voices, avatars });
  bindModeration(http, kernel);
  bindAdministration(http, kernel);
  bindLimits(http, limiter);
  bindVoices(http, kernel, voices);
  bindAvatars(http, kernel, avatars);
  bindBrands(http, kernel, { avatars, voices });
  bindAgents(http, kernel, { voices, avatars });
  bindStreams(http, kernel, { voices, avatars, tokens });
  bindLibrary(http, kernel);
  bindOutlines(http, kernel, avatars);
  bindWebhooks(http, kernel, {
    minutesOf: async (workspaceId) => (await readWorkspace(kernel, workspaceId))?.minutes ?? 0,
    quotasOf: async (workspace) => describeQuotas(kernel, workspace, await countUploadFolders(kernel, workspace.id)),
  });
  serveMedia(http.app, kernel, voices.makeSample);
  serveOperations(http, kernel, { hostsPresent: () => isHostPresent(kernel) });
  serveMcp(http, kernel);
  speechMetrics.register(http.metrics);
  serveConsole(http, kernel);
  return http;
}
