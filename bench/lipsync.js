/**
 * Lip sync measured from the decoded pixels and sound of rendered videos (npm run bench:lipsync).
 *
 *     node bench/lipsync.js [presenter,presenter …]
 *
 * Every presenter speaks the corpus of `bench/lipsync/corpus.js` in every language through the public pipeline: bust of 720 px, 25 frames/s, H.264 crf 23.
 * The gap between the lips is the height of the pixels that differ from the closed mouth's colours, in halves of the mouth region's width. A table reports,
 * for each presenter and voice: closures that are seen; the correlation of the gap with the loudness of vowels, and the delay of the lips at the best one (negative: early);
 * picture against sound in the file; largest gap in silence; vowels with closed lips in their middle; openings of close vowels as shares of that of a; visible
 * area of upper and lower teeth; and the largest change in one frame.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSpeech, sherpaRuntime } from '../packages/media/dist/index.js';
import { CORPUS } from './lipsync/corpus.js';
import { countBlinks } from './lipsync/eye-gauge.js';
import {
  closeVowels,
  closures,
  correlation,
  drift,
  falseClosures,
  jumps,
  MOUTH_TARGETS,
  stillness,
} from './lipsync/figures.js';
import { observe } from './lipsync/observe.js';
import { FPS, PACKS, renderFace, sequence, standFor } from './lipsync/stage.js';
import { offset } from './lipsync/sync.js';

const SEED = 7;
const LIMITS = { r: 0.6, lagFrom: -45, lagTo: 15, drift: 0.02 };
const HEAD = `| presenter | voice | closures shown | r | lag ms | A/V offset ms | gauge ~ pose | silence | vowels shut | i, u ÷ a | teeth up ÷ low | jump | over 35 % | blinks/min | targets |
|${'---|'.repeat(15)}`;
/** Seconds of the long video for the drift. */
const LONG = 180;

const names = process.argv[2]?.startsWith('--') === false ? process.argv[2].split(',') : await presenters();
const folder = await mkdtemp(join(tmpdir(), 'bench-lipsync-'));
const data = process.env.FIGUREHEAD_DATA ?? 'node_modules/.cache/figurehead';
const speech = createSpeech({
  ...{ threads: 1, piper: { folder: join(data, 'piper') } },
  natural: { folder: join(data, 'voices'), runtime: sherpaRuntime(join(data, 'sherpa-onnx')) },
});
try {
  const installed = await speech.voices();
  const parts = [];
  for (const part of CORPUS) {
    const found = installed.find(
      ({ provider, voice, locale }) =>
        provider === part.provider && (part.voice === undefined ? locale.startsWith('en') : voice === part.voice),
    );
    if (found === undefined) console.error(`SKIPPED: ${part.name}, which is not installed`);
    else parts.push({ ...part, made: { seed: SEED, ...sequence(await utter({ ...part, voice: found.voice })) } });
  }
  const rows = [];
  console.log(HEAD);
  for (const name of names) {
    for (const part of parts) {
      rows.push(await judge(name, part));
      console.log(line(rows.at(-1)));
    }
  }
  const long = await judgeLong(names[0]);
  console.log(`\nClosures over all languages: ${recalls(rows).map(said).join(', ')}.`);
  console.log(
    `Long video (${long.name}, ${long.seconds.toFixed(0)} s): drift ${long.slope?.toFixed(4)} ms/s (limit ±${LIMITS.drift}), closures ${(100 * long.recall).toFixed(1)} % of ${long.all}.`,
  );
  if (rows.some((row) => faults(row).length > 0) || recalls(rows).some(({ recall }) => recall < MOUTH_TARGETS.recall)) {
    process.exitCode = 1;
  }
} finally {
  await speech.close();
  await rm(folder, { recursive: true, force: true });
}

async function presenters() {
  return (await readdir(PACKS)).sort();
}

function utter(/** @type {import('./lipsync/corpus.js').Part} */ { provider, voice, sentences }) {
  return Promise.all(sentences.map((text) => speech.utter(provider, text, { voice })));
}

