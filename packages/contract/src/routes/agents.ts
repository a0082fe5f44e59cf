import { Type } from '@sinclair/typebox';
import { withIds } from '../route.js';
import {
  AgentInput,
  AgentPatch,
  Conversation,
  ConversationAgent,
  ConversationInput,
  ConversationSummary,
} from '../schemas/agent.js';
import { Accepted, Deleted, ListOf, Paging } from '../schemas/common.js';

const tag = 'Agents';

/** Routes of conversation agents and their transcripts. */
export const agentRoutes = withIds({
  createAgent: {
    method: 'POST',
    path: '/agents',
    tag,
    summary: 'Create an agent: a presenter that holds conversations',
    auth: 'any',
    idempotencyKey: true,
    body: AgentInput,
    response: ConversationAgent,
  },
  listAgents: {
    method: 'GET',
    path: '/agents',
    tag,
    summary: 'List agents, newest first',
    auth: 'any',
    query: Type.Object({ ...Paging }),
    response: ListOf('agents', ConversationAgent),
  },
  readAgent: {
    method: 'GET',
    path: '/agents/{agentId}',
    tag,
    summary: 'Read one agent',
    auth: 'any',
    response: ConversationAgent,
  },
  updateAgent: {
    method: 'PATCH',
    path: '/agents/{agentId}',
    tag,
    summary: 'Change an agent; open conversations keep their settings',
    auth: 'any',
    body: AgentPatch,
    response: ConversationAgent,
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/agents/{agentId}',
    tag,
    summary: 'Delete an agent and its transcripts',
    auth: 'any',
    response: Deleted,
  },
  listConversations: {
    method: 'GET',
    path: '/agents/{agentId}/conversations',
    tag,
    summary: 'List the conversations of an agent, newest first',
    auth: 'any',
    query: Type.Object({ ...Paging }),
    response: ListOf('conversations', ConversationSummary),
  },
  readConversation: {
    method: 'GET',
    path: '/agents/{agentId}/conversations/{conversationId}',
    tag,
    summary: 'Read the transcript of a conversation',
    auth: 'any',
    response: Conversation,
  },
  deleteConversation: {
    method: 'DELETE',
    path: '/agents/{agentId}/conversations/{conversationId}',
    tag,
    summary: 'Delete the transcript of a conversation',
    auth: 'any',
    response: Deleted,
  },
  converse: {
    method: 'POST',
    path: '/streams/conversation/{streamId}',
    tag,
    summary: 'Say something to the agent of a stream in writing, or send the result of a tool call',
    auth: 'client',
    body: ConversationInput,
    response: Accepted,
  },
});
