import type { Kernel } from '../../kernel/contract.js';
import { claimOnce } from '../../kernel/settings.js';
import { insertMember } from './people.js';
import { setOperator } from './store.js';
import { createToken } from './tokens/tokens.js';
import { insertWorkspace } from './workspaces.js';

/** Output of the first start; it cannot be read again. */
export interface Owner {
  readonly workspaceId: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** Minutes of the first workspace: plenty, because its owner operates the server. */
const FIRST_MINUTES = 10_000;

/**
 * Creates the first workspace, its owner with a random password, and a first API token. Returns `undefined` for every
 * call but the first on a database, also when several processes start at once.
 */
export async function bootstrapOwner(kernel: Kernel): Promise<Owner | undefined> {
  const password = kernel.ids.secret(12);
  // Hashing takes a tenth of a second, so it is done before the transaction takes locks.
  const passwordHash = await kernel.passwords.hash(password);
  return kernel.transaction(async (tx) => {
    if (!(await claimOnce(tx, 'owner_created'))) return undefined;
    const workspace = await insertWorkspace(kernel, tx, {
      name: 'My workspace',
      plan: 'Enterprise',
      status: 'active',
      minutes: FIRST_MINUTES,
      allowOverlimit: true,
    });
    const email = 'owner@figurehead.local';
    const member = await insertMember(kernel, tx, {
      workspaceId: workspace._id,
      email,
      name: 'Owner',
      role: 'owner',
      passwordHash,
    });
    await setOperator(tx, member._id, true);
    const { token } = await createToken(
      kernel,
      { workspaceId: workspace._id, userId: member._id, name: 'First token' },
      tx,
    );
    return { workspaceId: workspace._id, email, password, token };
  });
}
