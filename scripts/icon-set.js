/**
 * Generates the icons for slides from Tabler's outline icons: packages/console/src/screens/editor/icons/icons.json,
 * a list of [name, search words, SVG path on a grid of 24 × 24].
 *
 *     node scripts/icon-set.js
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './paths.js';

const TABLER = join(root, 'node_modules/@tabler/icons');
const FOLDER = join(root, 'packages/console/src/screens/editor/icons');

/** Tabler's names by category. */
const NAMES = {
  arrows:
    'arrow-right arrow-left arrow-up arrow-down arrow-up-right arrow-back-up arrow-forward-up arrow-big-right arrow-big-up arrow-narrow-right arrows-exchange refresh repeat rotate chevron-right chevrons-right trending-up trending-down switch-horizontal external-link',
  signs:
    'check checks x plus minus circle-check circle-x alert-triangle alert-circle info-circle help-circle ban bell bookmark flag star heart thumb-up thumb-down sparkles bolt flame target award medal trophy crown rosette certificate lock lock-open key shield shield-check eye eye-off pin',
  people:
    'user users user-plus user-check user-circle mood-smile mood-happy mood-sad mood-heart friends baby-carriage man woman walk run hand-click hand-stop message message-circle messages speakerphone microphone phone phone-call mail at send headset',
  business:
    'briefcase building building-bank building-store building-skyscraper building-factory chart-bar chart-line chart-pie chart-donut chart-area chart-dots presentation calculator calendar calendar-event clock hourglass alarm coin coins cash credit-card receipt wallet shopping-cart shopping-bag basket discount tag tags gift percentage scale gavel file-text file-description files folder clipboard clipboard-check clipboard-list checklist list-check list-numbers notebook report-analytics report-money',
  technology:
    'device-laptop device-desktop device-mobile device-tablet device-tv server database cloud cloud-upload cloud-download wifi bluetooth cpu robot code terminal bug api plug plug-connected battery bulb settings adjustments tool tools hammer search zoom-in link qrcode download upload share printer camera video photo music volume player-play world world-www browser',
  life: 'home car bus train plane ship bike truck map map-pin compass route sun moon cloud-rain snowflake umbrella droplet leaf tree plant recycle flower mountain wave-sine pizza apple coffee cup glass meat salad ball-football barbell stethoscope heartbeat ambulance first-aid-kit pill vaccine school book books pencil palette brush scissors puzzle rocket telescope microscope flask test-pipe atom dna fire-hydrant helmet paw fish dog cat',
  shapes: 'square circle triangle hexagon octagon diamond rectangle oval pentagon cube sphere cone',
};

const nodes = JSON.parse(await readFile(join(TABLER, 'tabler-nodes-outline.json'), 'utf8'));
const about = JSON.parse(await readFile(join(TABLER, 'icons.json'), 'utf8'));

function pathOf(name) {
  return nodes[name]
    .filter(([tag]) => tag === 'path')
    .map(([, { d }]) => d)
    .join(' ');
}

function wordsOf(name, group) {
  const own = name.split('-');
  const tags = (about[name]?.tags ?? []).map((tag) => String(tag).toLowerCase()).filter((tag) => /^[a-z ]+$/.test(tag));
  return [...new Set([group, ...tags.flatMap((tag) => tag.split(' '))])]
    .filter((word) => !own.includes(word))
    .join(' ');
}

const icons = [];
const missing = [];
for (const [group, names] of Object.entries(NAMES)) {
  for (const name of names.split(' ')) {
    if (nodes[name] === undefined) missing.push(name);
    else icons.push([name, wordsOf(name, group), pathOf(name)]);
  }
}
if (missing.length > 0) console.error(`Tabler has no ${missing.join(', ')}`);
await mkdir(FOLDER, { recursive: true });
await writeFile(join(FOLDER, 'icons.json'), `[\n${icons.map((icon) => `  ${JSON.stringify(icon)}`).join(',\n')}\n]\n`);
