import { AuthenticationError, type Figurehead, FigureheadError } from '@figurehead/sdk';
import { Box, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ApiContext, describeError, useSession } from './api/client.js';
import { late } from './lib/late.js';
import { tell } from './lib/notices.js';
import { SignIn } from './screens/sign-in/sign-in.js';
import { Videos } from './screens/videos/videos.js';
import { Boundary } from './shell/boundary.js';
import { Shell } from './shell/shell.js';
import { Failure, NotFound, Waiting } from './shell/states.js';
import { resolveVariables, theme } from './theme.js';

// Most visits start with the list of videos; every other screen is loaded when it is opened.
const VideoPage = late(() => import('./screens/video/video-page.js'));
const Editor = late(() => import('./screens/editor/editor.js'));
const Templates = late(() => import('./screens/templates/templates.js'));
const Batch = late(() => import('./screens/templates/batch.js'));
const Import = late(() => import('./screens/import/import.js'));
const Outlines = late(() => import('./screens/outlines/outlines.js'));
const OutlinePage = late(() => import('./screens/outlines/outline-page.js'));
const Presenters = late(() => import('./screens/presenters/presenters.js'));
const Voices = late(() => import('./screens/voices/voices.js'));
const Library = late(() => import('./screens/library/library.js'));
const Live = late(() => import('./screens/live/live.js'));
const Agents = late(() => import('./screens/agents/agents.js'));
const AgentPage = late(() => import('./screens/agents/agent-page.js'));
const BatchPage = late(() => import('./screens/batches/batch-page.js'));
const ApiSettings = late(() => import('./screens/api/api-settings.js'));
const Usage = late(() => import('./screens/usage/usage.js'));
const Settings = late(() => import('./screens/settings/settings.js'));
const Admin = late(() => import('./screens/admin/admin.js'));

/** The whole application. `nonce` is required by the page's content policy for styles. */
export function App({ api, nonce }: { readonly api: Figurehead; readonly nonce: string }) {
  const [queries] = useState(createQueries);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolveVariables}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <ApiContext value={api}>
          <Notifications position="top-center" autoClose={5000} />
          <Boundary>
            <Entrance />
          </Boundary>
        </ApiContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function createQueries(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        // The session expired, or was ended elsewhere: shows the sign-in page.
        if (error instanceof AuthenticationError) client.setQueryData(['session'], null);
        // The screen shows what it has, so a notice says that it is old.
        else if (query.state.data !== undefined && isOutage(error))
          tell({ id: 'stale', failed: 'This page could not be updated', message: describeError(error) });
      },
    }),
    defaultOptions: {
      // A browser that is offline reaches the server of its own machine.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5000,
        retry: (failures, error) => failures < 2 && isOutage(error),
      },
    },
  });
  return client;
}

/** Whether the server did not answer, or failed. */
function isOutage(error: Error): boolean {
  return error instanceof FigureheadError && (error.status === 0 || error.status >= 500);
}

function Entrance() {
  const session = useSession();
  // Another screen is not affected by an error of this one.
  const [path] = useLocation();
  if (session.isPending) return <Waiting whole />;
  if (session.isError)
    return (
      <Box p="md">
        <Failure error={session.error} retry={() => void session.refetch()} />
      </Box>
    );
  if (session.data === null) return <SignIn />;
  return (
    <Shell session={session.data}>
      <Boundary key={path}>
        <Suspense fallback={<Waiting whole />}>
          <Switch>
            <Route path="/">
              <Redirect to="/videos" replace />
            </Route>
            <Route path="/videos" component={Videos} />
            <Route path="/videos/:videoId">{({ videoId }) => <VideoPage key={videoId} videoId={videoId} />}</Route>
            <Route path="/videos/:videoId/edit">{({ videoId }) => <Editor key={videoId} videoId={videoId} />}</Route>
            <Route path="/templates" component={Templates} />
            <Route path="/templates/:videoId">{({ videoId }) => <Batch key={videoId} videoId={videoId} />}</Route>
            <Route path="/batches/:requestId">
              {({ requestId }) => <BatchPage key={requestId} requestId={requestId} />}
            </Route>
            <Route path="/import" component={Import} />
            <Route path="/outlines" component={Outlines} />
            <Route path="/outlines/:outlineId">
              {({ outlineId }) => <OutlinePage key={outlineId} outlineId={outlineId} />}
            </Route>
            <Route path="/presenters" component={Presenters} />
            <Route path="/voices" component={Voices} />
            <Route path="/library" component={Library} />
            <Route path="/live" component={Live} />
            <Route path="/agents" component={Agents} />
            <Route path="/agents/:agentId">{({ agentId }) => <AgentPage key={agentId} agentId={agentId} />}</Route>
            <Route path="/api" component={ApiSettings} />
            <Route path="/usage" component={Usage} />
            <Route path="/settings" component={Settings} />
            <Route path="/admin" component={Admin} />
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
    </Shell>
  );
}
