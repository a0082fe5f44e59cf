import type { AgentPatch, ConversationAgent } from '@figurehead/sdk';

/** What a part of the form gets: the settings with unsaved changes, and how to change them. */
export interface AgentFields {
  readonly agent: ConversationAgent;
  readonly set: (change: AgentPatch) => void;
}
