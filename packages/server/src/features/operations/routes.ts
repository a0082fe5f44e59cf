import scalar from '@scalar/fastify-api-reference';
import type { Kernel } from '../../kernel/contract.js';
import { requireOwner } from '../../kernel/http/auth.js';
import type { Http } from '../../kernel/http/contract.js';
import { createOpenApi } from '../../kernel/http/openapi/openapi.js';
import { listUnsentMails } from '../../kernel/network/mail.js';
import { programVersion } from '../../kernel/version.js';
import { expose, measureInstallation, measureQueues } from './measures.js';
import { createReadiness } from './readiness.js';
import { refuseMetrics } from './role-server.js';

/**
 * Serves health, metrics, unsent e-mails and the documentation of the API, for operators and monitoring.
 * @param options.hostsPresent true when a stream host is reachable; without it hosts are not part of readiness.
 */
export function serveOperations(http: Http, kernel: Kernel, options: { hostsPresent?: () => Promise<boolean> }): void {
  const { app } = http;
  app.get('/healthz', { config: { routeId: 'healthz' } }, (_request, reply) => void reply.send({ status: 'ok' }));
  const readiness = createReadiness(kernel, options.hostsPresent ?? (async () => true));
  app.get('/readyz', { config: { routeId: 'readyz' } }, async (_request, reply) => {
    const { ready, ...told } = await readiness();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', ...told });
  });
  app.get('/metrics', { config: { routeId: 'metrics' } }, async (request, reply) => {
    const refusal = refuseMetrics(kernel.config.metricsToken, request.raw);
    if (refusal !== undefined) {
      if (refusal.status === 401) reply.header('WWW-Authenticate', 'Bearer');
      return reply.code(refusal.status).send({ message: refusal.message });
    }
    return reply.header('Content-Type', http.metrics.contentType).send(await expose([http.metrics, kernel.metrics]));
  });
  measureQueues(http.metrics, kernel);
  measureInstallation(http.metrics, kernel);
  serveDocumentation(http, kernel);
  bindOutbox(http, kernel);
}

function serveDocumentation(http: Http, kernel: Kernel): void {
  const document = createOpenApi({ serverUrl: kernel.config.url, version: programVersion() });
  http.app.get('/openapi.json', { config: { routeId: 'openapi' } }, async (_request, reply) =>
    reply.header('Access-Control-Allow-Origin', '*').send(document),
  );
  http.app.register(scalar, {
    routePrefix: '/docs',
    // Everything is served from here: no external fonts, proxy or telemetry.
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      pageTitle: 'Figurehead API',
      metaData: { title: 'Figurehead API' },
      // The line about the program that shows the page.
      customCss: 'a[href^="https://www.scalar.com"] { display: none; }',
    },
  });
}

/** Serves the unsent e-mails of a workspace. Owners only, because they may contain other users' names. */
function bindOutbox(http: Http, kernel: Kernel): void {
  http.bind('listMails', {
    handle: async ({ caller, query }) => {
      requireOwner(caller);
      const { rows, total } = await listUnsentMails(kernel.db, caller.workspace.id, query);
      const mails = rows.map(({ id, recipient, subject, body, error, createdAt }) => ({
        ...{ _id: id, to: recipient, subject, text: body, error },
        createdAt: createdAt.toISOString(),
      }));
      return { mails, ...query, total };
    },
  });
}
