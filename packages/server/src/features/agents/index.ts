/** Agents: presenters that hold conversations, the conversations themselves, and their transcripts. */
import type { AgentSettings } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/http/error.js';
import * as store from './store.js';

export { type AgentConversation, createConversations, type OpenConversation } from './conversation/index.js';
export { bindAgents } from './routes.js';

/** Settings that a server needs for conversations. */
const REQUIRED = { FIGUREHEAD_LLM_URL: 'llmUrl', FIGUREHEAD_STT_URL: 'sttUrl' } as const;

/** The agent that a stream speaks with. Throws `unknownAgent`, and `noConversations` when this server has no language model or recogniser. */
export async function resolveAgent(kernel: Kernel, workspaceId: string, id: string): Promise<AgentSettings> {
  const agent = await store.findAgent(kernel.db, id);
  if (agent?.workspaceId !== workspaceId) throw new ApiError('unknownAgent', { agent: id });
  const missing = Object.entries(REQUIRED).flatMap(([key, name]) => (kernel.config[name] === undefined ? [key] : []));
  if (missing.length > 0) throw new ApiError('noConversations', { settings: missing.join(' and ') });
  return agent.settings;
}

/** Deletes up to `limit` transcripts that are older than their agents allow. @returns how many. */
export function pruneConversations(kernel: Kernel, limit = 2000): Promise<number> {
  return store.deleteExpired(kernel.db, new Date(kernel.clock.now()), limit);
}
