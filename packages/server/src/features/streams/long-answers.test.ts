import { once } from 'node:events';
import { get, request } from 'node:http';
import type { Socket } from 'node:net';
import { sql } from 'kysely';
import { WebSocket } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProxy } from '../../../../../tests/chaos/cuttable-proxy.js';
import { createTestDatabase } from '../../../../../tests/support/postgres.js';
import { openAll, openHost, sessionOf, until } from '../../../../../tests/support/stream-host.js';
import { addMember } from '../workspaces/index.js';
import { listTokens, revokeToken } from '../workspaces/tokens/tokens.js';

// Downloads are missing here: a link is a right of its own, which ends with its time (storage/objects.test.ts). A reader that never reads is
// in events.test.ts, a flood of messages in sound.test.ts.

type Credentials = Readonly<Record<string, string>>;

/** A long answer or body that is under way. */
interface Under {
  /** Resolves when the server has ended it. */
  readonly ended: Promise<unknown>;
  /** The client hangs up. */
  leave(): void;
}

const PAGE = 'https://shop.example.org';

describe('what takes long', () => {
  let all: Awaited<ReturnType<typeof openAll>>;
  let base: string;
  let port: number;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let wire: Awaited<ReturnType<typeof openProxy>>;
  let connection: Socket;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { searchParams: at, username, pathname } = new URL(database.url.replace('@/', '@localhost/'));
    wire = await openProxy({ path: `${at.get('host')}/.s.PGSQL.${at.get('port') ?? '5432'}` });
    const url = `postgres://${username}@127.0.0.1:${wire.port}${pathname}`;
    all = await openAll({ DATABASE_URL: url }, { capacity: 40 });
    all.api.http.app.server.on('connection', (socket) => {
      connection = socket;
    });
    port = await all.api.http.listen();
    base = `127.0.0.1:${port}/api/v1`;
  });
  afterAll(async () => {
    await all.close();
    await wire.close();
    await database.close();
  });

  const events = async (path: string, headers: Credentials): Promise<Under> => {
    const over = new AbortController();
    const answer = await fetch(`http://${base}${path}`, { headers, signal: over.signal });
    expect(answer.status).toBe(200);
    return { ended: answer.text().catch(() => 'hung up'), leave: () => over.abort() };
  };
  const socket = async (stream: string, headers: Credentials): Promise<Under> => {
    const opened = new WebSocket(`ws://${base}/streams/sound/${stream}?sampleRate=16000`, { headers });
    const ended = new Promise((resolve) => opened.addEventListener('close', resolve));
    await new Promise((resolve, reject) => {
      opened.addEventListener('open', resolve);
      opened.addEventListener('error', reject);
    });
    const speaking = setInterval(() => opened.readyState === WebSocket.OPEN && opened.send(Buffer.alloc(320)), 100);
    void ended.then(() => clearInterval(speaking));
    return { ended, leave: () => opened.close() };
  };
  /** A body that does not end. */
  const body = (method: string, path: string, headers: Credentials): Under & { write(text: string): void } => {
    // With an answer before the end of the body, should it be refused.
    const kept = { ...headers, connection: 'keep-alive' };
    const sending = request({ port, method, path: `/api/v1${path}`, headers: kept, agent: false });
    const ended = new Promise<unknown>((resolve) => {
      sending.on('error', resolve);
      sending.on('close', resolve);
      sending.on('response', (answer) => resolve(answer.statusCode));
    });
    const writing = setInterval(() => sending.write(Buffer.alloc(4096, 'x')), 50);
    void ended.then(() => clearInterval(writing));
    return { ended, leave: () => sending.destroy(), write: (text) => void sending.write(text) };
  };
  const upload = (headers: Credentials): Under => {
    const sent = body('POST', '/media', { ...headers, 'content-type': 'multipart/form-data; boundary=b' });
    const head = 'Content-Disposition: form-data; name="file"; filename="a.mp4"';
    sent.write(`--b\r\n${head}\r\nContent-Type: video/mp4\r\n\r\n`);
    return sent;
  };
  const part = async (headers: Credentials): Promise<Under> => {
    const tus = { ...headers, 'tus-resumable': '1.0.0' };
    const begun = await fetch(`http://${base}/uploads`, {
      method: 'POST',
      headers: { ...tus, 'upload-length': '50000000', 'upload-metadata': `filename ${btoa('a.mp4')}` },
    });
    expect(begun.status).toBe(201);
    const path = new URL(begun.headers.get('location') ?? '').pathname.replace('/api/v1', '');
    const type = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    return body('PATCH', path, { ...tus, ...type });
  };

  /** A workspace with a token and a session, and a stream with which it opens what takes long. */
  const open = async () => {
    const owner = await all.api.caller({ plan: 'Enterprise', status: 'active' });
    const workspaceId = owner.workspace._id;
    const email = `${workspaceId}@example.org`;
    await addMember(all.api.test.kernel, { workspaceId, email, role: 'owner', password: 'correct horse' });
    const signIn = await owner.call('POST', '/session', { email, password: 'correct horse' });
    const cookie = String(signIn.headers['set-cookie']).split(';')[0] ?? '';
    const stream = (await owner.call('POST', '/streams', {})).body.id as string;
    return { owner, workspaceId, cookie, stream, token: { authorization: `Bearer ${owner.token}` } };
  };
  type Place = Awaited<ReturnType<typeof open>>;
  const KINDS: Readonly<Record<string, (place: Place, as: Credentials) => Under | Promise<Under>>> = {
    'events of videos': (_place, as) => events('/videos/events', as),
    'events of a stream': ({ stream }, as) => events(`/streams/events/${stream}`, as),
    'a socket for sound': ({ stream }, as) => socket(stream, as),
    'an upload': (_place, as) => upload(as),
    'a part of an upload': (_place, as) => part(as),
  };
  const db = () => all.api.test.kernel.db;
  const revoke = async ({ workspaceId }: Place) => {
    const { tokens } = await listTokens(all.api.test.kernel, workspaceId, { page: 1, limit: 10 });
    for (const { _id } of tokens) await revokeToken(all.api.test.kernel, _id);
  };
  const ENDINGS: Readonly<Record<string, (place: Place, under: Under) => unknown>> = {
    'its token is revoked': revoke,
    'its session ends': ({ cookie }) =>
      fetch(`http://${base}/session`, { method: 'DELETE', headers: { cookie, 'sec-fetch-site': 'same-origin' } }),
    'the plan has no API': ({ workspaceId }) =>
      sql`update workspaces set plan = 'Unlimited' where id = ${workspaceId}`.execute(db()),
    'its workspace is deleted': ({ workspaceId }) =>
      sql`delete from workspaces where id = ${workspaceId}`.execute(db()),
    'its client is gone': (_place, under) => under.leave(),
    'the database was away and its token is revoked': async (place) => {
      wire.cut('refused');
      await until('the API knows', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 503);
      wire.mend();
      await until('the database is back', () =>
        revoke(place).then(
          () => true,
          () => false,
        ),
      );
    },
  };

  it.each(Object.keys(KINDS).flatMap((kind) => Object.keys(ENDINGS).map((ending) => [kind, ending] as const)))(
    '%s ends when %s, and leaves room for the next',
    async (kind, ending) => {
      const place = await open();
      const as: Credentials =
        ending === 'its session ends' ? { cookie: place.cookie, 'sec-fetch-site': 'same-origin' } : place.token;
      const under = await KINDS[kind]!(place, as);
      await ENDINGS[ending]!(place, under);
      await under.ended;
      await until('nothing of it is left', () => (all.host.live.sessions.get(place.stream)?.listeners ?? 0) === 0);
      const other = await all.api.caller();
      expect((await other.call('GET', '/videos')).status).toBe(200);
    },
  );

  it.each(['videos/events', 'streams/events/'])(
    '%s: a reader that reads nothing is cut off when its token is revoked',
    async (path) => {
      const place = await open();
      const isOfStream = path.endsWith('/');
      const url = `http://${base}/${path}${isOfStream ? place.stream : ''}`;
      const reading = get(url, { headers: place.token, agent: false }).on('error', () => undefined);
      await once(reading, 'response');
      const served = connection;
      const session = sessionOf(all.host, place.stream);
      const text = 'x'.repeat(100_000);
      const fill = () => {
        session.emit({ type: 'speech.word', id: 'u', at: 0, text, start: 0, end: 1 });
        return served.writableNeedDrain;
      };
      if (isOfStream) await until('its connection takes no more', fill);
      await revoke(place);
      await until('its connection is closed', () => served.destroyed);
      await until('nothing of it is left', () => session.listeners === 0);
      reading.destroy();
    },
  );

  it.each(['events of a stream', 'a socket for sound'])('%s ends when its client token expires', async (kind) => {
    const owner = await all.api.caller();
    const { body: client } = await owner.call('POST', '/client-tokens', { origins: [PAGE], avatarCode: 'nora' });
    const as = { authorization: `Bearer ${client.token}`, origin: PAGE };
    const made = await owner.call('POST', '/streams', {}, as);
    expect(made.status).toBe(200);
    const stream = made.body.id as string;
    const under = await KINDS[kind]!({ stream } as Place, as);
    await sql`update client_tokens set expires_at = now() - interval '1 second' where id = ${client._id}`.execute(db());
    await under.ended;
  });

  it.each(['events of a stream', 'a socket for sound'])('%s ends with its host', async (kind) => {
    const host = await openHost(all.api, { capacity: 40 });
    const places: Place[] = [];
    let place: Place | undefined;
    while (place === undefined) {
      places.push(await open());
      place = places.find(({ stream }) => host.live.sessions.has(stream));
    }
    const under = await KINDS[kind]!(place, place.token);
    await host.stop();
    await under.ended;
  });
});
