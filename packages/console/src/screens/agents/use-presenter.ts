import type { Avatar, ConversationAgent } from '@figurehead/sdk';
import { useAvatars } from '../../api/catalogue.js';

/** The presenter of an agent: its own, or the one that streams have by default. */
export function usePresenter(agent: Pick<ConversationAgent, 'avatarCode'>): Avatar | undefined {
  const avatars = useAvatars().data ?? [];
  return avatars.find((one) =>
    agent.avatarCode === null ? one.realtime && one.status === 'ready' : one.code === agent.avatarCode,
  );
}
