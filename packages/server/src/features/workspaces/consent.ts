import type { Kernel } from '../../kernel/contract.js';
import { invalidFields } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import { readUser } from './people.js';
import { findWorkspace } from './store.js';

/** A consent to be imitated, as stored: the statement, and who submitted it. */
export interface Consent {
  readonly statement: string;
  readonly givenBy: string;
}

/**
 * The consent in a call, with its caller. Throws a 400 when the statement is missing.
 * @param options.missing message about the field `consent`.
 * @param options.byToken statement of API callers who send none; without it they must send one as well.
 */
export async function consentOf(
  kernel: Kernel,
  caller: Caller,
  statement: string | undefined,
  { missing, byToken }: { readonly missing: string; readonly byToken?: string },
): Promise<Consent> {
  const isToken = caller.kind !== 'web';
  const given = statement?.trim() || (isToken ? byToken : undefined);
  if (given === undefined) throw invalidFields([{ field: 'consent', message: missing }]);
  const person = await readUser(kernel, caller.userId);
  if (!isToken) return { statement: given, givenBy: person?.email ?? caller.userId };
  const workspace = await findWorkspace(kernel.db, caller.workspace.id);
  return { statement: given, givenBy: `API token of ${person?.email ?? workspace?.name ?? caller.workspace.id}` };
}
