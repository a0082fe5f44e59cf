import { readFileSync } from 'node:fs';
import scalar from '@scalar/fastify-api-reference';
import { sql } from 'kysely';
import { Gauge } from 'prom-client';
import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http-contract.js';
import { createOpenApi } from '../../kernel/http-openapi.js';
import { isMigrated } from '../../kernel/migrations.js';
import { RENDER_QUEUE } from '../renders/index.js';

/** How long the database may take to say that it is there. */
const READY_WITHIN_MS = 2000;

/**
 * Serves health, metrics and the documentation of the API, for operators and their tools.
 * @param options.hostsPresent true when a stream host can be reached; not part of readiness when absent.
 */
export function serveOperations(http: Http, kernel: Kernel, options: { hostsPresent?: () => Promise<boolean> }): void {
  const { app } = http;
  app.get('/healthz', { config: { routeId: 'healthz' } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { config: { routeId: 'readyz' } }, async (_request, reply) => {
    const checks = await readiness(kernel, options.hostsPresent ?? (async () => true));
    const ready = checks.database && checks.migrated && checks.streamHosts && !checks.draining;
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', ...checks });
  });
  app.get('/metrics', { config: { routeId: 'metrics' } }, async (_request, reply) =>
    reply.header('Content-Type', http.metrics.contentType).send(await http.metrics.metrics()),
  );
  measureQueue(http, kernel);
  serveDocumentation(http, kernel);
}

async function readiness(
  kernel: Kernel,
  hostsPresent: () => Promise<boolean>,
): Promise<{ database: boolean; migrated: boolean; streamHosts: boolean; draining: boolean }> {
  const draining = kernel.lifecycle.signal.aborted;
  const look = async () => {
    await sql`select 1`.execute(kernel.db);
    return { database: true, migrated: await isMigrated(kernel.db), streamHosts: await hostsPresent(), draining };
  };
  const none = { database: false, migrated: false, streamHosts: false, draining };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof none>((resolve) => {
    timer = setTimeout(() => resolve(none), READY_WITHIN_MS);
  });
  try {
    return await Promise.race([look(), late]);
  } catch (error) {
    kernel.log.warn({ err: error }, 'not ready: the database does not answer');
    return none;
  } finally {
    clearTimeout(timer);
  }
}

function measureQueue(http: Http, kernel: Kernel): void {
  new Gauge({
    name: 'figurehead_render_queue_depth',
    help: 'Renders that wait for a worker.',
    registers: [http.metrics],
    async collect() {
      this.set(await kernel.queue.depth(RENDER_QUEUE));
    },
  });
  new Gauge({
    name: 'figurehead_videos',
    help: 'Videos by status.',
    labelNames: ['status'] as const,
    registers: [http.metrics],
    async collect() {
      const { rows } = await sql<{ status: string; count: string }>`
        select status, count(*) from videos where not deleted group by status`.execute(kernel.db);
      this.reset();
      for (const { status, count } of rows) this.set({ status }, Number(count));
    },
  });
}

function serveDocumentation(http: Http, kernel: Kernel): void {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const document = createOpenApi({ serverUrl: kernel.config.url, version: manifest.version });
  http.app.get('/openapi.json', { config: { routeId: 'openapi' } }, async (_request, reply) =>
    reply.header('Access-Control-Allow-Origin', '*').send(document),
  );
  http.app.register(scalar, {
    routePrefix: '/docs',
    // Everything comes from this server: no fonts, no proxy, no telemetry of others.
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
    },
  });
}
