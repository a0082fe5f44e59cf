import type { ConversationAgent, ConversationSummary } from '@figurehead/sdk';
import { Button, Card, Group, Modal } from '@mantine/core';
import { useState } from 'react';
import { useAction, useApi, useRead } from '../../api/client.js';
import { count, formatDuration, formatTime } from '../../lib/format.js';
import { DeleteIcon } from '../../shell/action-buttons.js';
import { DataTable } from '../../shell/data-table.js';
import { IconMessages } from '../../shell/icons.js';
import { ListPages } from '../../shell/list-pages.js';
import { Empty, Loaded } from '../../shell/states.js';
import { Transcript } from './transcript.js';

const LIMIT = 25;

/** Kept transcripts of an agent, newest first. */
export function Conversations({ agent }: { readonly agent: ConversationAgent }) {
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<ConversationSummary>();
  const conversations = useRead(['conversations', agent._id, page], (api, call) =>
    api.listConversations({ agentId: agent._id, query: { page, limit: LIMIT } }, call),
  );
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
                <DataTable
                  label="Conversations"
                  minWidth={460}
                  rows={list.conversations}
                  keyOf={({ _id }) => _id}
                  columns={[
                    { title: 'Started', narrow: 'main', cell: ({ startedAt }) => formatTime(startedAt) },
                    { title: 'Length', right: true, narrow: 'labelled', cell: lengthOf },
                    { title: 'Turns', right: true, narrow: 'labelled', cell: ({ turns }) => turns },
                    {
                      title: 'Actions',
                      width: 130,
                      cell: (one) => <Actions conversation={one} onOpen={() => setOpened(one)} />,
                    },
                  ]}
                />
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

function lengthOf({ startedAt, endedAt }: ConversationSummary): string {
  return endedAt === null ? 'Open' : formatDuration((Date.parse(endedAt) - Date.parse(startedAt)) / 1000);
}

function Actions(props: { readonly conversation: ConversationSummary; readonly onOpen: () => void }) {
  const { _id, agentId, startedAt } = props.conversation;
  const api = useApi();
  const remove = useAction((conversationId: string) => api.deleteConversation({ agentId, conversationId }), {
    changes: [['conversations', agentId]],
    done: 'The transcript was deleted.',
  });
  const name = `the transcript of ${formatTime(startedAt)}`;
  return (
    <Group gap={6} wrap="nowrap">
      <Button size="compact-sm" variant="default" aria-label={`Read ${name}`} onClick={props.onOpen}>
        Read
      </Button>
      <DeleteIcon label={`Delete ${name}`} question={`Delete ${name}?`} act={remove} id={_id} />
    </Group>
  );
}

function Kept({ agent, conversationId }: { readonly agent: ConversationAgent; readonly conversationId: string }) {
  const conversation = useRead(['conversations', agent._id, 'one', conversationId], (api, call) =>
    api.readConversation({ agentId: agent._id, conversationId }, call),
  );
  return (
    <Loaded query={conversation}>
      {({ turns }) => <Transcript turns={turns} agent={agent.name} viewer="Visitor" empty="Nothing was said." />}
    </Loaded>
  );
}
