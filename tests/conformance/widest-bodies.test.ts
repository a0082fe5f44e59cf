import { MAX_JSON_BYTES, pathParams, type Route, routes } from '@figurehead/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAll } from '../support/stream-host.js';
import { longestTurn } from '../support/turns.js';
import { signInAs } from '../support/web.js';
import { FIXTURES, fillPath, type World } from './fixtures.js';
import { placesOf } from './schema-places.js';

const PAGE = 'https://shop.example.org';

/** A body may have as many lists, objects and keys, and values, see kernel/http/json.test.ts; some are around what fills it. */
const MAX_PARTS = 199_000;
const MAX_VALUES = 499_000;
/** Bytes for what is around it. */
const AROUND = 4096;

/** A body may hold the event loop as long as five that are as large, but only one text: 100 ms on a quiet machine, where each of them takes 20 ms. */
const MOST_MS = 20;
const MOST_TIMES = 5;

const KEYS = `{${Array.from({ length: 1000 }, (_, n) => `"k${n}":0`).join()}}`;

/** Bodies of a route that are as large and as wide as it allows, with their names: one text, unknown fields, and each place of its schema. */
function widestOf({ auth, body }: Route) {
  const most = MAX_JSON_BYTES[auth ?? 'any'] - AROUND;
  const text = `"${'a'.repeat(most)}"`;
  const list = (item: string) => {
    const [parts, values] = [item.split(/[:[{]/).length - 1, item.split(',').length];
    const count = Math.max(1, Math.min(most / (item.length + 1), MAX_PARTS / parts, MAX_VALUES / values) - 1);
    return `[${`${item},`.repeat(count)}${item}]`;
  };
  const { lists, objects, texts } = placesOf(body!);
  const wide = [
    ['unknown objects', `{"x":${list(KEYS)}}`],
    ['unknown lists', `{"x":${list('[]')}}`],
    ...lists.map(({ name, item, around }) => [`${name}: ${item}`, around(list(item))] as const),
    ...texts.map(({ name, around }) => [`${name}: a text`, around(text)] as const),
    ...objects.map(({ name, around }) => [`${name}: keys`, around(KEYS)] as const),
  ] as const;
  return { plain: `{"x":${text}}`, wide };
}

// Each route with a body, those to come included.
describe('the widest bodies', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let world: World;
  let stream: string;
  let client: Record<string, string>;
  beforeAll(async () => {
    all = await openAll({}, { capacity: 40 });
    const { api } = all;
    const owner = await api.caller({ plan: 'Corporate' });
    const web = await signInAs(api, { workspaceId: owner.workspace._id, role: 'owner', operator: true });
    world = { api, owner, stranger: owner, web };
    const token = await owner.call('POST', '/client-tokens', { origins: [PAGE], avatarCode: 'nora', maxStreams: 5 });
    client = { authorization: `Bearer ${token.body.token}`, origin: PAGE };
    stream = (await owner.call('POST', '/streams', {}, client)).body.id;
  });
  afterAll(() => all.close());

  const withBody = (Object.values(routes) as Route[]).filter(({ body, text }) => body && text === undefined);
  it.each(withBody.map((route) => [route.id, route] as const))('of %s', async (_id, route) => {
    const { params } = (await FIXTURES[route.id as keyof typeof FIXTURES]?.request?.(world)) ?? {};
    const names = Object.fromEntries(pathParams(route.path).map((name) => [name, stream]));
    const path = fillPath(route.path, { params: { ...names, ...params } });
    const send = route.auth === 'web' ? world.web : world.owner.call;
    const as = route.auth === 'client' ? client : {};
    const measure = async (text: string) => {
      const body = Buffer.from(text);
      let status = 0;
      const ms = await longestTurn(async () => {
        status = (await send(route.method, path, body, as)).status;
      });
      expect(status, text.slice(0, 100)).toBeLessThan(500);
      return ms;
    };
    // Compiles the checks.
    await measure('{"x":[0]}');
    const { plain, wide } = widestOf(route);
    let plainMs = await measure(plain);
    for (const [name, body] of wide) {
      let times = (await measure(body)) / Math.max(plainMs, MOST_MS);
      // Compilers and garbage collectors use the processor too, and other processes its caches.
      for (let attempt = 0; times > MOST_TIMES && attempt < 10; attempt++) {
        plainMs = await measure(plain);
        times = Math.min(times, (await measure(body)) / Math.max(plainMs, MOST_MS));
      }
      expect(times, name).toBeLessThan(MOST_TIMES);
    }
  });
});
