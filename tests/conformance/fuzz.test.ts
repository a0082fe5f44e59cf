import { ErrorBody, pathParams, type Route, type RouteId, routes } from '@figurehead/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createValidation } from '../../packages/server/src/kernel/http/validation.js';
import { openTestApi, type TestApi, type TestCaller } from '../support/api.js';
import { signInAs } from '../support/web.js';
import { FIXTURES, fillPath, type World } from './fixtures.js';
import { arbitraryOf } from './schema-arbitrary.js';

/** Enough for every branch of a schema; set FUZZ_RUNS for a longer run. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 25);

/** Routes that hash passwords or speak: a tenth of a second each. */
const SLOW = new Set<string>(['signIn', 'createMember', 'updateSession', 'synthesizeSlide', 'previewVoice']);

const validation = createValidation();

// Proves: 7.1, 7.10
describe('no request makes the API fail', () => {
  let api: TestApi;
  let owner: TestCaller;
  let web: World['web'];
  let ids: string[];

  beforeAll(async () => {
    api = await openTestApi();
    owner = await api.caller({ plan: 'Corporate' });
    web = await signInAs(api, { workspaceId: owner.workspace._id, role: 'owner', operator: true });
  });
  afterAll(() => api.close());
  // New ones for each route, because some routes delete them.
  beforeEach(async () => {
    const slides = [{ id: 1, speech: 'Hi.' }];
    const made = ['a', 'b', 'c'].map((name) => owner.call('POST', '/videos', { name, slides }));
    const others = ['/outline', '/folders', '/upload-folders'].map((path) =>
      owner.call('POST', path, { title: 'Bees', name: 'x', source: 'Bees live in hives. Bees make honey.' }),
    );
    ids = (await Promise.all([...made, ...others])).map(({ body }) => body._id);
  });

  const fuzzed = (Object.keys(FIXTURES) as RouteId[])
    .map((id) => [id, routes[id] as Route] as const)
    // Event streams end with their reader; see videos/changes.test.ts.
    .filter(([id, route]) => id !== 'signOut' && route.events === undefined);

  it.each(fuzzed)('%s', async (id, route) => {
    const segment = () =>
      fc.oneof(
        fc.constantFrom(...ids, '1', '000000000000000000000000'),
        fc.string({ maxLength: 10 }).map(encodeSafely),
      );
    const params = fc.record(Object.fromEntries(pathParams(route.path).map((name) => [name, segment()])));
    const query = fc.dictionary(
      fc.constantFrom('page', 'limit', 'other', ...Object.keys(route.query?.properties ?? {})),
      fc.oneof(fc.integer().map(String), fc.string({ maxLength: 10 }), fc.constantFrom('true', 'draft', '')),
      { maxKeys: 3 },
    );
    const body = route.body === undefined ? fc.constant(undefined) : arbitraryOf(route.body);
    const numRuns = SLOW.has(id) ? Math.min(RUNS, 8) : RUNS;
    await fc.assert(
      fc.asyncProperty(params, query, body, async (chosen, parameters, sent) => {
        const path = fillPath(route.path, { params: chosen, query: new URLSearchParams(parameters).toString() });
        const send = route.auth === 'web' ? web : owner.call;
        const answer = await send(route.method, path, sent === undefined ? undefined : JSON.stringify(sent));
        expect([200, 400, 401, 403, 404, 422, 429], `${answer.status} ${answer.text}`).toContain(answer.status);
        if (answer.status === 401 || (answer.status === 200 && route.binary !== undefined)) return;
        const schema = answer.status === 200 ? route.response : ErrorBody;
        expect(validation.body(schema)(structuredClone(answer.body))).toEqual(answer.body);
      }),
      { numRuns, seed: 20_260_000, endOnFailure: true },
    );
  });
});

/** A segment of a path; an empty one would address another route. */
function encodeSafely(value: string): string {
  const encoded = encodeURIComponent(value).replaceAll('.', '%2E');
  return encoded === '' ? '-' : encoded;
}
