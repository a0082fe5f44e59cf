/** Agents: presenters that hold conversations, the conversations themselves, and their transcripts. */
import type { AgentSettings } from '@figurehead/contract';
import { installedRecognisers, RECOGNISER_COMMAND, SpeechError } from '@figurehead/media';
import type { Kernel } from '../../kernel/contract.js';
import { ApiError } from '../../kernel/errors.js';
import { recogniserFolder } from '../voices/index.js';
import * as store from './store.js';

export { type AgentConversation, createConversations, type OpenConversation } from './conversation/index.js';

/**
 * The agent that a stream speaks with. Throws `unknownAgent`, and `noConversations` when this server has no language model, or no recogniser.
 * @param options.inWriting the viewer does not speak, so that no recogniser is needed.
 */
export async function resolveAgent(
  kernel: Kernel,
  workspaceId: string,
  { id, inWriting }: { readonly id: string; readonly inWriting: boolean },
): Promise<AgentSettings> {
  const agent = await store.agents.find(kernel.db, id);
  if (agent?.workspaceId !== workspaceId) throw new ApiError('unknownAgent', { agent: id });
  const { config } = kernel;
  const needed = config.sttUrl === undefined && !inWriting ? await lacksRecogniser(config) : undefined;
  const missing = [
    ...(config.llmUrl === undefined ? [['language model', 'FIGUREHEAD_LLM_URL'] as const] : []),
    ...(needed === undefined ? [] : [['speech recogniser', 'FIGUREHEAD_STT_URL'] as const]),
  ];
  if (missing.length > 0) {
    const lacking = missing.map(([what]) => what).join(' and no ');
    const settings = missing.map(([, setting]) => setting).join(' and ');
    throw new ApiError('noConversations', { lacking, settings, instead: needed ?? '' });
  }
  return agent.settings;
}

/** What a recogniser on this machine needs, as the end of a message; `undefined` when it works. */
async function lacksRecogniser(config: Kernel['config']): Promise<string | undefined> {
  try {
    if ((await installedRecognisers(recogniserFolder(config))).length > 0) return undefined;
    return ` Instead of FIGUREHEAD_STT_URL a recogniser on this machine will do: ${RECOGNISER_COMMAND}`;
  } catch (error) {
    if (error instanceof SpeechError) return ` Instead of FIGUREHEAD_STT_URL: ${error.message}`;
    throw error;
  }
}

/** Deletes some transcripts that are older than their agents allow. @returns how many. */
export function pruneConversations(kernel: Kernel): Promise<number> {
  return store.deleteExpired(kernel.db, new Date(kernel.clock.now()));
}
