import { join } from 'node:path';
import type { PhotoAvatarInput } from '@figurehead/contract';
import { listPacks } from '@figurehead/media';
import { BUILT_IN_PACKS } from './catalogue.js';

/** Built-in presenters whose lids and mouths suit others: no glasses, no beard around the lips. */
const DONORS = {
  female: ['amara', 'ava', 'helen', 'mei', 'nora', 'priya'],
  male: ['arjun', 'kenji', 'leo', 'marcus'],
} as const;

/** Folders of the packs that may lend to a portrait of this gender. */
export async function donorFolders(gender: PhotoAvatarInput['gender']): Promise<string[]> {
  const wanted: readonly string[] = gender === 'other' ? [...DONORS.female, ...DONORS.male] : DONORS[gender];
  const installed = await listPacks(BUILT_IN_PACKS);
  const fitting = installed.filter((name) => wanted.includes(name));
  // If none of them is installed, any installed presenter lends.
  return (fitting.length > 0 ? fitting : installed).map((name) => join(BUILT_IN_PACKS, name));
}
