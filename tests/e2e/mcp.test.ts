import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type Progress, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace } from '../../packages/server/src/features/workspaces/index.js';
import { createToken, revokeToken } from '../../packages/server/src/features/workspaces/tokens/tokens.js';
import { pdf } from '../fixtures/presentations/decks.js';
import { openTestKernel, type TestKernel } from '../support/kernel.js';
import { freePort } from '../support/ports.js';
import { type RunningRole, startRole } from '../support/role.js';

const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/figurehead.js', import.meta.url));
const PROTOCOLS = ['http', 'stdio'] as const;

/** A picture of one colour: nothing of the slide can be seen. */
async function isBlank(picture: Buffer): Promise<boolean> {
  const { channels } = await sharp(picture).stats();
  return channels.every(({ stdev }) => stdev < 1);
}

describe('an agent', () => {
  let test: TestKernel;
  let roles: RunningRole[];
  let url: string;
  let token: string;
  let tokenId: string;
  let folder: string;
  const clients: Client[] = [];

  beforeAll(async () => {
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}`;
    test = await openTestKernel({ PORT: port, FIGUREHEAD_URL: url });
    roles = await Promise.all([startRole('api', test.env), startRole('worker', test.env)]);
    ({ token, tokenId } = await workspace());
    folder = mkdtempSync(join(tmpdir(), 'fh-mcp-'));
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'secret.txt'), 'not for agents');
    writeFileSync(join(folder, 'files', 'deck.pdf'), pdf(['One', 'Two']));
    const picture = sharp({ create: { width: 64, height: 36, channels: 3, background: '#14574b' } });
    writeFileSync(join(folder, 'files', 'green.png'), await picture.png().toBuffer());
    symlinkSync(join(folder, 'secret.txt'), join(folder, 'files', 'link.txt'));
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(roles.map((role) => role.stop()));
    await test.close();
    rmSync(folder, { recursive: true });
  });

  async function workspace() {
    const { _id: workspaceId } = await createWorkspace(test.kernel, {
      ...{ name: 'Agents', plan: 'Team', status: 'active', minutes: 60 },
    });
    const made = await createToken(test.kernel, { workspaceId, userId: workspaceId, name: 'agent' });
    return { token: made.token, tokenId: made._id };
  }

  async function connect(protocol: (typeof PROTOCOLS)[number], by = token): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    const headers = { authorization: `Bearer ${by}` };
    const transport =
      protocol === 'http'
        ? new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
        : new StdioClientTransport({
            command: process.execPath,
            args: [PROGRAM, 'mcp', '--folder', join(folder, 'files')],
            env: { URL: url, TOKEN: by, PATH: process.env['PATH'] ?? '' },
          });
    await client.connect(transport);
    clients.push(client);
    return client;
  }

  /** One call of a tool; JSON, pictures, and whether it failed. */
  async function use(
    client: Client,
    name: string,
    args: object = {},
    onprogress: (progress: Progress) => void = () => undefined,
  ) {
    const answer = await client.callTool(
      { name, arguments: { ...args } },
      { onprogress, resetTimeoutOnProgress: true },
    );
    const text = answer.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const pictures = answer.content.flatMap((part) =>
      part.type === 'image' ? [Buffer.from(part.data, 'base64')] : [],
    );
    const failed = answer.isError === true;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they are about to check
    const data: any = failed ? undefined : JSON.parse(text);
    return { failed, text, data, pictures };
  }

  // Proves: D.agents.1
  it.each(PROTOCOLS)('over %s finds tools with annotations, and resources', async (protocol) => {
    const client = await connect(protocol);
    const { tools } = await client.listTools();
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
    expect(tools).toHaveLength(17);
    expect(tools.every(({ description, title, inputSchema }) => description && title && inputSchema)).toBe(true);
    expect(readOnly.sort()).toEqual([
      'check_video',
      'estimate_duration',
      'list_videos',
      'preview_slide',
      'read_batch',
      'read_video',
      'search_presenters',
      'search_voices',
      'usage',
      'wait_for_video',
    ]);
    expect(destructive.sort()).toEqual(['edit_slide', 'render_batch', 'render_video']);
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(
      expect.arrayContaining(['figurehead://schema/video', 'figurehead://layouts', 'figurehead://howto/webhooks']),
    );
    const texts = await Promise.all(
      uris.map(async (uri) => {
        const [content] = (await client.readResource({ uri })).contents;
        return content !== undefined && 'text' in content ? content.text : '';
      }),
    );
    expect(texts.every((text) => text.length > 100)).toBe(true);
    const layouts = JSON.parse(texts[uris.indexOf('figurehead://layouts')] ?? '');
    expect(layouts).toContainEqual({
      layout: 'bullets',
      label: 'Points with presenter',
      group: 'Text',
      showsPresenter: true,
      texts: ['title', 'body'],
    });
    await expect(client.readResource({ uri: 'figurehead://howto/../../package' })).rejects.toThrow('not found');
  });

  // Proves: D.agents.1
  it.each(PROTOCOLS)(
    'over %s comes from a topic to a checked film, and repairs a slide that it looked at',
    async (protocol) => {
      const client = await connect(protocol);
      let calls = 0;
      const step: typeof use = (...args) => {
        calls += 1;
        return use(...args);
      };
      const presenters = await step(client, 'search_presenters', { text: 'nora' });
      const { code } = presenters.data.presenters[0];
      const speech = 'Tides are the moon pulling at the sea.';
      const estimate = await step(client, 'estimate_duration', { text: speech });
      expect(estimate.data.seconds).toBeGreaterThan(1);
      const white = {
        background: '#ffffff',
        objects: [
          { type: 'textbox', id: 'title', text: 'Why the sea moves', fill: '#ffffff', left: 40, top: 60, width: 560 },
        ],
      };
      const made = await step(client, 'create_video', {
        name: 'Tides',
        presenter: code,
        slides: [
          { speech: 'Hello.', layout: 'title', texts: { title: 'Tides', subtitle: 'In a minute' } },
          { speech, presenter: 'none', canvas: white },
        ],
      });
      const { videoId, status } = made.data;
      expect([status, made.data.slides.length]).toEqual(['draft', 2]);
      const first = await step(client, 'preview_slide', { videoId, slideId: 2 });
      expect(await isBlank(first.pictures[0]!)).toBe(true);
      const repaired = await step(client, 'edit_slide', {
        ...{ videoId, slideId: 2, layout: 'statement', texts: { title: 'Why the sea moves' } },
      });
      expect(repaired.data.slides).toMatchObject([{ id: 2, speech, texts: { title: 'Why the sea moves' } }]);
      const second = await step(client, 'preview_slide', { videoId, slideId: 2 });
      expect(await isBlank(second.pictures[0]!)).toBe(false);
      expect((await step(client, 'check_video', { videoId })).data).toMatchObject({ valid: true, errors: [] });
      expect((await step(client, 'render_video', { videoId })).data).toMatchObject({ accepted: true });
      const seen: Progress[] = [];
      const film = await step(client, 'wait_for_video', { videoId, seconds: 280 }, (progress) => seen.push(progress));
      expect(film.data).toMatchObject({ status: 'ready', url: expect.stringContaining('/media/') });
      expect(film.data.duration).toBeGreaterThan(2);
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.every(({ progress, total }) => progress >= 0 && progress <= 1 && total === 1)).toBe(true);
      expect((await fetch(film.data.url)).headers.get('content-type')).toBe('video/mp4');
      expect(calls).toBeLessThanOrEqual(12);
    },
  );

  it('makes templates and batches, reads, lists, edits and removes slides, and sees what is used', async () => {
    const client = await connect('http');
    const { data } = await use(client, 'create_video', {
      ...{ name: 'Welcome {{name}}', type: 'template', script: 'Hello {{name}}.\n\n  Good to see you.\n\n' },
    });
    expect(data.slides.map(({ speech }: { speech: string }) => speech)).toEqual([
      'Hello {{name}}.',
      'Good to see you.',
    ]);
    const templateId = data.videoId;
    const at = [1, 2].map((id) => use(client, 'edit_slide', { videoId: templateId, slideId: id, duration: id + 2 }));
    await Promise.all(at);
    const both = await use(client, 'read_video', { videoId: templateId, full: true });
    expect(both.data.slides.map(({ duration }: { duration: number }) => duration)).toEqual([3, 4]);
    const kept = await use(client, 'edit_slide', { videoId: templateId, slideId: 2, remove: true });
    expect(kept.failed).toBe(false);
    await use(client, 'edit_slide', { videoId: templateId, slideId: 1, voice: 'flite:slt', duration: 2 });
    const { slides } = (await use(client, 'read_video', { videoId: templateId, full: true })).data;
    expect(slides).toMatchObject([
      { id: 1, speech: 'Hello {{name}}.', voiceProvider: 'flite', voice: 'slt', duration: 2 },
    ]);
    expect((await use(client, 'list_videos', { type: 'template' })).data).toMatchObject({ total: 1 });
    const batch = await use(client, 'render_batch', { templateId, rows: [{ name: 'Ann' }, { name: 'Ben' }] });
    const { requestId } = batch.data;
    await expect.poll(async () => (await use(client, 'read_batch', { requestId })).data.counts).toEqual({ ready: 2 });
    expect((await use(client, 'read_batch', { requestId })).data.videos).toMatchObject([
      { name: 'Welcome Ann', batchRowId: 0 },
      { name: 'Welcome Ben', batchRowId: 1 },
    ]);
    const usage = (await use(client, 'usage')).data;
    expect(usage).toMatchObject({ plan: 'Team', quotas: expect.any(Array) });
    expect(usage).not.toHaveProperty('webhook');
    const voices = await use(client, 'search_voices', { language: 'english', gender: 'female', text: 'slt' });
    expect(voices.data.voices).toMatchObject([{ voice: 'flite:slt', language: 'English', gender: 'female' }]);
  });

  it('imports and uploads files of its folder only, and small files as base64 over HTTP', async () => {
    const [near, far] = [await connect('stdio'), await connect('http')];
    const imported = await use(near, 'import_presentation', { path: 'deck.pdf', presenter: 'nora', name: 'Deck' });
    expect(imported.data).toMatchObject({ name: 'Deck', slides: 2, status: 'draft' });
    const picture = await use(near, 'upload_media', { path: 'green.png' });
    expect(picture.data).toMatchObject({ name: 'green.png', url: expect.any(String) });
    const base64 = pdf(['One']).toString('base64');
    expect((await use(far, 'import_presentation', { fileName: 'a.pdf', base64 })).data).toMatchObject({ slides: 1 });
    for (const path of ['../secret.txt', 'link.txt', join(folder, 'secret.txt'), '.'])
      expect((await use(near, 'upload_media', { path })).text).toMatch(/outside of the folder.*Next: give the path/s);
    expect((await use(near, 'upload_media', { path: 'nothing.png' })).text).toContain('There is no file nothing.png');
    expect((await use(far, 'upload_media', { path: 'green.png' })).text).toContain('figurehead mcp --folder');
  });

  it('renders without a server that runs: one is started for it, and stopped with it', async () => {
    const data = join(folder, 'own');
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp'],
      env: { PATH: process.env['PATH'] ?? '', FIGUREHEAD_DATA: data, FIGUREHEAD_NATURAL_VOICES: 'off' },
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const { videoId } = (await use(client, 'create_video', { name: 'Alone', script: 'Hello.', presenter: 'nora' }))
      .data;
    await use(client, 'render_video', { videoId });
    const { status, url: film } = (await use(client, 'wait_for_video', { videoId })).data;
    expect([status, (await fetch(film)).headers.get('content-type')]).toEqual(['ready', 'video/mp4']);
    await client.close();
    await expect.poll(() => fetch(film).catch(() => 'gone')).toBe('gone');
  });

  // Proves: D.agents.1
  it('learns from each failure what to do next', async () => {
    const client = await connect('http');
    const { data } = await use(client, 'create_video', {
      name: 'Empty',
      slides: [{ layout: 'bullets', presenter: 'none' }],
    });
    const { videoId } = data;
    const other = await connect('http', (await workspace()).token);
    const foreign = (await use(other, 'create_video', { name: 'Foreign', script: 'Hello.' })).data.videoId;
    const checked = (await use(client, 'check_video', { videoId })).data;
    expect(checked).toMatchObject({ valid: false, next: expect.stringContaining('edit_slide') });
    expect(checked.errors.length).toBeGreaterThan(0);
    const refusals: [tool: string, args: object, reason: RegExp][] = [
      ['search_presenters', { gender: 'robot' }, /gender must be one of male, female.*Next: correct/s],
      ['search_voices', { language: 'Klingon' }, /No voice speaks Klingon.*English/s],
      ['estimate_duration', { text: '' }, /text/],
      ['create_video', { name: 'x' }, /either a script or slides/],
      ['create_video', { name: 'x', script: 'a', slides: [{}] }, /either a script or slides/],
      ['create_video', { name: 'x', script: 'a', presenter: 'ghost' }, /no presenter "ghost".*search_presenters/s],
      ['create_video', { name: 'x', script: 'a', voice: 'slt' }, /provider:voice.*search_voices/s],
      [
        'create_video',
        { name: 'x', slides: [{ layout: 'poster' }] },
        /slides\[0\]\.layout must be one of title, cover/,
      ],
      ['create_video', { name: 'x', script: 'a', colour: 'red' }, /unknown field colour/],
      ['create_video', { script: 'a', format: 'round' }, /name: is required.*format: must be one of/s],
      ['list_videos', { status: 'lost' }, /status/],
      ['read_video', { videoId: 'nothing' }, /no video with this id.*list_videos/s],
      ['read_video', { videoId: foreign }, /another workspace.*own workspace/s],
      ['edit_slide', { videoId, slideId: 7, speech: 'x' }, /no slide 7.*its slides are 1/s],
      ['edit_slide', { videoId, slideId: 1, texts: { headline: 'x' } }, /no text "headline".*title, body/s],
      ['edit_slide', { videoId, slideId: 1, duration: -1 }, /duration/],
      ['preview_slide', { videoId, slideId: 7 }, /its slides are 1/],
      ['preview_slide', { videoId, slideId: 1, at: -1 }, /at/],
      ['check_video', {}, /videoId/],
      ['render_video', { videoId, callbackUrl: 'http://10.0.0.1/' }, /callbackUrl.*Next: correct/s],
      ['wait_for_video', { videoId }, /draft.*render_video/s],
      ['wait_for_video', { videoId, seconds: 9999 }, /seconds/],
      ['translate_video', { videoId, language: 'German' }, /FIGUREHEAD_LLM/],
      ['render_batch', { templateId: videoId, rows: [] }, /rows/],
      ['read_batch', { requestId: 'nothing' }, /no batch with this id/],
      ['import_presentation', {}, /path, or fileName and base64/],
      ['import_presentation', { fileName: 'a.pdf', base64: 'bm8=' }, /Next: correct/],
      ['upload_media', { fileName: 'a.png', base64: 'bm8=' }, /Next: correct/],
      ['usage', { extra: 1 }, /unknown field extra/],
    ];
    for (const [tool, args, reason] of refusals) {
      const { failed, text } = await use(client, tool, args);
      expect([tool, args, failed, text]).toEqual([tool, args, true, expect.stringMatching(reason)]);
    }
    expect((await use(client, 'render_video', { videoId })).failed).toBe(false);
    expect((await use(client, 'wait_for_video', { videoId, seconds: 120 })).text).toMatch(/Next: call check_video/);
    await expect(use(client, 'draw_cartoon')).rejects.toThrow('draw_cartoon');
  });

  // Proves: D.agents.1
  it('needs an API token, also a moment after it was revoked, and no other credential', async () => {
    const post = (headers: Record<string, string>) =>
      fetch(new URL('/mcp', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    for (const headers of [{}, { authorization: 'Bearer fh_wrong' }, { cookie: 'figurehead_session=x' }]) {
      const refused = await post(headers as Record<string, string>);
      expect([refused.status, await refused.text()]).toEqual([401, '']);
    }
    const authorization = `Bearer ${token}`;
    expect((await post({ authorization })).status).toBe(200);
    const client = await connect('http');
    await revokeToken(test.kernel, tokenId);
    expect((await post({ authorization })).status).toBe(401);
    await expect(use(client, 'usage')).rejects.toThrow();
  });
});
