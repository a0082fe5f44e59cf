import { routesOf } from '../route.js';
import {
  AgentInput,
  AgentPatch,
  Conversation,
  ConversationAgent,
  ConversationInput,
  ConversationSummary,
} from '../schemas/agent.js';
import { Accepted, Deleted, ListOf, Paged } from '../schemas/common.js';

/** Routes of conversation agents and their transcripts. */
export const agentRoutes = routesOf('Agents', {
  createAgent: {
    summary: 'Create an agent: a presenter that holds conversations',
    idempotencyKey: true,
    body: AgentInput,
    response: ConversationAgent,
  },
  listAgents: {
    summary: 'List agents, newest first',
    query: Paged,
    response: ListOf('agents', ConversationAgent),
  },
  readAgent: { summary: 'Read one agent', response: ConversationAgent },
  updateAgent: {
    summary: 'Change an agent; open conversations keep their settings',
    body: AgentPatch,
    response: ConversationAgent,
  },
  deleteAgent: { summary: 'Delete an agent and its transcripts', response: Deleted },
  listConversations: {
    summary: 'List the conversations of an agent, newest first',
    query: Paged,
    response: ListOf('conversations', ConversationSummary),
  },
  readConversation: { summary: 'Read the transcript of a conversation', response: Conversation },
  deleteConversation: { summary: 'Delete the transcript of a conversation', response: Deleted },
  converse: {
    summary: 'Say something to the agent of a stream in writing, send the result of a tool call, or push to talk',
    auth: 'client',
    body: ConversationInput,
    response: Accepted,
  },
});
