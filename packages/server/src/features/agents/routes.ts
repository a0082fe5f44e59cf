import type { AgentPatch } from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import type { Caller, Http } from '../../kernel/http/contract.js';
import type { Avatars } from '../avatars/index.js';
import { requireSpeaker, type Voices } from '../voices/index.js';
import {
  createAgent,
  deleteAgent,
  deleteConversation,
  listAgents,
  listConversations,
  loadAgent,
  loadConversation,
  presentAgent,
  updateAgent,
} from './agents.js';
import { requireToolSchemas } from './tool-arguments.js';

/** What agents name: presenters and voices. */
interface Engine {
  readonly avatars: Pick<Avatars, 'resolve'>;
  readonly voices: Pick<Voices, 'resolve'>;
}

/** Serves agents and their transcripts. */
export function bindAgents(http: Http, kernel: Kernel, engine: Engine): void {
  type Named = { caller: Caller; params: { agentId: string } };
  const resource = ({ caller, params }: Named) => loadAgent(kernel, caller, params.agentId);
  const ofConversation = async ({ caller, params }: Named & { params: { conversationId: string } }) => {
    const agent = await loadAgent(kernel, caller, params.agentId);
    return loadConversation(kernel, agent.id, params.conversationId);
  };

  http.bind('createAgent', {
    check: ({ caller, body }) => requireUsable(engine, caller.workspace.id, { named: body, tools: body.tools }),
    handle: ({ caller, body }) => createAgent(kernel, caller, body),
  });
  http.bind('listAgents', {
    handle: ({ caller, query }) => listAgents(kernel, caller.workspace.id, query),
  });
  http.bind('readAgent', { resource, handle: async ({ resource: agent }) => presentAgent(agent) });
  http.bind('updateAgent', {
    resource,
    check: ({ caller, resource: { settings }, body }) =>
      requireUsable(engine, caller.workspace.id, { named: changedChoice(settings, body), tools: body.tools }),
    handle: ({ resource: { id }, body }) => updateAgent(kernel, id, body),
  });
  http.bind('deleteAgent', {
    resource,
    handle: ({ resource: { id } }) => deleteAgent(kernel, id),
  });
  http.bind('listConversations', {
    resource,
    handle: ({ resource: { id }, query }) => listConversations(kernel, id, query),
  });
  http.bind('readConversation', { resource: ofConversation, handle: async ({ resource: found }) => found });
  http.bind('deleteConversation', {
    resource: ofConversation,
    handle: ({ resource: { _id } }) => deleteConversation(kernel, _id),
  });
}

/** What a change names, with the rest of a voice: a presenter that was deleted meanwhile forbids no other change. */
function changedChoice({ voiceId, voiceProvider, language }: Required<AgentPatch>, patch: AgentPatch): AgentPatch {
  const isOfVoice = 'voiceId' in patch || 'voiceProvider' in patch || 'language' in patch;
  return isOfVoice ? { voiceId, voiceProvider, language, ...patch } : patch;
}

/** Throws a 400 for unknown presenters and voices, and for tools whose parameters are not a JSON Schema. */
async function requireUsable(
  engine: Engine,
  workspaceId: string,
  { named, tools = [] }: { readonly named: AgentPatch; readonly tools: AgentPatch['tools'] },
): Promise<void> {
  requireToolSchemas(tools);
  const { avatarCode: avatar, voiceId: voice, voiceProvider, language } = named;
  await requireSpeaker(engine, workspaceId, { avatar, voice, voiceProvider, language });
}
