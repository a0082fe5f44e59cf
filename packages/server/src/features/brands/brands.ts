import type { Brand } from '@figurehead/contract';
import type { Database, Kernel, Tx } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/errors.js';
import type { Http } from '../../kernel/http/contract.js';
import type { Avatars } from '../avatars/index.js';
import { requireSpeaker, type Voices } from '../voices/index.js';
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

/** Serves the brand of a workspace. */
export function bindBrands(
  http: Http,
  kernel: Kernel,
  engine: { readonly avatars: Pick<Avatars, 'link' | 'resolve'>; readonly voices: Pick<Voices, 'resolve'> },
): void {
  http.bind('readBrand', { handle: ({ caller }) => readBrand(kernel, engine.avatars, caller.workspace.id) });
  http.bind('saveBrand', {
    check: async ({ caller, body }) => {
      await requireSpeaker(engine, caller.workspace.id, body);
      if (body.logo != null && !/^(?:https?:|data:)/i.test(body.logo)) {
        throw invalidFields([{ field: 'logo', message: 'must be the URL of a picture' }]);
      }
    },
    handle: async ({ caller, body }) => {
      const brand: Brand = { ...NO_BRAND, ...body };
      await store.saveBrand(kernel.db, caller.workspace.id, brand);
      return brand;
    },
  });
}
