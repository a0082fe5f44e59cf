import type { OutboxMail } from '@figurehead/contract';
import type { Static } from '@sinclair/typebox';
import type { Kysely } from 'kysely';
import type { Database, Kernel } from '../../kernel/contract.js';
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

/** Serves the mails about a workspace that did not leave the house. Owners only: they may hold names of others. */
export function bindOutbox(http: Http, kernel: Kernel): void {
  http.bind('listMails', {
    handle: async ({ caller, query }) => {
      requireOwner(caller);
      const { mails, total } = await listMails(kernel.db, caller.workspace.id, query);
      return { mails, page: query.page, limit: query.limit, total };
    },
  });
}

async function listMails(
  db: Database,
  workspaceId: string,
  { page, limit }: { page: number; limit: number },
): Promise<{ mails: Static<typeof OutboxMail>[]; total: number }> {
  const held = open(db).selectFrom('mailOutbox').where('workspaceId', '=', workspaceId).where('status', '!=', 'sent');
  const rows = await held
    .selectAll()
    .orderBy('id', 'desc')
    .offset((page - 1) * limit)
    .limit(limit)
    .execute();
  const count = await held.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  const mails = rows.map((row) => ({
    _id: row.id,
    to: row.recipient,
    subject: row.subject,
    text: row.body,
    error: row.error,
    createdAt: row.createdAt.toISOString(),
  }));
  return { mails, total: Number(count.total) };
}
