import type { ConversationAgent, ConversationSummary } from '@figurehead/sdk';
import { ActionIcon, Button, Card, Group, Modal, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction, useApi } from '../../api/client.js';
import { confirmLoss } from '../../lib/confirm.js';
import { count, formatDuration, formatTime } from '../../lib/format.js';
import { IconMessages, IconTrash } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Empty, Loaded } from '../../shell/states.js';
import { Transcript } from './transcript.js';

const LIMIT = 25;

/** Kept transcripts of an agent, newest first. */
export function Conversations({ agent }: { readonly agent: ConversationAgent }) {
  const api = useApi();
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<ConversationSummary>();
  const conversations = useQuery({
    queryKey: ['conversations', agent._id, page],
    queryFn: ({ signal }) => api.listConversations({ agentId: agent._id, query: { page, limit: LIMIT } }, { signal }),
  });
  return (
    <>
      <Loaded query={conversations}>
        {(list) =>
          list.total === 0 ? (
            <Empty icon={<IconMessages />} title="No transcripts yet">
              {agent.transcriptDays === 0
                ? 'This agent keeps none: see the days under “Settings”.'
                : `What visitors and the agent say is kept for ${count(agent.transcriptDays, 'day')}, never its sound.`}
            </Empty>
          ) : (
            <>
              <Card padding={0}>
                <Table.ScrollContainer
                  minWidth={460}
                  className="fh-stacks"
                  scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Conversations' } }}
                >
                  <Table verticalSpacing="sm" horizontalSpacing="md">
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th>Started</Table.Th>
                        <Table.Th ta="right">Length</Table.Th>
                        <Table.Th ta="right">Turns</Table.Th>
                        <Table.Th w={130}>Actions</Table.Th>
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {list.conversations.map((one) => (
                        <Row key={one._id} conversation={one} onOpen={() => setOpened(one)} />
                      ))}
                    </Table.Tbody>
                  </Table>
                </Table.ScrollContainer>
              </Card>
              <ListPages total={list.total} limit={LIMIT} page={page} onChange={setPage} />
            </>
          )
        }
      </Loaded>
      <Modal
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened && formatTime(opened.startedAt)}
        size="lg"
      >
        {opened && <Kept agent={agent} conversationId={opened._id} />}
      </Modal>
    </>
  );
}

function Row({ conversation, onOpen }: { readonly conversation: ConversationSummary; readonly onOpen: () => void }) {
  const { _id: conversationId, agentId, startedAt, endedAt, turns } = conversation;
  const api = useApi();
  const remove = useAction(() => api.deleteConversation({ agentId, conversationId }), {
    changes: [['conversations', agentId]],
    done: 'The transcript was deleted.',
  });
  const started = formatTime(startedAt);
  return (
    <Table.Tr>
      <Table.Td data-main>{started}</Table.Td>
      <Table.Td ta="right" data-label="Length">
        {endedAt === null ? 'Open' : formatDuration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)}
      </Table.Td>
      <Table.Td ta="right" data-label="Turns">
        {turns}
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          <Button size="compact-sm" variant="default" aria-label={`Read the transcript of ${started}`} onClick={onOpen}>
            Read
          </Button>
          <ActionIcon
            aria-label={`Delete the transcript of ${started}`}
            loading={remove.isPending}
            onClick={() => confirmLoss(`Delete the transcript of ${started}?`) && remove.mutate()}
          >
            <IconTrash size={17} />
          </ActionIcon>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function Kept({ agent, conversationId }: { readonly agent: ConversationAgent; readonly conversationId: string }) {
  const api = useApi();
  const conversation = useQuery({
    queryKey: ['conversations', agent._id, 'one', conversationId],
    queryFn: ({ signal }) => api.readConversation({ agentId: agent._id, conversationId }, { signal }),
  });
  return (
    <Loaded query={conversation}>
      {({ turns }) => <Transcript turns={turns} agent={agent.name} viewer="Visitor" empty="Nothing was said." />}
    </Loaded>
  );
}
