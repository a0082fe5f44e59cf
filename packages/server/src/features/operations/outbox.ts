import type { Kysely } from 'kysely';
import type { Database, Kernel } from '../../kernel/contract.js';
import { readPage } from '../../kernel/database/page.js';
import { requireOwner } from '../../kernel/http/auth.js';
import type { Http } from '../../kernel/http/contract.js';

type Tables = {
  mailOutbox: {
    id: string;
    workspaceId: string | null;
    recipient: string;
    subject: string;
    body: string;
    status: 'kept' | 'sent' | 'failed';
    error: string | null;
    createdAt: Date;
  };
};

const open = (db: Database): Kysely<Tables> => db.withTables<Tables>();

/** Serves the unsent e-mails of a workspace. Owners only, because they may contain other users' names. */
export function bindOutbox(http: Http, kernel: Kernel): void {
  http.bind('listMails', {
    handle: async ({ caller, query }) => {
      requireOwner(caller);
      const all = open(kernel.db).selectFrom('mailOutbox').selectAll().where('workspaceId', '=', caller.workspace.id);
      const { rows, total } = await readPage(all.where('status', '!=', 'sent').orderBy('id', 'desc'), query);
      const mails = rows.map((row) => ({
        _id: row.id,
        to: row.recipient,
        subject: row.subject,
        text: row.body,
        error: row.error,
        createdAt: row.createdAt.toISOString(),
      }));
      return { mails, ...query, total };
    },
  });
}
