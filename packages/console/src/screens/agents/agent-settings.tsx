import type { ConversationAgent } from '@figurehead/sdk';
import { Card, Group, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { type AgentFields, settingsIn, valuesOf } from './agent-fields.js';
import { AgentLimits } from './agent-limits.js';
import { AgentTools } from './agent-tools.js';
import { AgentVoice } from './agent-voice.js';

/** All settings of an agent, saved together. */
export function AgentSettingsForm({ agent: saved }: { readonly agent: ConversationAgent }) {
  const api = useApi();
  const queries = useQueryClient();
  const form = useServerForm(
    valuesOf(saved),
    (_values, changed) => api.updateAgent({ agentId: saved._id, body: settingsIn(changed) }),
    {
      keep: `agent-${saved._id}`,
      present: async () => valuesOf(await api.readAgent({ agentId: saved._id })),
      saved: valuesOf,
      changes: [['agents']],
      done: 'Saved. New conversations use it.',
      onDone: (next) => queries.setQueryData(['agent', saved._id], next),
    },
  );
  const { isChanged } = form;
  const { name, prompt } = form.values;
  return (
    <form onSubmit={form.send}>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Role form={form} />
          <AgentVoice form={form} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <AgentTools key={form.revision} form={form} />
          <AgentLimits form={form} />
        </SimpleGrid>
        <Group className="fh-save">
          <SubmitButton form={form} disabled={!isChanged || !name.trim() || !prompt.trim()}>
            Save
          </SubmitButton>
          <Text size="sm" c="dimmed" role="status">
            {isChanged ? 'There are unsaved changes.' : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

function Role({ form }: AgentFields) {
  const field = form.getInputProps;
  return (
    <Card>
      <Stack>
        <Title order={2}>Role</Title>
        <TextInput label="Name" required maxLength={200} {...field('name')} />
        <Textarea
          label="Prompt"
          description="Who it is, what it knows, and how it answers. Visitors do not see it."
          required
          maxLength={20_000}
          minRows={6}
          maxRows={18}
          {...field('prompt')}
        />
        <Textarea
          label="What it is"
          description="Spoken first, such as “I am an AI assistant.”; the agent then does not deny it."
          {...SPOKEN}
          {...field('disclosure')}
        />
        <Textarea
          label="Greeting"
          description="Spoken when a visitor is connected. Empty: the visitor begins."
          {...SPOKEN}
          {...field('greeting')}
        />
        <Textarea
          label="Apology"
          description="Spoken when an answer fails. Empty: the agent stays silent."
          {...SPOKEN}
          {...field('apology')}
        />
      </Stack>
    </Card>
  );
}

const SPOKEN = { maxLength: 1000, maxRows: 5 };
