import { setTimeout as sleep } from 'node:timers/promises';
import { notes } from '../files.js';
import { cookieOf } from '../stage.js';
import { HOSTILE_TEXTS } from '../texts.js';

const PATIENCE_MS = 8000;
/** The attack ends after this time when the server does not respond. */
const DEADLINE_MS = 40_000;
/** Concurrent callers: the API must respond to others while it parses a text. */
const LANES = 4;

const slideWith = (speech) => ({ id: 1, speech, avatar: { code: 'nora' }, voice: 'slt', voiceProvider: 'flite' });

/** Sends every text with `act`, four at a time; `act` returns the responses of its calls, the last one that of the text. */
async function sendAll(act) {
  const answers = [];
  const slow = [];
  const until = performance.now() + DEADLINE_MS;
  const waiting = [...HOSTILE_TEXTS];
  let unsent = 0;
  const lane = async () => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      if (performance.now() > until) unsent += 1;
      else {
        const given = await act(text.make);
        answers.push(...given);
        if (given.some(({ status }) => status === 0)) slow.push(text.name);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const missed = [
    ...(slow.length > 0 ? [`no answer in 8 s for ${slow.length} texts, the first with ${slow[0]}`] : []),
    ...(unsent > 0 ? [`${unsent} texts not sent in 40 s`] : []),
  ];
  return { answers, missed };
}

/** Waits until imported presentations are videos. @returns how many are not after a minute. */
async function unread(stage, ids) {
  const left = new Set(ids);
  for (const until = performance.now() + 60_000; left.size > 0 && performance.now() < until; await sleep(500)) {
    for (const id of left) {
      const { status, body } = await stage.attack('GET', `/videos/${id}`);
      if (status === 200 && body.status !== 'processing') left.delete(id);
    }
  }
  return left.size;
}

/** Limit for the start of an innocent workspace's film of one sentence. */
const STARTS_WITHIN_MS = 10_000;

/** Films of the longest speeches; the film of one sentence of another workspace must start meanwhile. */
async function longSpeech(stage) {
  const texts = ['x²³ '.repeat(4900), 'An ordinary sentence of a long talk. '.repeat(530)];
  const answers = [];
  const start = async (token, slides) => {
    const call = (method, path, body) => stage.call(method, `/api/v1${path}`, { token, body });
    const made = await call('POST', '/videos', { name: 'Speech', slides });
    answers.push(made, await call('POST', `/videos/render/${made.body._id}`));
    return made.body._id;
  };
  for (const text of texts) {
    await start(
      stage.attacker.token,
      Array.from({ length: 10 }, (_, n) => ({ ...slideWith(text), id: n + 1 })),
    );
  }
  await sleep(3000);
  const id = await start(stage.innocent.token, [slideWith('Hello.')]);
  const began = performance.now();
  let status = 'queued';
  while (status === 'queued' && performance.now() - began < 60_000) {
    await sleep(200);
    const { body } = await stage.call('GET', `/api/v1/videos/${id}`, { token: stage.innocent.token });
    status = body?.status ?? status;
  }
  const seconds = (performance.now() - began) / 1000;
  const missed = seconds * 1000 > STARTS_WITHIN_MS ? [`the other film started after ${seconds.toFixed(1)} s`] : [];
  return { answers, note: `the other film started after ${seconds.toFixed(1)} s`, missed };
}

/** Bodies of more keys, values or levels than anything has. */
async function wideBodies(stage) {
  const keys = Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join();
  const widths = [
    `{${keys}}`,
    `[${'[],'.repeat(1_700_000)}[]]`,
    `[${'{},'.repeat(1_700_000)}{}]`,
    '['.repeat(5_000_000),
  ];
  const headers = { 'content-type': 'application/json' };
  const answers = [];
  for (const width of [...widths, ...widths]) {
    const body = Buffer.from(`{"name":"Wide","data":${width}}`);
    answers.push(await stage.attack('POST', '/videos', { body, headers }));
  }
  const accepted = answers.filter(({ status }) => status !== 400).length;
  return { answers, missed: accepted > 0 ? [`${accepted} of 8 not 400`] : [] };
}

/** Every text field at its maximum length. */
export const TEXT_ATTACKS = [
  {
    name: 'long-speech',
    what: 'films of 10 speeches of 19 600 characters, of signs and of sentences, while another workspace renders one sentence',
    soils: true,
    run: longSpeech,
  },
  { name: 'wide-bodies', what: '8 videos of 5 MB with millions of keys, lists, objects and levels', run: wideBodies },
  {
    name: 'speeches',
    what: '16 hostile speeches of 20 000 characters: saved, checked, used as a template, spoken in a batch',
    soils: true,
    run: (stage) =>
      sendAll(async (make) => {
        const body = { name: 'Speech', type: 'template', slides: [slideWith(make(20_000))] };
        const made = await stage.attack('POST', '/videos', { body, patienceMs: PATIENCE_MS });
        if (made.status !== 200) return [made];
        const { _id } = made.body;
        const checked = await stage.attack('POST', `/videos/validate/${_id}`, { patienceMs: PATIENCE_MS });
        const row = { templateData: [{ a: 'b' }] };
        const options = { body: row, patienceMs: PATIENCE_MS };
        return [made, checked, await stage.attack('POST', `/videos/renderTemplate/${_id}`, options)];
      }),
  },
  {
    name: 'outlines',
    what: '16 hostile sources of 1 000 000 characters: chapters and script from each',
    soils: true,
    run: async (stage) => {
      const cookie = await cookieOf(stage);
      const call = (path, body) =>
        stage.call('POST', `/api/v1/outline${path}`, { cookie, body, patienceMs: PATIENCE_MS });
      return sendAll(async (make) => {
        const made = await call('', { title: make(500), prompt: make(20_000), source: make(1_000_000) });
        if (made.status !== 200) return [made];
        const chapters = await call(`/${made.body._id}/generate-chapters`, { count: 5 });
        if (chapters.status !== 200) return [made, chapters];
        return [made, chapters, await call(`/${made.body._id}/generate-script`, {})];
      });
    },
  },
  {
    name: 'notes',
    what: '16 presentations with four pages of hostile speaker notes of 20 000 characters each',
    soils: true,
    run: async (stage) => {
      const ids = [];
      const sent = await sendAll(async (make) => {
        const made = await stage.attack('POST', '/videos/from-presentation', await notes(make(20_000)));
        if (made.body?._id !== undefined) ids.push(made.body._id);
        return [made];
      });
      const late = await unread(stage, ids);
      return { ...sent, missed: [...sent.missed, ...(late > 0 ? [`${late} not read in 60 s`] : [])] };
    },
  },
  {
    name: 'other-texts',
    what: '16 hostile texts in names, tags, canvas texts, searches, webhook and mail addresses, stream texts, at full length',
    soils: true,
    run: async (stage) => {
      const cookie = await cookieOf(stage);
      return sendAll(async (make) => {
        const canvas = {
          objects: [{ type: 'textbox', left: 0, top: 0, width: 600, fontSize: 20, text: make(100_000) }],
        };
        const tags = Array.from({ length: 100 }, () => make(200));
        const calls = [
          ['POST', '/videos', { name: make(500), tags, slides: [{ id: 1, canvas, duration: 2 }] }],
          ['GET', `/videos?tags=${encodeURIComponent(make(2000))}&status=${encodeURIComponent(make(200))}`, undefined],
          ['POST', '/webhook', { url: `http://${make(1990)}`, techEmail: make(320) }],
          ['PUT', '/webhook/secret', { secret: make(4096) }],
          ['POST', '/session', { email: make(320), password: make(200) }],
          ['POST', '/tokens', { name: make(200) }],
          ['PATCH', '/workspace', { name: make(200) }],
          ['POST', '/members', { email: `${make(300)}@a.b`, name: make(200), role: 'member', password: make(200) }],
          ['PUT', '/pronunciations', { pronunciations: [{ word: make(100), spoken: make(300) }] }],
          ['PATCH', '/voices/customization-preview', { voice: make(200), provider: 'flite', language: make(100) }],
          ['POST', '/streams', { avatarCode: make(200), voiceId: make(200), language: make(100) }],
          ['POST', '/upload-folders', { name: make(200) }],
        ];
        const answers = [];
        for (const [method, path, body] of calls) {
          const options = { cookie, patienceMs: PATIENCE_MS, ...(body === undefined ? {} : { body }) };
          answers.push(await stage.call(method, `/api/v1${path}`, options));
        }
        return answers;
      });
    },
  },
];
