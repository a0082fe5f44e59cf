import type { Avatars } from '../avatars/index.js';
import type { Voices } from './voices.js';

/** What speaks: a presenter with a voice. What is absent or null is chosen later. */
interface SpeakerChoice {
  readonly avatar?: string | null | undefined;
  readonly voice?: string | null | undefined;
  readonly voiceProvider?: string | null | undefined;
  readonly language?: string | null | undefined;
}

/** Throws a 400 when the presenter, voice, provider or language does not exist here. */
export async function requireSpeaker(
  { avatars, voices }: { readonly avatars: Pick<Avatars, 'resolve'>; readonly voices: Pick<Voices, 'resolve'> },
  workspaceId: string,
  { avatar, voice, voiceProvider, language }: SpeakerChoice,
): Promise<void> {
  if (avatar) await avatars.resolve(workspaceId, avatar);
  if (voice ?? voiceProvider ?? language) {
    await voices.resolve(workspaceId, { voice, provider: voiceProvider, language });
  }
}
