/**
 * Makes the packs of the photographic presenters from presenters/portraits by the product's own photo path. Needs a build.
 *
 *     node scripts/portrait-packs.js [NAME ...]
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePhotoPack, readPortrait } from '../packages/media/dist/photo/index.js';
import { BUILT_IN_PEOPLE } from '../packages/server/dist/features/avatars/built-in.js';
import { donorFolders } from '../packages/server/dist/features/avatars/donors.js';
import { root } from './paths.js';

const PORTRAITS = join(root, 'presenters/portraits');
const people = JSON.parse(await readFile(join(PORTRAITS, 'people.json'), 'utf8'));
const asked = process.argv.slice(2);

for (const name of asked.length > 0 ? asked : Object.keys(people)) {
  const person = people[name];
  if (person === undefined) throw new Error(`expected a name of people.json, got "${name}"`);
  const portrait = await readFile(join(PORTRAITS, `${name}.webp`));
  const folder = join(root, 'presenters/packs', name);
  await rm(folder, { recursive: true, force: true });
  await makePhotoPack(portrait, {
    folder,
    name,
    donors: await donorFolders(BUILT_IN_PEOPLE[name].gender),
    background: person.ground === 'original' ? 'original' : 'removed',
    // A maintainer has looked at the points, as users do who correct them: the mouth is not checked again.
    ...(person.reviewed && { points: (await readPortrait(portrait)).points }),
  });
  console.log(name);
}
