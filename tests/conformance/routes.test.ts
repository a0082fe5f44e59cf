import { ErrorBody, pathParams, type Route, type RouteId, routes } from '@figurehead/contract';
import type { TSchema } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createValidation } from '../../packages/server/src/kernel/http/validation.js';
import { call, openTestApi, type TestApi } from '../support/api.js';
import { signInAs } from '../support/web.js';
import { brief, FIXTURES, fillPath, type World } from './fixtures.js';

const NOBODY = '000000000000000000000000';

/** Routes of the contract without an implementation. Remove a route here and add a fixture when it is bound. */
const NOT_YET_BOUND: RouteId[] = [];

const validation = createValidation();

/** The body matches the schema, without additional fields. */
function expectShape(schema: TSchema, body: unknown): void {
  expect(validation.body(schema)(structuredClone(body))).toEqual(body);
}

describe('every route of the contract', () => {
  let world: World;
  let api: TestApi;

  beforeAll(async () => {
    api = await openTestApi();
    const [owner, stranger] = await Promise.all([
      api.caller({ plan: 'Enterprise' }),
      api.caller({ plan: 'Enterprise' }),
    ]);
    const web = await signInAs(api, { workspaceId: owner.workspace._id, role: 'owner', operator: true });
    world = { api, owner, stranger, web };
  });
  afterAll(() => api.close());

  // Proves: D.streams.1
  it('is served, or on the list of missing ones', () => {
    expect(api.http.unbound().sort()).toEqual([...NOT_YET_BOUND].sort());
    const served = Object.keys(routes).filter((id) => !NOT_YET_BOUND.includes(id as RouteId));
    expect(Object.keys(FIXTURES).sort()).toEqual(served.sort());
  });

  // In the order of the fixtures, because `signOut` ends the session that the others need.
  const served = Object.entries(FIXTURES).map(
    ([id, fixture]) => [id, fixture, routes[id as RouteId] as Route] as const,
  );

  describe.each(served)('%s', (_id, fixture, route) => {
    const send = (path: string, body?: unknown) =>
      route.auth === 'web' ? world.web(route.method, path, body) : world.owner.call(route.method, path, body);

    if (route.auth !== 'public') {
      // Proves: 4.0.1, 5.2, 7.6
      it('answers 401 without credentials', async () => {
        const path = fillPath(route.path, {
          params: Object.fromEntries(pathParams(route.path).map((name) => [name, NOBODY])),
        });
        const answer = await call(api.http, { method: route.method, path });
        expect([answer.status, answer.text]).toEqual([401, '']);
      });
    }

    if (pathParams(route.path).length > 0) {
      // Proves: 7.1, 7.8
      it('answers 404 for an unknown id, before it looks at the body', async () => {
        const path = fillPath(route.path, {
          params: Object.fromEntries(pathParams(route.path).map((name) => [name, NOBODY])),
        });
        for (const answer of [await send(path, fixture.badBody), await send(path.replace(NOBODY, 'not%20an%20id'))]) {
          expect(brief(answer)).toMatch(/^404 /);
          expectShape(ErrorBody, answer.body);
        }
      });
    }

    const { request: requestOf } = fixture;
    if (pathParams(route.path).length > 0 && fixture.noForeign === undefined && requestOf !== undefined) {
      // Proves: 5.4, 7.7
      it('answers 403 for resources of another workspace', async () => {
        const request = (await requestOf?.(world)) ?? {};
        const path = fillPath(route.path, request);
        const answer = await (route.auth === 'web'
          ? foreignWeb(world, route, path)
          : world.stranger.call(route.method, path, fixture.badBody));
        expect(brief(answer)).toMatch(/^403 /);
        expectShape(ErrorBody, answer.body);
      });
    }

    if (fixture.badBody !== undefined) {
      // Proves: 7.1
      it('answers 400 for an invalid body', async () => {
        const request = (await requestOf?.(world)) ?? {};
        const path = fillPath(route.path, request);
        for (const body of [fixture.badBody, [], '{"cut":']) {
          const answer = await send(path, body);
          expect(brief(answer)).toMatch(/^400 /);
          expectShape(ErrorBody, answer.body);
        }
      });
    }

    // Proves: 2.1.1, 4.6.2, D.calls.1, D.calls.12, D.outline.1, D.library.1
    it.runIf(requestOf !== undefined)('answers 200 with a body that matches its schema', async () => {
      const request = (await requestOf?.(world)) ?? {};
      const answer = await send(fillPath(route.path, request), request.body);
      expect(brief(answer)).toMatch(/^200 /);
      expect(answer.headers['x-request-id']).toBeDefined();
      if (route.binary === undefined) expectShape(route.response, answer.body);
      else expect(answer.headers['content-type']).toBe(route.binary);
    });
  });
});

/** Calls as a user of the other workspace, for routes that accept no token. */
async function foreignWeb({ api, stranger }: World, route: Route, path: string) {
  const web = await signInAs(api, { workspaceId: stranger.workspace._id, role: 'owner' });
  return web(route.method, path);
}
