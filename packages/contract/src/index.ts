/**
 * The REST contract as data: schemas, routes, errors, limits and webhook events. Server, client SDK, console,
 * documentation and tests read it; it imports none of them.
 */
import type { endpoints } from './endpoints.js';
import type { Route } from './route.js';
import { accountRoutes } from './routes/account.js';
import { adminRoutes } from './routes/admin.js';
import { agentRoutes } from './routes/agents.js';
import { libraryRoutes } from './routes/library.js';
import { outlineRoutes } from './routes/outlines.js';
import { streamRoutes } from './routes/streams.js';
import { videoRoutes } from './routes/videos.js';
import { voiceRoutes } from './routes/voices.js';
import { webhookRoutes } from './routes/webhooks.js';

export * from './document/index.js';
export * from './endpoints.js';
export * from './errors.js';
export * from './limits.js';
export * from './route.js';
export * from './schemas/account.js';
export * from './schemas/admin.js';
export * from './schemas/agent.js';
export * from './schemas/brand.js';
export * from './schemas/client-token.js';
export * from './schemas/common.js';
export * from './schemas/library.js';
export * from './schemas/outline.js';
export { withStoredTypes } from './schemas/stored-types.js';
export * from './schemas/stream.js';
export * from './schemas/turns.js';
export * from './schemas/video.js';
export * from './schemas/voice.js';
export * from './schemas/webhook.js';

/** Every route of the API by id. */
export const routes = {
  ...videoRoutes,
  ...voiceRoutes,
  ...streamRoutes,
  ...agentRoutes,
  ...webhookRoutes,
  ...outlineRoutes,
  ...libraryRoutes,
  ...accountRoutes,
  ...adminRoutes,
} as const satisfies Record<keyof typeof endpoints, Route>;

export type Routes = typeof routes;
/** A key of {@link routes}. */
export type RouteId = keyof Routes;
