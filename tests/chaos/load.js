import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCaller } from './caller.js';

const SPEECH = [
  'Hello.',
  'Maybe people believe me by now.',
  'One, two, three, and so on and so on, until the day is done.',
];

/** More unfinished videos would only lengthen the wait for the end. */
const MAX_OPEN = 12;

/** A picture of one point. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Attempts of a client that repeats a call until it is answered, longer than all processes may be away on a busy machine, and the pause between them. */
const ATTEMPTS = 600;
const AGAIN_MS = 500;

const spoken = (id, n) => ({
  id,
  speech: SPEECH[n % SPEECH.length],
  avatar: { code: 'nora' },
  voice: 'slt',
  voiceProvider: 'flite',
});
const silent = (id, seconds) => ({
  id,
  speech: '',
  duration: seconds,
  canvas: {
    objects: [{ type: 'textbox', left: 40, top: 40, width: 500, fontSize: 40, fill: '#203040', text: `Slide ${id}` }],
    background: '#f4efe6',
    version: '5',
  },
});

/**
 * Mixed load on an installation until it is stopped: videos, long videos that are spread, batches, cancellations,
 * changes, folders, presenters, a workspace that exceeds its quota, resumable uploads, calls that are repeated with an idempotency key,
 * and streams, some of them recorded or with a viewer. Acknowledged calls are recorded in `acknowledged` for the audit.
 */
