import { sql } from 'kysely';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { Database, Ids, Lifecycle, Mail, Mailer } from '../contract.js';
import { type PageQuery, readPage } from '../database/page.js';
import { within } from '../waiting.js';

/** A server that does not answer must not block the caller. */
const SMTP_TIMEOUT_MS = 15_000;

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

/** E-mails of a workspace that were not sent, newest first. */
export function listUnsentMails(db: Database, workspaceId: string, page: PageQuery) {
  return readPage(
    db
      .withTables<Tables>()
      .selectFrom('mailOutbox')
      .selectAll()
      .where('workspaceId', '=', workspaceId)
      .where('status', '!=', 'sent')
      .orderBy('id', 'desc'),
    page,
  );
}

/** True for one bare address without characters that could form another header or recipient. */
export function isBareAddress(text: string): boolean {
  return text.length <= 254 && /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(text);
}

/**
 * E-mail by SMTP, or into the outbox of the console. In both cases it is recorded in `mail_outbox`. Closes with the
 * lifecycle.
 */
export function createMailer(options: {
  config: Config;
  db: Database;
  ids: Ids;
  log: Logger;
  lifecycle: Lifecycle;
}): Mailer {
  const { config, db, ids, log, lifecycle } = options;
  const { smtpUrl, mailFrom: from } = config;
  const transport = smtpUrl === undefined ? undefined : createTransport(smtpUrl, { from });
  if (transport !== undefined) lifecycle.onClose('mail', () => transport.close());

  async function deliver(mail: Mail): Promise<'kept' | 'sent'> {
    if (!isBareAddress(mail.to)) throw new Error('The recipient is not one bare mail address.');
    if (transport === undefined) return 'kept';
    const sent = await within(
      SMTP_TIMEOUT_MS,
      transport.sendMail({ to: { name: '', address: mail.to }, subject: oneLine(mail.subject), text: mail.text }),
    );
    if (sent === undefined) throw new Error(`The mail server did not answer within ${SMTP_TIMEOUT_MS / 1000} s.`);
    return 'sent';
  }

  return {
    async send(mail) {
      let status: 'kept' | 'sent' | 'failed' = 'failed';
      let problem: string | null = null;
      try {
        status = await deliver(mail);
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        log.warn({ err: error }, 'mail could not be sent');
      }
      try {
        await sql`
          insert into mail_outbox (id, workspace_id, recipient, subject, body, status, error)
          values (${ids.next()}, ${mail.workspaceId ?? null}, ${mail.to}, ${oneLine(mail.subject)}, ${mail.text}, ${status}, ${problem})`.execute(
          db,
        );
      } catch (error) {
        log.error({ err: error }, 'mail could not be recorded');
      }
    },
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
