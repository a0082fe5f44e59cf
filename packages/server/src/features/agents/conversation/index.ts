/** Conversations on this stream host: speech recognition, answers of the language model, tools, transcripts. */
import type { Kernel } from '../../../kernel/contract.js';
import { OperatorError } from '../../../kernel/operator-error.js';
import { openLocalRecogniser, openRecogniser, openStreamedChat, type Recogniser } from '../../language-model/index.js';
import { recogniserFolder } from '../../voices/index.js';
import { agents } from '../store.js';
import { AgentConversation, type ConversationParts } from './conversation.js';
import { NO_TRANSCRIPT, openTranscript } from './transcript.js';

export type { AgentConversation } from './conversation.js';

/** What a stream gives to its conversation. */
export type ConversationOptions = Pick<
  ConversationParts,
  'streamId' | 'language' | 'inWriting' | 'turns' | 'session' | 'voice' | 'onActivity' | 'onLimit'
> & { readonly agentId: string };

export type OpenConversation = (options: ConversationOptions) => Promise<AgentConversation>;

/**
 * Conversations with the configured language model, and the configured or else the installed recogniser. Opening throws where this process has none,
 * or the agent is gone.
 */
export function createConversations(kernel: Kernel): OpenConversation {
  const { config, fetch, db } = kernel;
  const { llmUrl, llmKey, llmModel } = config;
  if (llmUrl === undefined)
    return () => {
      throw new OperatorError('This stream host needs FIGUREHEAD_LLM_URL for conversations.');
    };
  const chat = openStreamedChat({ fetch, url: llmUrl, key: llmKey, model: llmModel });
  const recogniser = recogniserOf(kernel);
  return async ({ agentId, ...options }) => {
    const found = await agents.find(db, agentId);
    if (found === undefined) throw new Error(`the agent ${agentId} was deleted`);
    const { settings: agent } = found;
    const transcript =
      agent.transcriptDays === 0 ? NO_TRANSCRIPT : openTranscript(kernel, { agentId, streamId: options.streamId });
    return new AgentConversation({ ...options, kernel, agent, chat, recogniser, transcript });
  };
}

function recogniserOf({ config, fetch, lifecycle }: Kernel): Recogniser {
  const { sttUrl: url, sttKey: key, sttModel: model } = config;
  if (url !== undefined) return openRecogniser({ fetch, url, key, model });
  const recogniser = openLocalRecogniser(recogniserFolder(config));
  lifecycle.onClose('speech recogniser', () => recogniser.close());
  return recogniser;
}
