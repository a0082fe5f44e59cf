import { Card, Select, Stack, Title } from '@mantine/core';
import { languagesOf, useVoices, voiceKey } from '../../api/catalogue.js';
import { PresenterPicker, VoiceSelect } from '../../shell/presenter-pickers.js';
import type { AgentFields } from './agent-fields.js';
import { usePresenter } from './use-presenter.js';

const NO_VOICE = { voiceId: null, voiceProvider: null };

/** How an agent looks and sounds, and the language of its conversations. */
export function AgentVoice({ form }: AgentFields) {
  const { values: agent, setValues: set } = form;
  const voices = useVoices().data ?? [];
  const presenter = usePresenter(agent);
  const voice = voices.find(
    (one) =>
      one.voice === agent.voiceId &&
      (agent.voiceProvider === null || one.voiceProvider === agent.voiceProvider) &&
      (agent.language === null || one.language === agent.language),
  );
  return (
    <Card>
      <Stack>
        <Title order={2}>Presenter and voice</Title>
        <PresenterPicker realtime value={presenter?.code ?? null} onChange={(avatarCode) => set({ avatarCode })} />
        <Select
          allowDeselect
          label="Language"
          description="Visitors speak it, and the voice answers in it."
          placeholder="Language of the voice"
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the language' }}
          data={languagesOf(voices)}
          value={agent.language}
          // A voice of another language would not fit.
          onChange={(language) =>
            set({ language, ...(language !== null && voice && voice.language !== language && NO_VOICE) })
          }
        />
        <VoiceSelect
          placeholder="Voice of the presenter"
          value={voice ? voiceKey(voice) : null}
          onChange={({ voice: voiceId, voiceProvider, language }) => set({ voiceId, voiceProvider, language })}
          onClear={() => set(NO_VOICE)}
        />
      </Stack>
    </Card>
  );
}
