import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { openTestKernel, type TestKernel } from '../support/kernel.js';
import { freePort } from '../support/ports.js';
import { type RunningRole, startRole } from '../support/role.js';

type Item = { json: Record<string, unknown>; binary?: { film: { fileName: string; data: Buffer } } };
const { Figurehead } = createRequire(import.meta.url)('../../integrations/n8n/nodes/Figurehead.node.js') as {
  Figurehead: new () => {
    execute(): Promise<[Item[]]>;
    methods: { loadOptions: Record<'presenters' | 'voices', () => Promise<{ name: string; value: string }[]>> };
  };
};

describe('the node for n8n', () => {
  let test: TestKernel;
  let roles: RunningRole[];
  let url: string;
  let token: string;

  beforeAll(async () => {
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}`;
    test = await openTestKernel({ PORT: port, FIGUREHEAD_URL: url });
    roles = await Promise.all([startRole('api', test.env), startRole('worker', test.env)]);
    const workspace = { name: 'Workflows', plan: 'Team', status: 'active', minutes: 60 } as const;
    const { _id: workspaceId } = await createWorkspace(test.kernel, workspace);
    ({ token } = await createToken(test.kernel, { workspaceId, userId: workspaceId, name: 'n8n' }));
  });
  afterAll(async () => {
    await Promise.all(roles.map((role) => role.stop()));
    await test.close();
  });

  /** A request as n8n's helpers make it: a refusal has the server's sentence as its description. */
  async function request(options: { method?: string; url: string; body?: unknown; encoding?: string }) {
    const { method = 'GET', body } = options;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(options.url, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (options.encoding === 'arraybuffer') return answer.arrayBuffer();
    const json = await answer.json();
    if (!answer.ok) throw Object.assign(new Error('refused'), { description: json.message });
    return json;
  }

  /** What n8n gives a node: one set of parameters for each item. */
  const context = (parameters: Record<string, unknown>[], goesOn = false) => ({
    getInputData: () => parameters,
    getNodeParameter: (name: string, index: number) =>
      ({
        text: '',
        presenter: '',
        voice: '',
        document: '{}',
        wait: true,
        minutes: 2,
        download: false,
        ...parameters[index],
      })[name],
    getCredentials: async () => ({ url: `${url}/`, token }),
    continueOnFail: () => goesOn,
    getExecutionCancelSignal: () => undefined,
    helpers: {
      httpRequest: request,
      httpRequestWithAuthentication: (_: string, options: Parameters<typeof request>[0]) => request(options),
      prepareBinaryData: async (data: Buffer, fileName: string) => ({ data, fileName }),
    },
  });
  const run = async (...given: Parameters<typeof context>) =>
    (await new Figurehead().execute.call(context(...given) as never))[0];

  it('makes a film of each text and downloads it, and offers presenters and voices', async () => {
    const { presenters, voices } = new Figurehead().methods.loadOptions;
    const [presenter, voice] = await Promise.all([presenters, voices].map((list) => list.call(context([]) as never)));
    const chosen = { presenter: presenter?.[1]?.value, voice: voice?.[1]?.value, download: true };
    const texts = ['Hello.', 'First.\n\nSecond.'];
    const films = await run(texts.map((text) => ({ operation: 'createVideo', text, ...chosen })));
    expect(films.map(({ json }) => json)).toEqual([
      expect.objectContaining({ name: 'Hello.', status: 'ready', slides: [expect.anything()] }),
      expect.objectContaining({ name: 'First.', status: 'ready', slides: [expect.anything(), expect.anything()] }),
    ]);
    for (const { binary } of films) expect(binary?.film.data.subarray(4, 8).toString()).toBe('ftyp');
  });

  it('makes one film of a template for each item, and tells each failure at its item', async () => {
    const slides = [{ id: 1, speech: 'Hi {{name}}.', avatar: { code: 'nora' } }];
    const body = { name: 'Hi', type: 'template', slides };
    const { _id: videoId } = await request({ method: 'POST', url: `${url}/api/v1/videos`, body });
    const names = ['Anna', 'Ben', 'Cleo'];
    const films = await run(names.map((name) => ({ operation: 'renderTemplate', videoId, values: { name } })));
    expect(films.map(({ json }) => [json['name'], json['status']])).toEqual(
      names.map((name) => [`Hi – ${name}`, 'ready']),
    );

    const bad = [
      { operation: 'createVideo', text: '' },
      { operation: 'createVideo', text: 'Hello.', document: '[1]' },
      { operation: 'createVideo', text: 'Hello.', presenter: 'ghost' },
    ];
    expect((await run(bad, true)).map(({ json }) => json['error'])).toEqual([
      'A video needs a text, or a document with slides',
      '"document" must be a JSON object, not "[1]"',
      expect.stringContaining('ghost'),
    ]);
    await expect(run([{ operation: 'readVideo', videoId: 'none' }])).rejects.toMatchObject({
      description: expect.stringContaining('no video'),
    });
  });
});
