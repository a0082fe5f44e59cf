import type { FastifyInstance, FastifyRequest } from 'fastify';
import { overloaded } from './error.js';

/**
 * Requests that one process works on at once. Ten of them have a connection to the database; a hundred are what a process catches up with well
 * within a second. Beyond that waiting only makes every answer late (`npm run load`, bench/RESULTS.md).
 */
const MOST_AT_ONCE = 100;

/**
 * Refuses what is too much at once, before it costs anything: 429 with `retryAfter`. What was taken is answered. Those who only listen to events
 * do not count. Goes before the hook that asks the database who calls.
 */
export function refuseOverload(app: FastifyInstance, mostAtOnce = MOST_AT_ONCE): void {
  const taken = new Set<FastifyRequest>();
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'OPTIONS' || request.routeOptions.config.hasEvents === true) return done();
    if (taken.size >= mostAtOnce) {
      return done(overloaded());
    }
    taken.add(request);
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    taken.delete(request);
    done();
  });
}
