import type { AgentSettings, ConversationTurn } from '@figurehead/contract';
import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../kernel/contract.js';
import { ownedTable } from '../../kernel/database/owned-table.js';
import { type Page, type PageQuery, readPage } from '../../kernel/database/page.js';

export interface AgentRow {
  id: string;
  workspaceId: string;
  settings: AgentSettings;
  createdAt: Date;
  updatedAt: Date;
}

export interface ConversationRow {
  id: string;
  agentId: string;
  streamId: string;
  turns: ConversationTurn[];
  startedAt: Date;
  endedAt: Date | null;
}

type Tables = { agents: AgentRow; conversations: ConversationRow };

/** A conversation without its transcript, and the number of turns. */
export type SummaryRow = Omit<ConversationRow, 'turns'> & { readonly turns: number };

export const agents = ownedTable<AgentRow>('agents', ['settings']);

const open = (db: Database | Tx): Kysely<Tables> => (db as Database).withTables<Tables>();

/** Changes some settings; `undefined` when the agent no longer exists. */
export async function patchAgent(
  db: Database,
  id: string,
  { patch, updatedAt }: { patch: Partial<AgentSettings>; updatedAt: Date },
): Promise<AgentRow | undefined> {
  return open(db)
    .updateTable('agents')
    .set({ settings: sql<AgentSettings>`settings || ${JSON.stringify(patch)}::jsonb`, updatedAt })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** A page of an agent's conversations, newest first. */
export async function listConversations(db: Database, agentId: string, page: PageQuery): Promise<Page<SummaryRow>> {
  const conversations = open(db)
    .selectFrom('conversations')
    .select(['id', 'agentId', 'streamId', 'startedAt', 'endedAt'])
    .select(sql<number>`jsonb_array_length(turns)`.as('turns'))
    .where('agentId', '=', agentId);
  return readPage(conversations.orderBy('id', 'desc'), page);
}

/** A conversation of an agent. */
export async function findConversation(
  db: Database,
  which: { id: string; agentId: string },
): Promise<ConversationRow | undefined> {
  return open(db)
    .selectFrom('conversations')
    .selectAll()
    .where('id', '=', which.id)
    .where('agentId', '=', which.agentId)
    .executeTakeFirst();
}

export async function deleteConversation(db: Database, id: string): Promise<void> {
  await open(db).deleteFrom('conversations').where('id', '=', id).execute();
}

/** Begins a transcript; does nothing when the agent was deleted. */
export async function insertConversation(
  db: Database,
  { id, agentId, streamId, startedAt }: Omit<ConversationRow, 'turns' | 'endedAt'>,
): Promise<void> {
  await sql`
    insert into conversations (id, agent_id, stream_id, started_at)
    select ${id}, a.id, ${streamId}, ${startedAt} from agents a where a.id = ${agentId} for key share`.execute(db);
}

/** Adds a turn; does nothing when the transcript was deleted. */
export async function appendTurn(db: Database, id: string, turn: ConversationTurn): Promise<void> {
  await open(db)
    .updateTable('conversations')
    .set({ turns: sql<ConversationTurn[]>`turns || ${JSON.stringify([turn])}::jsonb` })
    .where('id', '=', id)
    .execute();
}

export async function endConversation(db: Database, id: string, endedAt: Date): Promise<void> {
  await open(db).updateTable('conversations').set({ endedAt }).where('id', '=', id).execute();
}

/** Deletes some transcripts that are older than their agents allow. @returns how many. */
export async function deleteExpired(db: Database, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from conversations where id in (
      select c.id from conversations c join agents a on a.id = c.agent_id
      where c.started_at < ${now}::timestamptz - make_interval(days => (a.settings->>'transcriptDays')::int) limit 2000)`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
