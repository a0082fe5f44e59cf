import {
  AGENT_LIMITS,
  type AgentInput,
  type AgentPatch,
  type AgentSettings,
  type Conversation,
  type ConversationAgent,
  turnTaking,
} from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { PageQuery } from '../../kernel/database/page.js';
import { ApiError, requireFound, requireOwn } from '../../kernel/errors.js';
import type { Caller } from '../../kernel/http/contract.js';
import * as store from './store.js';

const { agents, minutes, turns, characters, toolSeconds, days } = AGENT_LIMITS;

/** Settings that a new agent has unless its creator names others. */
const DEFAULTS: Omit<AgentSettings, 'name' | 'prompt'> = {
  language: null,
  avatarCode: null,
  voiceId: null,
  voiceProvider: null,
  disclosure: null,
  greeting: null,
  apology: null,
  model: null,
  temperature: null,
  maxMinutes: minutes.usual,
  maxTurns: turns.usual,
  maxAnswerCharacters: characters.usual,
  turns: {},
  tools: [],
  toolSeconds: toolSeconds.usual,
  transcriptDays: days.usual,
};

/** Creates an agent. Throws `agentLimit`. */
export async function createAgent(kernel: Kernel, caller: Caller, input: AgentInput): Promise<ConversationAgent> {
  const now = new Date(kernel.clock.now());
  const row: store.AgentRow = {
    id: kernel.ids.next(),
    workspaceId: caller.workspace.id,
    settings: { ...DEFAULTS, ...input },
    createdAt: now,
    updatedAt: now,
  };
  return kernel.transaction(async (tx) => {
    if ((await store.agents.count(tx, row.workspaceId)) >= agents.most)
      throw new ApiError('agentLimit', { limit: agents.most });
    await store.agents.insert(tx, row);
    return presentAgent(row);
  });
}

/** The agent with this id. Throws `notFound` and `foreign`. */
export async function loadAgent(kernel: Kernel, caller: Caller, id: string): Promise<store.AgentRow> {
  return requireOwn(await store.agents.find(kernel.db, id), caller.workspace.id, 'agent');
}

export async function updateAgent(kernel: Kernel, id: string, patch: AgentPatch): Promise<ConversationAgent> {
  const row = await store.patchAgent(kernel.db, id, { patch, updatedAt: new Date(kernel.clock.now()) });
  // Deleted meanwhile.
  return presentAgent(requireFound(row, 'agent'));
}

/** Deletes an agent with its transcripts. */
export async function deleteAgent(kernel: Kernel, id: string): Promise<{ _id: string; deleted: true }> {
  await store.agents.delete(kernel.db, id);
  return { _id: id, deleted: true };
}

export async function deleteConversation(kernel: Kernel, id: string): Promise<{ _id: string; deleted: true }> {
  await store.deleteConversation(kernel.db, id);
  return { _id: id, deleted: true };
}

export async function listAgents(kernel: Kernel, workspaceId: string, { page, limit }: PageQuery) {
  const { rows, total } = await store.agents.list(kernel.db, workspaceId, { page, limit });
  return { agents: rows.map(presentAgent), page, limit, total };
}

export async function listConversations(kernel: Kernel, agentId: string, { page, limit }: PageQuery) {
  const { rows, total } = await store.listConversations(kernel.db, agentId, { page, limit });
  return { conversations: rows.map(presentConversation), page, limit, total };
}

/** A conversation of an agent. Throws `notFound`. */
export async function loadConversation(kernel: Kernel, agentId: string, id: string): Promise<Conversation> {
  return presentConversation(requireFound(await store.findConversation(kernel.db, { id, agentId }), 'conversation'));
}

/** An agent as the API shows it. */
export function presentAgent({ id, settings, createdAt, updatedAt }: store.AgentRow): ConversationAgent {
  // Agents of earlier versions have no turns.
  const turns = turnTaking(settings.turns);
  return {
    _id: id,
    ...DEFAULTS,
    ...settings,
    turns,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function presentConversation<Turns>(
  row: Omit<store.ConversationRow, 'turns'> & { readonly turns: Turns },
): Omit<Conversation, 'turns'> & { turns: Turns } {
  const { id, agentId, streamId, turns: of, startedAt, endedAt } = row;
  return {
    _id: id,
    agentId,
    streamId,
    turns: of,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
