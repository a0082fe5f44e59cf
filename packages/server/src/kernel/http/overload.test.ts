import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { ApiError } from './error.js';
import { refuseOverload } from './overload.js';

it('refuses what is too much at once, answers what it took, and takes more when there is room', async () => {
  const app = Fastify();
  refuseOverload(app, 2);
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof ApiError)) throw error;
    return reply.code(error.status).send({ message: error.message, retryAfter: error.details.retryAfterSeconds });
  });
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  app.get('/slow', async () => {
    await gate;
    return 'done';
  });
  app.get('/events', { config: { hasEvents: true } }, async () => 'heard');
  await app.ready();
  const taken = [app.inject('/slow'), app.inject('/slow')];
  await new Promise((resolve) => setImmediate(resolve));
  const refused = await app.inject('/slow');
  expect([refused.statusCode, refused.json()]).toEqual([
    429,
    { message: 'The server is overloaded. Try again in 1 s.', retryAfter: 1 },
  ]);
  expect((await app.inject('/events')).statusCode).toBe(200);
  release();
  expect((await Promise.all(taken)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect((await app.inject('/slow')).statusCode).toBe(200);
  await app.close();
});
