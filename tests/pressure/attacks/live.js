import { setTimeout as sleep } from 'node:timers/promises';
import { openConnectedStream } from '../viewer.js';

/** Limit for the first sound of an innocent stream. */
const FIRST_SOUND_MS = 1500;
const TRIES = 6;
const GIVE_UP_MS = 12_000;

/** Signs that are spoken as twenty times as many letters. */
const SIGNS = 'x²³ '.repeat(1750);

const say = (times) => times.map((ms) => Math.round(ms)).join(', ');

/** Streams that speak as much as a text may have. */
export const LIVE_ATTACKS = [
  {
    name: 'live-signs',
    what: '4 streams that speak 7000 signs three times each, while another workspace speaks two words',
    soils: true,
    async run(stage) {
      const innocent = await openConnectedStream(stage, stage.innocent.token);
      try {
        // The first one also waits for the connection.
        const calm = [];
        for (let n = 0; n < 3; n++) {
          calm.push((await innocent.firstSound('Hi there.', GIVE_UP_MS)) ?? GIVE_UP_MS);
          await sleep(1500);
        }
        const opened = await Promise.all(
          Array.from({ length: 4 }, () => stage.attack('POST', '/streams', { body: {} })),
        );
        const render = (id) => stage.attack('POST', `/streams/render/${id}`, { body: { text: SIGNS } });
        const answers = (await Promise.all(opened.map(({ body }) => Promise.all([1, 2, 3].map(() => render(body.id))))))
          .flat()
          .concat(opened);
        const heard = [];
        for (let n = 0; n < TRIES; n++) {
          heard.push((await innocent.firstSound('Hi there.', GIVE_UP_MS)) ?? GIVE_UP_MS);
          await sleep(1500);
        }
        const worst = Math.max(...heard);
        return {
          answers,
          note: `first sounds after ${say(heard)} ms, before the attack after ${say(calm)} ms`,
          missed: worst > FIRST_SOUND_MS ? [`a first sound after ${Math.round(worst)} ms`] : [],
        };
      } finally {
        innocent.close();
      }
    },
  },
];
