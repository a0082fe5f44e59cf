import { portrait, presentation, tone } from '../files.js';
import { quantile } from '../observe.js';
import { cookieOf } from '../stage.js';

const SLIDE = { id: 1, speech: 'Hello {{name}}.', avatar: { code: 'nora' }, voice: 'slt', voiceProvider: 'flite' };
/** Three times the connections of one process to the database. */
const THREE_POOLS = 30;
const RENDERS = 120;
const RENDER_P95_MS = 2000;

const times = (count, act) => Promise.all(Array.from({ length: count }, (_, index) => act(index)));

async function createVideos(stage, count, more = {}) {
  const made = await times(count, (index) =>
    stage.attack('POST', '/videos', { body: { name: `Video ${index}`, slides: [SLIDE], ...more } }),
  );
  return made.map(({ body }) => body._id);
}

/** All routes that write, with three times as many concurrent calls as database connections, on a server that has just started. */
export const MUTATION_ATTACKS = [
  {
    name: 'renders',
    what: `${RENDERS} POST /videos/render at once after a start`,
    prepare: (stage) => createVideos(stage, RENDERS),
    async run(stage, ids) {
      const answers = await times(RENDERS, (n) => stage.attack('POST', `/videos/render/${ids[n]}`));
      const p95 = quantile(
        answers.map(({ ms }) => ms).sort((a, b) => a - b),
        0.95,
      );
      const refused = answers.filter(({ status }) => status !== 200).length;
      const missed = [
        ...(refused > 0 ? [`${refused} of ${RENDERS} not 200`] : []),
        ...(p95 > RENDER_P95_MS ? ['p95 over 2 s'] : []),
      ];
      return { answers, note: `${RENDERS - refused} × 200, p95 ${(p95 / 1000).toFixed(1)} s`, missed };
    },
  },
  {
    name: 'batches',
    what: '30 POST /videos/renderTemplate of 4 rows at once after a start',
    prepare: (stage) => createVideos(stage, 5, { type: 'template' }),
    run: async (stage, ids) => ({
      answers: await times(THREE_POOLS, (n) => {
        const templateData = ['Ada', 'Bob', 'Eve', 'Kim'].map((name) => ({ name }));
        return stage.attack('POST', `/videos/renderTemplate/${ids[n % ids.length]}`, { body: { templateData } });
      }),
    }),
  },
  {
    name: 'imports',
    what: '30 POST /videos/from-presentation at once after a start',
    run: async (stage) => ({
      answers: await times(THREE_POOLS, () => stage.attack('POST', '/videos/from-presentation', presentation())),
    }),
  },
  {
    name: 'sounds',
    what: '30 POST /media of WAV files of 10 s at once after a start',
    run: async (stage) => ({
      answers: await times(THREE_POOLS, () => stage.attack('POST', '/media', tone(10))),
    }),
  },
  {
    name: 'photo-avatars',
    what: '30 POST /avatars at once after a start',
    async run(stage) {
      const bodies = await times(THREE_POOLS, portrait);
      return { answers: await times(THREE_POOLS, (n) => stage.attack('POST', '/avatars', { body: bodies[n] })) };
    },
  },
  {
    name: 'folders',
    what: '30 videos moved between folders that are deleted meanwhile, 6 times, after a start',
    async prepare(stage) {
      const videos = await createVideos(stage, THREE_POOLS);
      const folders = await times(THREE_POOLS, (n) =>
        stage.attack('POST', '/folders', { body: { name: `Folder ${n}` } }),
      );
      return { videos, folders: folders.map(({ body }) => body._id) };
    },
    async run(stage, { videos, folders }) {
      const answers = [];
      for (let round = 0; round < 6; round++) {
        const doomed = folders.slice(round * 5, round * 5 + 5);
        const moves = times(THREE_POOLS, (n) => {
          const body = { folderId: doomed[n % doomed.length] };
          return stage.attack('PATCH', `/videos/${videos[n]}`, { body });
        });
        const deletions = times(doomed.length, (n) => stage.attack('DELETE', `/folders/${doomed[n]}`));
        const creations = times(5, (n) => stage.attack('POST', '/folders', { body: { name: `New ${round} ${n}` } }));
        answers.push(...(await Promise.all([moves, deletions, creations])).flat());
      }
      return { answers };
    },
  },
  {
    name: 'small-writes',
    what: '30 each of the other routes that write, at once after a start',
    prepare: (stage) => createVideos(stage, THREE_POOLS),
    async run(stage, ids) {
      const cookie = await cookieOf(stage);
      const slide = { ...SLIDE, speech: 'Hello.' };
      const calls = (n) => [
        ['POST', '/videos', { name: `More ${n}`, slides: [slide] }],
        ['PATCH', `/videos/${ids[n]}`, { name: `Renamed ${n}` }],
        ['POST', '/videos/copy', { videoId: ids[n] }],
        ['POST', `/videos/validate/${ids[n]}`, undefined],
        ['POST', '/outline', { title: `Outline ${n}`, source: 'One sentence. Another sentence.' }],
        ['POST', '/tokens', { name: `Token ${n}` }],
        ['POST', '/upload-folders', { name: `Uploads ${n}` }],
        ['POST', '/webhook', { url: 'http://127.0.0.1:9/never' }],
        ['PUT', '/webhook/secret', { secret: `secret ${n}` }],
        ['PATCH', '/voices', { voice: 'slt', provider: 'flite', language: 'English', speed: 1 }],
      ];
      // One route after the other, so that all thirty calls of a route compete for the same rows.
      const answers = [];
      for (const kind of calls(0).keys()) {
        const round = times(THREE_POOLS, (n) => {
          const [method, path, body] = calls(n)[kind];
          return stage.call(method, `/api/v1${path}`, { cookie, ...(body === undefined ? {} : { body }) });
        });
        answers.push(...(await round));
      }
      return { answers };
    },
  },
].map((attack) => ({ ...attack, soils: true }));
