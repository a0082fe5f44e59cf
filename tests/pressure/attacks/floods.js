import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { font, nestedSvg, onePixel } from '../files.js';
import { quantile } from '../observe.js';

const PICTURES = 200;
const FONTS = 100;
/** Concurrent uploads of one workspace, as from a browser or a script. */
const UPLOADING = 10;
/** A flood that takes longer has failed; the rest is not sent. */
const FLOOD_ENDS_AFTER_MS = 60_000;

/** Sends `count` uploads, ten at a time; another workspace uploads one picture in the middle. */
async function flood(stage, { count, path, make, withinMs }) {
  const from = performance.now();
  const elapsed = () => performance.now() - from;
  const answers = [];
  let next = 0;
  const lane = async () => {
    while (next < count && elapsed() < FLOOD_ENDS_AFTER_MS) {
      const options = await make(next++);
      answers.push(await stage.attack('POST', path, options));
    }
  };
  const flooding = Promise.all(Array.from({ length: UPLOADING }, lane));
  await sleep(1000);
  const guest = await uploadAsInnocent(stage);
  await flooding;
  const taken = answers.filter(({ status }) => status === 200).length;
  const tookMs = elapsed();
  return {
    answers,
    note: `${taken} of ${count} in ${(tookMs / 1000).toFixed(1)} s; other workspace's picture ${say(guest)}`,
    missed: [...(taken < count || tookMs > withinMs ? [`over ${withinMs / 1000} s`] : []), ...guest.missed],
  };
}

/** One picture of another workspace; it must not wait for the flood. */
async function uploadAsInnocent(stage) {
  const options = { token: stage.innocent.token, ...(await onePixel(65_000)) };
  const { status, ms } = await stage.call('POST', '/api/v1/media', options);
  return { status, ms, missed: status === 200 && ms <= 3000 ? [] : ["other workspace's picture over 3 s"] };
}

const say = ({ status, ms }) => {
  const seconds = `${(ms / 1000).toFixed(1)} s`;
  if (status === 200) return seconds;
  return status === 0 ? `not answered in ${seconds}` : `${status} after ${seconds}`;
};

const POUNDING = 300;
const POUNDED_MS = 6000;

/** As many callers at once, each with call after call. */
async function pound(call) {
  const answers = [];
  const until = performance.now() + POUNDED_MS;
  const lane = async () => {
    while (performance.now() < until) answers.push(await call());
  };
  await times(POUNDING, lane);
  return { answers };
}

/** Videos with callbacks to hostile receivers; the webhook of another workspace must arrive meanwhile. */
async function receivers(stage) {
  const kinds = [
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n'),
    (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)),
    () => undefined,
  ];
  let turn = 0;
  let arrived;
  const heard = new Promise((resolve) => {
    arrived = resolve;
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      if (!data.toString('latin1').includes('/innocent')) return kinds[turn++ % kinds.length](socket);
      arrived();
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${server.address().port}`;
  const start = async (token, callbackUrl) => {
    const call = (path, body) => stage.call('POST', `/api/v1${path}`, { token, body });
    const made = await call('/videos', { name: 'Called back', slides: [{ id: 1, duration: 1 }] });
    return call(`/videos/render/${made.body._id}`, { callbackUrl });
  };
  const answers = await times(40, (n) => start(stage.attacker.token, `${base}/${n}`));
  await sleep(4000);
  await start(stage.innocent.token, `${base}/innocent`);
  const from = performance.now();
  const isHeard = await Promise.race([heard.then(() => true), sleep(60_000).then(() => false)]);
  const ms = performance.now() - from;
  server.close();
  return {
    answers,
    note: isHeard ? `the other workspace's callback after ${Math.round(ms)} ms` : 'no callback in 60 s',
    missed: isHeard ? [] : ['the callback of the other workspace did not arrive'],
  };
}

const times = (count, act) => Promise.all(Array.from({ length: count }, (_, index) => act(index)));

/** One workspace sends more than its share. */
export const FLOOD_ATTACKS = [
  {
    name: 'pictures',
    what: `${PICTURES} pictures of one pixel from one workspace, another uploads one`,
    run: (stage) => flood(stage, { count: PICTURES, path: '/media', make: onePixel, withinMs: 20_000 }),
  },
  {
    name: 'fonts',
    what: `${FONTS} fonts from one workspace, another uploads a picture`,
    soils: true,
    run: (stage) => flood(stage, { count: FONTS, path: '/fonts', make: font, withinMs: 30_000 }),
  },
  {
    name: 'heavy-drawings',
    what: '2 SVG files of 7 nested levels of `use` from one workspace, another uploads a picture',
    soils: true,
    async run(stage) {
      const drawing = times(2, () => stage.attack('POST', '/media', { ...nestedSvg(), patienceMs: 60_000 }));
      await sleep(1000);
      const guest = await uploadAsInnocent(stage);
      return { answers: await drawing, note: `other workspace's picture ${say(guest)}`, missed: guest.missed };
    },
  },
  {
    name: 'upload-looks',
    what: '300 callers of one workspace that ask for the offset of an upload without end, for 6 s',
    async run(stage) {
      const headers = { 'tus-resumable': '1.0.0' };
      const begun = await stage.attack('POST', '/uploads', { headers: { ...headers, 'upload-length': '10' } });
      const { pathname } = new URL(begun.headers.location);
      return pound(() => stage.call('HEAD', pathname, { headers, token: stage.attacker.token }));
    },
  },
  {
    name: 'readiness',
    what: '300 callers without a token that ask whether the server is ready, for 6 s',
    run: (stage) => pound(() => stage.call('GET', '/readyz')),
  },
  {
    name: 'receivers',
    what: '40 webhooks whose receivers switch to another protocol, drip or say nothing; another workspace waits for its own',
    soils: true,
    run: receivers,
  },
  {
    name: 'previews',
    what: '100 equal voice previews at once',
    async run(stage) {
      const body = { voice: 'slt', provider: 'flite', language: 'English', speed: 0.9 };
      const answers = await times(100, () => stage.attack('PATCH', '/voices/customization-preview', { body }));
      const worst = quantile(
        answers.map(({ ms }) => ms).sort((a, b) => a - b),
        1,
      );
      return {
        answers,
        note: `slowest ${(worst / 1000).toFixed(1)} s`,
        missed: worst > 3000 ? ['slowest over 3 s'] : [],
      };
    },
  },
  {
    name: 'live-speech',
    what: '300 texts of 1000 characters for one live stream at once',
    soils: true,
    async run(stage) {
      const { status, body, ms } = await stage.attack('POST', '/streams', { body: {} });
      if (status !== 200) return { answers: [{ status, ms }], missed: ['the stream did not open'] };
      const text = 'One more sentence for the presenter to say. '.repeat(22);
      const answers = await times(300, () => stage.attack('POST', `/streams/render/${body.id}`, { body: { text } }));
      const closed = await stage.attack('DELETE', `/streams/${body.id}`);
      const taken = answers.filter((answer) => answer.status === 200).length;
      return { answers: [...answers, closed], note: `${taken} taken` };
    },
  },
];
