import type { Kernel } from '../../kernel/contract.js';
import type { Http } from '../../kernel/http/contract.js';
import { listLedger } from './billing.js';

/** Serves the list of ledger entries. */
export function bindBilling(http: Http, kernel: Kernel): void {
  http.bind('listLedger', {
    handle: ({ caller, query }) => listLedger(kernel, caller.workspace.id, query),
  });
}
