import type { ConversationAgent } from '@figurehead/sdk';
import { useLocation } from 'wouter';
import { useAction, useApi, useRead } from '../../api/client.js';
import { ActButton } from '../../shell/action-buttons.js';
import { IconTrash } from '../../shell/icons.js';
import { PageSnippet } from '../../shell/live/page-snippet.js';
import { Page } from '../../shell/page.js';
import { Loaded } from '../../shell/states.js';
import { TabPages } from '../../shell/tab-pages.js';
import { AgentSettingsForm } from './agent-settings.js';
import { Conversations } from './conversations.js';
import { Talk } from './talk.js';
import { usePresenter } from './use-presenter.js';

/** One agent: a conversation with it, its settings, its kept transcripts, and how it gets onto a page. */
export default function AgentPage({ agentId }: { readonly agentId: string }) {
  const agent = useRead(['agent', agentId], (api, call) => api.readAgent({ agentId }, call));
  return (
    <Loaded query={agent} height={420}>
      {(data) => <Whole agent={data} />}
    </Loaded>
  );
}

function Whole({ agent }: { readonly agent: ConversationAgent }) {
  const api = useApi();
  const [, go] = useLocation();
  const avatar = usePresenter(agent);
  const remove = useAction(() => api.deleteAgent({ agentId: agent._id }), {
    changes: [['agents']],
    done: 'The agent was deleted.',
    onDone: () => go('/agents'),
  });
  return (
    <Page
      title={agent.name}
      from={{ href: '/agents', list: 'Agents' }}
      actions={
        <ActButton
          act={remove}
          question={`Delete the agent “${agent.name}” and its transcripts? Pages with it stop working.`}
          variant="default"
          leftSection={<IconTrash size={17} />}
        >
          Delete
        </ActButton>
      }
    >
      <TabPages
        tabs={[
          { value: 'talk', name: 'Talk', panel: <Talk agent={agent} /> },
          { value: 'settings', name: 'Settings', panel: <AgentSettingsForm agent={agent} /> },
          { value: 'transcripts', name: 'Transcripts', panel: <Conversations agent={agent} /> },
          {
            value: 'page',
            name: 'On your page',
            panel: <PageSnippet avatarCode={avatar?.code ?? null} agentId={agent._id} />,
          },
        ]}
      />
    </Page>
  );
}
