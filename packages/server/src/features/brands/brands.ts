import type { Brand, BrandInput } from '@figurehead/contract';
import type { Database, Kernel, Tx } from '../../kernel/contract.js';
import type { Avatars } from '../avatars/index.js';
import * as store from './store.js';

/** The brand of a workspace that has not saved one. */
const NO_BRAND: Brand = {
  colors: null,
  headingFont: null,
  bodyFont: null,
  logo: null,
  avatar: null,
  voice: null,
  voiceProvider: null,
  language: null,
  aiLabel: null,
};

/** The brand of a workspace; every field null when it has none, and the presenter when it was deleted. */
export async function readBrand(
  kernel: Pick<Kernel, 'db'>,
  avatars: Pick<Avatars, 'link'>,
  workspaceId: string,
): Promise<Brand> {
  const brand = { ...NO_BRAND, ...(await store.findBrand(kernel.db, workspaceId)) };
  if (brand.avatar === null) return brand;
  const isThere = (await avatars.link(workspaceId, brand.avatar, 'thumbnail')) !== undefined;
  return isThere ? brand : { ...brand, avatar: null };
}

/** The label of a workspace's films and live presenters; `null` without one. */
export async function aiLabelOf(db: Database | Tx, workspaceId: string): Promise<string | null> {
  return (await store.findBrand(db, workspaceId))?.aiLabel ?? null;
}

/** Replaces the brand of a workspace; what is absent is null. */
export async function saveBrand(kernel: Pick<Kernel, 'db'>, workspaceId: string, input: BrandInput): Promise<Brand> {
  const brand = { ...NO_BRAND, ...input };
  await store.saveBrand(kernel.db, workspaceId, brand);
  return brand;
}
