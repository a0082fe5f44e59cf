import type { Kernel } from '../../kernel/contract.js';
import { requireOwner } from '../../kernel/http/auth.js';
import type { Http } from '../../kernel/http/contract.js';
import { listUnsentMails } from '../../kernel/network/mail.js';

/** Serves the unsent e-mails of a workspace. Owners only, because they may contain other users' names. */
export function bindOutbox(http: Http, kernel: Kernel): void {
  http.bind('listMails', {
    handle: async ({ caller, query }) => {
      requireOwner(caller);
      const { rows, total } = await listUnsentMails(kernel.db, caller.workspace.id, query);
      const mails = rows.map(({ id, recipient, subject, body, error, createdAt }) => ({
        ...{ _id: id, to: recipient, subject, text: body, error },
        createdAt: createdAt.toISOString(),
      }));
      return { mails, ...query, total };
    },
  });
}
