import type { ConversationAgent } from '@figurehead/sdk';
import { Avatar, Button, Card, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation } from 'wouter';
import { useAll, useApi } from '../../api/client.js';
import { useServerForm } from '../../api/form.js';
import { formatWhen } from '../../lib/format.js';
import { SubmitButton } from '../../shell/action-buttons.js';
import { IconMessages, IconPlus } from '../../shell/icons.js';
import { Page } from '../../shell/page.js';
import { Empty, Loaded } from '../../shell/states.js';
import { usePresenter } from './use-presenter.js';

/** Agents: presenters that hold conversations. */
export default function Agents() {
  const [opened, { open, close }] = useDisclosure(false);
  const agents = useAll(['agents'], (api, call) => api.listAgents({ query: { limit: 100 } }, call));
  const button = (
    <Button leftSection={<IconPlus size={18} />} onClick={open}>
      New agent
    </Button>
  );
  return (
    <Page
      title="Agents"
      about="Presenters that listen to visitors of your page and answer them with a language model."
      actions={button}
    >
      <Loaded query={agents}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={<IconMessages />} title="No agents yet" action={button}>
              Describe who it is and what it knows, then talk to it here before your visitors do.
            </Empty>
          ) : (
            <div className="fh-tiles">
              {list.map((agent) => (
                <AgentCard key={agent._id} agent={agent} />
              ))}
            </div>
          )
        }
      </Loaded>
      <Modal opened={opened} onClose={close} title="New agent" size="lg">
        <NewAgent />
      </Modal>
    </Page>
  );
}

function AgentCard({ agent }: { readonly agent: ConversationAgent }) {
  const presenter = usePresenter(agent);
  return (
    <Card pos="relative">
      <Group wrap="nowrap" gap="sm">
        <Avatar src={presenter?.thumbnail ?? null} size={48} alt="" />
        <div style={{ minWidth: 0 }}>
          <Text component="h2" fw={600} lineClamp={2}>
            <Link className="fh-cover-link" href={`/agents/${agent._id}`}>
              {agent.name}
            </Link>
          </Text>
          <Text size="sm" c="dimmed">
            Changed {formatWhen(agent.updatedAt)}
          </Text>
        </div>
      </Group>
      <Text size="sm" lineClamp={3} mt="sm">
        {agent.prompt}
      </Text>
    </Card>
  );
}

function NewAgent() {
  const api = useApi();
  const [, go] = useLocation();
  const form = useServerForm(
    { name: '', prompt: '' },
    ({ name, prompt }) => api.createAgent({ body: { name: name.trim(), prompt: prompt.trim() } }),
    { keep: 'new-agent', changes: [['agents']], onDone: (agent) => go(`/agents/${agent._id}`) },
  );
  const { name, prompt } = form.values;
  return (
    <form onSubmit={form.send}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={200}
          placeholder="Museum guide"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Textarea
          label="Prompt"
          description="Who it is, what it knows, and how it answers. Visitors do not see it."
          required
          maxLength={20_000}
          minRows={5}
          maxRows={14}
          placeholder="You are the guide of a museum. Tickets cost nine euros. Answer in two sentences."
          {...form.getInputProps('prompt')}
        />
        <SubmitButton form={form} disabled={!name.trim() || !prompt.trim()}>
          Create agent
        </SubmitButton>
      </Stack>
    </form>
  );
}
