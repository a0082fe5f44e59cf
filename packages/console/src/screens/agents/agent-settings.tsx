import type { AgentPatch, ConversationAgent } from '@figurehead/sdk';
import { Button, Card, Group, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAction, useApi } from '../../api/client.js';
import type { AgentFields } from './agent-fields.js';
import { AgentLimits } from './agent-limits.js';
import { AgentTools } from './agent-tools.js';
import { AgentVoice } from './agent-voice.js';

/** All settings of an agent, saved together. */
export function AgentSettingsForm({ agent: saved }: { readonly agent: ConversationAgent }) {
  const api = useApi();
  const queries = useQueryClient();
  const [changes, setChanges] = useState<AgentPatch>({});
  const agent = { ...saved, ...changes };
  const save = useAction(() => api.updateAgent({ agentId: saved._id, body: changes }), {
    changes: [['agents']],
    done: 'Saved. New conversations use it.',
    onDone: (next) => {
      queries.setQueryData(['agent', saved._id], next);
      setChanges({});
    },
  });
  const fields: AgentFields = { agent, set: (change) => setChanges((now) => ({ ...now, ...change })) };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const isChanged = Object.keys(changes).length > 0;
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Role {...fields} />
          <AgentVoice {...fields} />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <AgentTools {...fields} />
          <AgentLimits {...fields} />
        </SimpleGrid>
        <Group className="fh-save">
          <Button
            type="submit"
            disabled={!isChanged || !agent.name.trim() || !agent.prompt.trim()}
            loading={save.isPending}
          >
            Save
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {isChanged ? 'There are unsaved changes.' : ''}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

function Role({ agent, set }: AgentFields) {
  return (
    <Card>
      <Stack>
        <Title order={2}>Role</Title>
        <TextInput
          label="Name"
          required
          maxLength={200}
          value={agent.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Textarea
          label="Prompt"
          description="Who it is, what it knows, and how it answers. Visitors do not see it."
          required
          maxLength={20_000}
          autosize
          minRows={6}
          maxRows={18}
          value={agent.prompt}
          onChange={(event) => set({ prompt: event.currentTarget.value })}
        />
        <Spoken
          label="Greeting"
          description="Spoken when a visitor is connected. Empty: the visitor begins."
          value={agent.greeting}
          onChange={(greeting) => set({ greeting })}
        />
        <Spoken
          label="Apology"
          description="Spoken when an answer fails. Empty: the agent stays silent."
          value={agent.apology}
          onChange={(apology) => set({ apology })}
        />
      </Stack>
    </Card>
  );
}

function Spoken(props: {
  readonly label: string;
  readonly description: string;
  readonly value: string | null;
  readonly onChange: (text: string | null) => void;
}) {
  return (
    <Textarea
      label={props.label}
      description={props.description}
      maxLength={1000}
      autosize
      maxRows={5}
      value={props.value ?? ''}
      onChange={(event) => props.onChange(event.currentTarget.value || null)}
    />
  );
}
