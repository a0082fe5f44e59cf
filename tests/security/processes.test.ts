import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember, createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { openTestKernel, type TestKernel } from '../support/kernel.js';
import { freePort } from '../support/ports.js';
import { type RunningRole, startRole } from '../support/role.js';

/** Values that must never be in a log. */
const SECRETS = {
  FIGUREHEAD_TURN_SECRET: 'turn-7f3a9d20',
  FIGUREHEAD_ELEVENLABS_KEY: 'eleven-51bc77aa',
  FIGUREHEAD_LLM_KEY: 'llm-90cd13ef',
  FIGUREHEAD_INTERNAL_SECRET: 'internal-2be81f04',
  FIGUREHEAD_METRICS_TOKEN: 'metrics-6d5c4b3a',
  password: 'horse-battery-90210',
  wrong: 'not-the-password-11',
  webhook: 'webhook-secret-4455aa',
  smtp: 'smtp-pass-77de01',
  otlp: 'otlp-key-3c3c3c',
};

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string } }[];
  status?: { code: number };
}

/** Roles as processes, with all their log lines. */
describe('an API and a worker at work', () => {
  let test: TestKernel;
  let roles: RunningRole[] = [];
  let collector: Server;
  const spans: (Span & { role: string })[] = [];
  const collectorHeaders: string[] = [];
  let url = '';
  let metricsUrl = '';
  let token = '';
  let requestId = '';
  let mutable: string[] = [];

  beforeAll(async () => {
    collector = createServer(async (request, response) => {
      collectorHeaders.push(String(request.headers['x-key']));
      const body = (await json(request)) as {
        resourceSpans: {
          resource: { attributes: { key: string; value: { stringValue: string } }[] };
          scopeSpans: { spans: Span[] }[];
        }[];
      };
      for (const { resource, scopeSpans } of body.resourceSpans) {
        const role = resource.attributes.find(({ key }) => key === 'service.namespace')?.value.stringValue ?? '';
        spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, role }))));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const address = collector.address();
    const [port, metricsPort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    metricsUrl = `http://127.0.0.1:${metricsPort}`;
    const { password, wrong, webhook, smtp, otlp, ...keys } = SECRETS;
    test = await openTestKernel({
      ...keys,
      PORT: String(port),
      FIGUREHEAD_URL: url,
      FIGUREHEAD_METRICS_PORT: String(metricsPort),
      FIGUREHEAD_SMTP_URL: `smtp://mailer:${smtp}@127.0.0.1:1`,
      FIGUREHEAD_LLM_URL: 'http://127.0.0.1:1/v1',
      FIGUREHEAD_ELEVENLABS_URL: 'http://127.0.0.1:1',
      FIGUREHEAD_TURN_URLS: 'turn:127.0.0.1:1',
      FIGUREHEAD_WEBHOOK_ALLOW_PRIVATE: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
      OTEL_EXPORTER_OTLP_HEADERS: `x-key=${otlp}`,
    });
    const env = { ...test.env, FIGUREHEAD_LOG_LEVEL: 'trace', FIGUREHEAD_LOG_FORMAT: 'json' };
    roles = await Promise.all([startRole('api', env), startRole('worker', env)]);
    const workspace = await createWorkspace(test.kernel, { name: 'W', plan: 'Team', status: 'active', minutes: 5 });
    await addMember(test.kernel, { workspaceId: workspace._id, email: 'ada@example.org', role: 'owner', password });
    token = (await createToken(test.kernel, { workspaceId: workspace._id, userId: workspace._id, name: 'T' })).token;
    mutable = [token];
  });
  afterAll(async () => {
    await Promise.all(roles.map((role) => role.kill()));
    collector.close();
    await test.close();
  });

  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : {},
    };
  }

  const logs = async (role: string) => {
    const folder = join(test.kernel.config.dataDir, 'logs');
    const names = (await readdir(folder)).filter((name) => name.startsWith(role));
    return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
  };

  async function until(check: () => Promise<boolean> | boolean): Promise<void> {
    while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 100));
  }

  it('run typical work', async () => {
    const { password, wrong, webhook } = SECRETS;
    const session = { authorization: '' };
    expect((await ask('POST', '/session', { email: 'ada@example.org', password: wrong }, session)).status).toBe(401);
    const signedIn = await ask('POST', '/session', { email: 'ada@example.org', password }, session);
    expect(signedIn.status).toBe(200);
    mutable.push(/figurehead_session=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? 'none');
    expect((await ask('GET', '/videos', undefined, { authorization: 'Bearer fh_stolen-0123456789' })).status).toBe(401);
    expect(
      (await ask('POST', '/webhook', { url: 'http://127.0.0.1:1/hook', techEmail: 'tech@example.org' })).status,
    ).toBe(200);
    expect((await ask('PUT', '/webhook/secret', { secret: webhook })).status).toBe(200);
    await ask('GET', '/voices');
    const outline = await ask('POST', '/outline', { title: 'T', prompt: 'A talk about tea.' });
    await ask('POST', `/outline/${outline.body['_id']}/generate-chapters`, {});
    const video = await ask('POST', '/videos', {
      name: 'x',
      slides: [{ id: 1, speech: 'Hi.', avatar: { code: 'nobody' } }],
    });
    const rendering = await ask('POST', `/videos/render/${video.body['_id']}`, undefined, {
      traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
    });
    requestId = rendering.headers.get('x-request-id') ?? '';
    await until(async () => (await ask('GET', `/videos/${video.body['_id']}`)).body['status'] === 'error');
    await until(
      async () => /tech@example\.org|smtp|could not be sent/i.test(await logs('api')) || (await deliveries()) > 0,
    );
  });

  async function deliveries(): Promise<number> {
    const { body } = await ask('GET', '/webhook/deliveries?status=failed');
    return Number(body['total'] ?? 0);
  }

  it('write no secret into any line of their logs', async () => {
    const text = (await logs('api')) + (await logs('worker'));
    expect(text.length).toBeGreaterThan(500);
    for (const secret of [...Object.values(SECRETS), ...mutable])
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    const folder = join(test.kernel.config.dataDir, 'logs');
    expect((await stat(folder)).mode & 0o077).toBe(0);
  });

  it('write the request id to the worker’s log lines as well', async () => {
    const lines = (await logs('worker'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const about = lines.filter((line) => line['requestId'] === requestId);
    expect(requestId).toMatch(/^[0-9a-f]{24}$/);
    expect(about.length).toBeGreaterThan(0);
    expect(about[0]).toMatchObject({ role: 'worker', traceId: 'ab'.repeat(16) });
  });

  it('send one trace of the request and its job to the collector, with the operator’s headers', async () => {
    const ours = () => spans.filter(({ traceId }) => traceId === 'ab'.repeat(16));
    const isThere = (part: (span: (typeof spans)[number]) => boolean) => ours().some(part);
    // Each process sends its own spans in batches.
    await until(
      () =>
        isThere(({ name }) => name === 'job renders') &&
        isThere(({ role }) => role === 'api') &&
        isThere(({ name }) => name.startsWith('render ')),
    );
    const request = ours().find(({ role }) => role === 'api');
    const job = ours().find(({ name }) => name === 'job renders');
    expect(request).toMatchObject({ name: 'POST /videos/render/{videoId}', parentSpanId: 'cd'.repeat(8) });
    expect(job).toMatchObject({ role: 'worker', parentSpanId: request?.spanId });
    expect(job?.attributes).toContainEqual({ key: 'figurehead.request_id', value: { stringValue: requestId } });
    expect(ours().some(({ name, parentSpanId }) => name.startsWith('render ') && parentSpanId !== undefined)).toBe(
      true,
    );
    expect(new Set(collectorHeaders)).toEqual(new Set([SECRETS.otlp]));
  });

  it('serve the worker’s metrics and health on a separate port, with the token', async () => {
    expect((await fetch(`${metricsUrl}/healthz`)).status).toBe(200);
    expect((await (await fetch(`${metricsUrl}/readyz`)).json()) as object).toMatchObject({
      status: 'ready',
      database: true,
    });
    expect((await fetch(`${metricsUrl}/metrics`)).status).toBe(401);
    const headers = { authorization: `Bearer ${SECRETS.FIGUREHEAD_METRICS_TOKEN}` };
    const text = await (await fetch(`${metricsUrl}/metrics`, { headers })).text();
    expect(text).toMatch(/^figurehead_jobs_total\{queue="renders",outcome="completed"\} 1$/m);
    expect(text).toMatch(/^figurehead_queue_depth\{queue="renders"\} 0$/m);
    expect(text).toMatch(/^figurehead_build_info\{version="[\d.]+",role="worker",node="[\d.]+"\} 1$/m);
    expect(text).toMatch(/^figurehead_disk_free_bytes \d+/m);
    expect(text).toMatch(/^figurehead_render_stage_seconds_count\{stage="\w+"\} 1$/m);
    expect((await fetch(`${metricsUrl}/other`)).status).toBe(404);
  });
});