export function startLoad(installation, { record, viewers = 1, paceMs = 1200 } = {}) {
  const { urls, workspaces } = installation;
  const busy = createCaller(urls, workspaces.busy.token, record);
  const other = createCaller(urls, workspaces.other.token, record);
  const free = createCaller(urls, workspaces.free.token, record);
  const acknowledged = {
    /** Id → name: created, with the last acknowledged name. */
    videos: new Map(),
    /** Ids of accepted renders. */
    renders: new Set(),
    /** Ids that were or may have been cancelled. */
    cancelled: new Set(),
    /** Request ids of batches → rows. */
    batches: new Map(),
    folders: new Map(),
    /** Names of uploads → media id; `undefined` for one that was not answered to the end. */
    uploads: new Map(),
    /** Names of videos that were created with an idempotency key → id. */
    keyed: new Map(),
    /** Opened streams, and those that we closed. */
    streams: new Set(),
    closedStreams: new Set(),
    /** Ids of presenters that are made from portraits and films. */
    presenters: new Set(),
    /** Ids of the library's media that streams are recorded to. */
    recordings: new Set(),
    freeVideos: 0,
    freeRefused: 0,
  };
  let running = true;
  const watcher = viewers > 0 ? openViewers() : undefined;

  const loop = async (act, pauseMs) => {
    for (let n = 0; running; n++) {
      await act(n);
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  };

  async function openCount() {
    const { status, body } = await busy('GET', '/videos?status=queued,rendering&limit=1');
    return status === 200 ? body.total : MAX_OPEN;
  }

  async function create(call, name, slides) {
    const { status, body } = await call('POST', '/videos', { name, slides, data: { resolution: '720p' } });
    if (status !== 200) return undefined;
    acknowledged.videos.set(body._id, name);
    return body._id;
  }

  async function render(call, id) {
    if (id === undefined) return;
    const { status } = await call('POST', `/videos/render/${id}`);
    if (status === 200) acknowledged.renders.add(id);
  }

  async function video(n) {
    if ((await openCount()) >= MAX_OPEN) return;
    if (n % 8 === 1) {
      const slides = [spoken(1, n), silent(2, 40), silent(3, 35), spoken(4, n + 1), silent(5, 30)];
      return render(busy, await create(busy, `long ${n}`, slides));
    }
    const id = await create(n % 3 === 0 ? other : busy, `video ${n}`, [spoken(1, n)]);
    if (id === undefined) return;
    const call = n % 3 === 0 ? other : busy;
    if (n % 4 === 2) {
      const name = `renamed ${n}`;
      const { status } = await call('PATCH', `/videos/${id}`, { name });
      // An unacknowledged call may still have been executed.
      if (status === 200) acknowledged.videos.set(id, name);
      else acknowledged.videos.set(id, undefined);
    }
    await render(call, id);
    if (n % 7 === 3) {
      await sleep(Math.random() * 2000);
      acknowledged.cancelled.add(id);
      await call('DELETE', `/videos/render/${id}`);
    }
  }

  async function batch(n) {
    if ((await openCount()) >= MAX_OPEN) return;
    const { status, body } = await busy('POST', '/videos', {
      name: 'For {{name}}',
      type: 'template',
      slides: [{ ...spoken(1, n), speech: 'Hello {{name}}.' }],
      data: { resolution: '720p' },
    });
    if (status !== 200) return;
    acknowledged.videos.set(body._id, 'For {{name}}');
    const templateData = [{ name: 'Ada' }, { name: 'Bob' }, {}];
    const answer = await busy('POST', `/videos/renderTemplate/${body._id}`, { templateData });
    if (answer.status === 200) acknowledged.batches.set(answer.body.requestId, templateData.length);
  }

  async function folder(n) {
    const { status, body } = await other('POST', '/folders', { name: `folder ${n}` });
    if (status === 200) acknowledged.folders.set(body._id, `folder ${n}`);
  }

  /** Creates a video with an idempotency key, and repeats the call until it is answered. */
  async function keyed(n) {
    const name = `keyed ${n}`;
    const headers = { 'idempotency-key': randomUUID() };
    acknowledged.keyed.set(name, undefined);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { status, body } = await other('POST', '/videos', { name, slides: [spoken(1, n)] }, { headers });
      if (status === 200) return void acknowledged.keyed.set(name, body._id);
      await sleep(AGAIN_MS);
    }
  }

  /** Sends a file in two parts (tus 1.0), and goes on from the offset of the server after each failure. */
  async function upload(n) {
    const name = `upload ${n}`;
    const call = async (method, path, headers, body) => {
      const base = urls[Math.floor(Math.random() * urls.length)];
      const signal = AbortSignal.timeout(20_000);
      const all = { authorization: `Bearer ${workspaces.other.token}`, 'tus-resumable': '1.0.0', ...headers };
      return fetch(`${base}${path}`, { method, headers: all, body, signal }).catch(() => ({
        status: 0,
        headers: new Headers(),
      }));
    };
    const metadata = `filename ${btoa(`${name}.png`)},name ${btoa(name)}`;
    const begun = await call('POST', '/api/v1/uploads', {
      'upload-length': String(PICTURE.length),
      'upload-metadata': metadata,
    });
    if (begun.status !== 201) return;
    acknowledged.uploads.set(name, undefined);
    const { pathname } = new URL(begun.headers.get('location'));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const offset = Number((await call('HEAD', pathname)).headers.get('upload-offset') ?? Number.NaN);
      if (!Number.isNaN(offset)) {
        const part = PICTURE.subarray(offset, offset === 0 ? 20 : undefined);
        const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
        const sent = await call('PATCH', pathname, headers, part);
        const mediaId = sent.headers.get('x-media-id');
        if (sent.status === 204 && mediaId !== null) return void acknowledged.uploads.set(name, mediaId);
        if (sent.status === 204 && offset === 0) continue;
      }
      await sleep(AGAIN_MS);
    }
  }

  /** A presenter from a portrait, which takes seconds; every third one from a video of the installation, which is read and is too short. */
  async function presenter(n) {
    const wish = { name: `Presenter ${n}`, gender: 'female', consent: 'I agree.' };
    const source = n % 3 === 2 ? await filmSource(n) : await portraitSource();
    if (source === undefined) return;
    const { status, body } = await other('POST', '/avatars', { ...wish, ...source });
    if (status === 200) acknowledged.presenters.add(body.id);
  }

  async function portraitSource() {
    const { status, body } = await other('GET', '/avatars');
    const url = status !== 200 ? undefined : body.find(({ code }) => code === 'nora')?.canvas;
    const bytes = url && (await bytesOf(url));
    return bytes && { image: { name: 'nora.png', data: `data:image/png;base64,${bytes.toString('base64')}` } };
  }

  async function filmSource(n) {
    const { body } = await other('GET', '/videos?status=ready&limit=1');
    const url = body?.videos?.[0]?.url;
    const bytes = url && (await bytesOf(url));
    if (!bytes) return undefined;
    const form = new FormData();
    form.set('file', new Blob([bytes], { type: 'video/mp4' }), `film ${n}.mp4`);
    const made = await fetch(`${urls[n % urls.length]}/api/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspaces.other.token}` },
      body: form,
      signal: AbortSignal.timeout(20_000),
    })
      .then((answer) => answer.json())
      .catch(() => undefined);
    for (let attempt = 0; made?._id !== undefined && attempt < ATTEMPTS; attempt++) {
      const media = await other('GET', `/media/${made._id}`);
      if (media.body?.status === 'ready') return { footage: { mediaId: made._id } };
      if (media.body?.status === 'error') break;
      await sleep(AGAIN_MS);
    }
    return undefined;
  }

  async function quota() {
    const answers = await Promise.all([1, 2, 3, 4].map((n) => free('POST', '/videos', { name: `free ${n}` })));
    acknowledged.freeVideos += answers.filter(({ status }) => status === 200).length;
    acknowledged.freeRefused += answers.filter(({ status }) => status === 429).length;
  }

  async function stream(n) {
    const { status, body } = await other('POST', '/streams', {
      avatarCode: 'nora',
      voiceId: 'slt',
      voiceProvider: 'flite',
      record: n % 2 === 0,
    });
    if (status !== 200) return;
    const { id, recordingId } = body;
    acknowledged.streams.add(id);
    if (recordingId !== undefined) acknowledged.recordings.add(recordingId);
    if (watcher !== undefined && n % 2 === 0) {
      const sdp = await watcher.answer(id, body.webrtcData.offer.sdp);
      if (sdp !== undefined) await other('PUT', `/streams/${id}`, { answer: { type: 'answer', sdp } });
    }
    for (let turn = 0; turn < 3 && running; turn++) {
      await other('POST', `/streams/render/${id}`, { text: SPEECH[turn] });
      await sleep(1000 + Math.random() * 2000);
      if (turn === 1) await other('DELETE', `/streams/render/${id}`);
    }
    // Some end only by their idle timeout.
    if (n % 3 !== 2 && (await other('DELETE', `/streams/${id}`)).status === 200) acknowledged.closedStreams.add(id);
  }

  const loops = [
    loop(video, paceMs),
    loop(batch, paceMs * 12),
    loop(folder, paceMs * 4),
    loop(keyed, paceMs * 3),
    loop(upload, paceMs * 3),
    loop(quota, paceMs * 5),
    loop(presenter, paceMs * 10),
    loop(stream, paceMs * 2),
  ];
  return {
    acknowledged,
    busy,
    other,
    free,
    async stop() {
      running = false;
      await Promise.all(loops);
      watcher?.close();
    },
  };
}

/** The file behind a link; `undefined` without one. */
async function bytesOf(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(20_000) }).catch(() => undefined);
  return answer?.ok ? Buffer.from(await answer.arrayBuffer().catch(() => Buffer.alloc(0))) : undefined;
}

/** A separate process for receivers, which are native code; it is restarted when it dies. */
function openViewers() {
  const program = fileURLToPath(new URL('../../bench/live-receivers.js', import.meta.url));
  const waiting = new Map();
  let child;
  let closed = false;
  const run = () => {
    child = fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('message', (message) => {
      if (message.type !== 'answer') return;
      waiting.get(message.id)?.(message.sdp);
      waiting.delete(message.id);
    });
    child.on('error', () => undefined);
    child.once('exit', () => {
      if (!closed) run();
    });
  };
  run();
  return {
    answer: (id, offer) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), 10_000);
        waiting.set(id, (sdp) => {
          clearTimeout(timer);
          resolve(sdp);
        });
        if (child.connected) child.send({ type: 'open', id, offer, codec: 'H264' });
      }),
    close() {
      closed = true;
      child.kill('SIGKILL');
    },
  };
}
