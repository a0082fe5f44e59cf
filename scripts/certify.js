/**
 * Evaluates the lip sync of a finished video from its decoded pixels and sound.
 *
 *     npm run certify VIDEO [SIDECAR.json]
 *
 * Writes VIDEO.certificate.json next to the video and prints the figures. The sidecar (default: VIDEO.lipsync.json, if
 * there is one) may contain the position of the mouth and the spoken sounds: {"mouth": {"x", "y", "half"}, "eyes":
 * [{"x", "y", "radius"}], "sounds": [{"phone", "start", "end"}]}, px and seconds. Without positions the face is found
 * by its movement; without sounds the closures of p, b and m are not evaluated.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { countBlinks } from '../bench/lipsync/eye-gauge.js';
import {
  closeVowels,
  closures,
  correlation,
  drift,
  falseClosures,
  jumps,
  MOUTH_TARGETS,
  stillness,
} from '../bench/lipsync/figures.js';
import { findFace } from '../bench/lipsync/find-face.js';
import { observe } from '../bench/lipsync/observe.js';

/** Lead of the lips over the loudness in natural speech, ms; the A/V offset is relative to it. */
const NATURAL_LEAD_MS = 25;
const LIMITS = {
  r: 0.6,
  rAll: 0.4,
  lagMs: [-45, 15],
  driftMsPerSecond: 0.02,
  still: 0.03,
};

const [file, sidecar] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: npm run certify VIDEO [SIDECAR.json]');
  process.exit(2);
}
const certificate = await certify(file, sidecar);
await writeFile(`${file}.certificate.json`, `${JSON.stringify(certificate, null, 2)}\n`);
for (const { name, value, target, verdict } of certificate.figures) {
  console.log(`${name.padEnd(44)} ${String(value).padStart(10)}  ${target.padEnd(16)} ${verdict}`);
}
if (certificate.figures.some(({ verdict }) => verdict === 'missed')) process.exitCode = 1;

async function certify(video, notes) {
  const told = await readSidecar(notes ?? `${video}.lipsync.json`, notes !== undefined);
  const places = told.mouth === undefined ? await findFace(video) : { mouth: told.mouth, eyes: told.eyes ?? [] };
  const seen = { ...(await observe(video, places)), ...(told.sounds && { sounds: told.sounds }) };
  const hash = createHash('sha256');
  await pipeline(createReadStream(video), hash);
  return {
    video: { sha256: hash.digest('hex'), seconds: round(seen.gaps.length / seen.fps, 2), fps: seen.fps },
    places: { ...places, found: told.mouth === undefined ? 'by movement' : 'sidecar' },
    figures: figuresOf(seen, places),
  };
}

function figuresOf(seen, { eyes }) {
  const { recall, all } = closures(seen);
  const { r, lagMs } = correlation(seen);
  const still = stillness(seen);
  const slope = drift(seen);
  const known = seen.sounds !== undefined;
  const least = known ? LIMITS.r : LIMITS.rAll;
  const within = (value, low, high) => (value >= low && value <= high ? 'met' : 'missed');
  const row = (name, value, target = '', verdict = '') => ({ name, value, target, verdict });
  return [
    recall === undefined
      ? row('closures of p, b, m', 'not known', '≥ 98 %', 'needs sounds')
      : row(`closures of ${all} p, b, m`, round(recall, 3), '≥ 0.98', within(recall, MOUTH_TARGETS.recall, 1)),
    row(`correlation with ${known ? 'vowels' : 'the voice'}`, round(r, 3), `≥ ${least}`, within(r, least, 1)),
    row('lips late, ms', round(lagMs, 0), '−45 … 15', within(lagMs, ...LIMITS.lagMs)),
    row('A/V offset, picture late, ms', round(lagMs + NATURAL_LEAD_MS, 0)),
    row(
      'drift, ms/s',
      slope === undefined ? 'too short' : round(slope, 4),
      `±${LIMITS.driftMsPerSecond}`,
      verdictOfDrift(slope),
    ),
    row(
      'largest gap in silence',
      still === undefined ? 'no silence' : round(still, 3),
      `≤ ${LIMITS.still}`,
      still === undefined ? '' : within(still, 0, LIMITS.still),
    ),
    ...vowelRows(seen),
    ...teethRows(seen),
    row(
      'largest jump, share of range',
      round(jumps(seen).largest, 2),
      `≤ ${MOUTH_TARGETS.jump}`,
      within(jumps(seen).largest, 0, MOUTH_TARGETS.jump),
    ),
    row('frames that change by more than 35 % of the range', round(jumps(seen).share, 3)),
    row(
      'blinks a minute',
      eyes.length === 0
        ? 'no eyes'
        : round((countBlinks(seen.eyeColours, seen.fps) / seen.gaps.length) * seen.fps * 60, 1),
    ),
  ];
}

/** Openings of close vowels, and vowels that look shut. */
function vowelRows(seen) {
  const { i, u } = closeVowels(seen);
  const shut = falseClosures(seen);
  const shown = (share) => (share === undefined ? 'not known' : round(share, 2));
  return [
    ...[
      { name: 'opening of i, share of that of a', value: i, limits: MOUTH_TARGETS.i },
      { name: 'opening of u, share of that of a', value: u, limits: MOUTH_TARGETS.u },
    ].map(({ name, value, limits: [low, high] }) => ({
      name,
      value: shown(value),
      target: `${low} … ${high}`,
      verdict: value === undefined ? 'needs sounds' : value >= low && value <= high ? 'met' : 'missed',
    })),
    {
      name: 'vowels with closed lips',
      value: shut === undefined ? 'not known' : round(shut, 3),
      target: `≤ ${MOUTH_TARGETS.shut}`,
      verdict: shut === undefined ? 'needs sounds' : shut <= MOUTH_TARGETS.shut ? 'met' : 'missed',
    },
  ];
}

/** Teeth that the wide open mouth shows, in px of the frame. */
function teethRows({ teeth }) {
  if (teeth === undefined) return [];
  return [
    { name: 'upper teeth shown by the open mouth, px', value: round(4 * teeth.upper, 0), target: '', verdict: '' },
    { name: 'lower teeth shown by the open mouth, px', value: round(4 * teeth.lower, 0), target: '', verdict: '' },
    {
      name: 'upper ÷ lower teeth',
      value: round(teeth.ratio, 1),
      target: `≥ ${MOUTH_TARGETS.teeth}`,
      verdict: teeth.ratio >= MOUTH_TARGETS.teeth ? 'met' : 'missed',
    },
  ];
}

function verdictOfDrift(slope) {
  // A window's lag is accurate to some ms, so only a long video can show a slope of this size.
  if (slope === undefined) return '';
  return Math.abs(slope) <= LIMITS.driftMsPerSecond ? 'met' : 'not shown';
}

async function readSidecar(path, isRequired) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' && !isRequired) return {};
    throw error;
  }
}

function round(value, digits) {
  return Number(value.toFixed(digits));
}