async function judge(name, { name: language, made }) {
  const stand = await standFor(name);
  const out = join(folder, 'face.mp4');
  await renderFace(stand, { ...made, out });
  const seen = { ...(await observe(out, stand)), sounds: made.sounds };
  const { all, recall, missed } = closures(seen);
  const { pictureMs, soundMs, agreement } = offset(seen, made);
  return {
    name,
    language,
    closures: all,
    recall,
    missed: missed.length,
    ...correlation(seen),
    offsetMs: pictureMs - soundMs,
    agreement,
    still: stillness(seen),
    falseClosures: falseClosures(seen),
    closeVowels: closeVowels(seen),
    teeth: seen.teeth,
    jumps: jumps(seen),
    blinks: (countBlinks(seen.eyeColours, FPS) / seen.gaps.length) * FPS * 60,
  };
}

/** Repeats the first part of the corpus in one video to measure the drift of the lag. */
async function judgeLong(name) {
  const utterances = await utter(CORPUS[0]);
  const many = [];
  for (let seconds = 0; seconds < LONG; ) {
    for (const utterance of utterances) {
      many.push(utterance);
      seconds += utterance.samples.length / 48_000 + 1;
    }
  }
  const made = sequence(many, 48_000);
  const stand = await standFor(name);
  const out = join(folder, 'long.mp4');
  await renderFace(stand, { ...made, seed: SEED, out });
  const seen = { ...(await observe(out, stand)), sounds: made.sounds };
  return { name, seconds: seen.gaps.length / FPS, slope: drift(seen), ...closures(seen) };
}

/** Missed targets of a row. One sound of 37 is 2.7 %, so closures are judged over all languages of a presenter. */
function faults(row) {
  const found = [];
  if (row.r < LIMITS.r) found.push('r');
  if (row.lagMs < LIMITS.lagFrom || row.lagMs > LIMITS.lagTo) found.push('lag');
  if (row.falseClosures > MOUTH_TARGETS.shut) found.push('shut');
  for (const vowel of /** @type {const} */ (['i', 'u'])) {
    const [low, high] = MOUTH_TARGETS[vowel];
    const opening = row.closeVowels[vowel];
    if (opening < low || opening > high) found.push(vowel);
  }
  if (row.teeth?.ratio < MOUTH_TARGETS.teeth) found.push('teeth');
  if (row.jumps.largest > MOUTH_TARGETS.jump) found.push('jump');
  return found;
}

function recalls(rows) {
  return [...new Set(rows.map(({ name }) => name))].map((name) => {
    const own = rows.filter((row) => row.name === name);
    const all = own.reduce((sum, row) => sum + row.closures, 0);
    const missed = own.reduce((sum, row) => sum + row.missed, 0);
    return { name, all, missed, recall: (all - missed) / all };
  });
}

function line(row) {
  const cells = [
    row.name,
    row.language,
    `${(100 * row.recall).toFixed(1)} % of ${row.closures}`,
    row.r.toFixed(2),
    row.lagMs.toFixed(0),
    (row.offsetMs + 0).toFixed(0).replace('-0', '0'),
    row.agreement.toFixed(2),
    row.still.toFixed(3),
    `${(100 * row.falseClosures).toFixed(1)} %`,
    `${share(row.closeVowels.i)}, ${share(row.closeVowels.u)}`,
    row.teeth === undefined ? '–' : row.teeth.ratio.toFixed(1),
    `${(100 * row.jumps.largest).toFixed(0)} %`,
    `${(100 * row.jumps.share).toFixed(1)} %`,
    row.blinks.toFixed(0),
    faults(row).join(', ') || 'met',
  ];
  return `| ${cells.join(' | ')} |`;
}

function share(/** @type {number | undefined} */ value) {
  return value === undefined ? '–' : `${(100 * value).toFixed(0)} %`;
}

function said({ name, all, missed, recall }) {
  return `${name} ${(100 * recall).toFixed(1)} % (${missed} of ${all} missed)`;
}
