import type { Avatar } from '@figurehead/contract';
import type { Config } from '../../kernel/config/config.js';
import type { Avatars } from './catalogue.js';

/** The presenter with a slide's avatar code, also if the code is an alias or names a variant. Returns `undefined` without a code and for an unknown one. */
export async function presenterOf(
  avatars: Pick<Avatars, 'list'>,
  { aliases }: Pick<Config, 'aliases'>,
  { workspaceId, code }: { readonly workspaceId: string; readonly code: string | null | undefined },
): Promise<Avatar | undefined> {
  if (code == null) return undefined;
  const own = aliases.avatars[code] ?? code;
  const listed = await avatars.list(workspaceId);
  return listed.find((avatar) => avatar.code === own || avatar.variants.some((variant) => variant.code === own));
}
