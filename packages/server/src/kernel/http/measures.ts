import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/** Metrics of the process and response times by route. */
export function measureCalls(app: FastifyInstance, metrics: Registry): void {
  collectDefaultMetrics({ register: metrics });
  const duration = new Histogram({
    name: 'figurehead_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [metrics],
  });
  const series = new Map<string, ReturnType<typeof duration.labels>>();
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    const route = config.routeId ?? (request.is404 ? 'unknown' : (url ?? 'other'));
    // The duration of an event stream says nothing about this server.
    if (config.hasEvents) return done();
    // Looking up a series by its labels costs more than the rest of a small request.
    const key = `${route} ${request.method} ${reply.statusCode}`;
    const known = series.get(key) ?? duration.labels({ route, method: request.method, status: reply.statusCode });
    series.set(key, known);
    known.observe(reply.elapsedTime / 1000);
    done();
  });
}
