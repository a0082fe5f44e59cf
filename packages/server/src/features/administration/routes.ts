import {
  effectiveColumn,
  FREE_RENDERED_SLIDES,
  MAX_SLIDES,
  PLANS,
  type Plan,
  QUOTAS,
  UPLOAD_FOLDER_CAPS,
} from '@figurehead/contract';
import type { Kernel } from '../../kernel/contract.js';
import { pageOf } from '../../kernel/database/page.js';
import { ApiError, requireFound } from '../../kernel/errors.js';
import type { Caller, Http } from '../../kernel/http/contract.js';
import { drainHost, listHosts } from '../streams/index.js';
import { createNaturalVoices, uploadPiperVoice } from '../voices/index.js';
import {
  changeWorkspace,
  describeHosts,
  describeWorkers,
  findWorkspaces,
  loadWorkspace,
  makeWorkspace,
} from './administration.js';

/** Serves the console pages of administrators. Other callers get 403, after 404 for missing resources. */
export function bindAdministration(http: Http, kernel: Kernel): void {
  bindWorkspaceAdministration(http, kernel);
  bindNaturalVoices(http, kernel);
  http.bind('listPlans', {
    check: requireOperator,
    handle: async ({ query }) => pageOf('plans', PLANS.map(limitsOf), query),
  });
  http.bind('listHosts', {
    check: requireOperator,
    handle: async ({ query }) => pageOf('hosts', await describeHosts(kernel), query),
  });
  http.bind('drainHost', {
    resource: async ({ params }) =>
      requireFound(
        (await listHosts(kernel)).find(({ id }) => id === params.hostId),
        'host',
      ),
    check: requireOperator,
    handle: async ({ resource }) => {
      await drainHost(kernel, resource.id);
      return { accepted: true };
    },
  });
  http.bind('listWorkers', {
    check: requireOperator,
    handle: async ({ query }) => pageOf('workers', await describeWorkers(kernel), query),
  });
  http.bind('listQueues', {
    check: requireOperator,
    handle: async ({ query }) => pageOf('queues', await kernel.queue.overview(), query),
  });
}

function bindNaturalVoices(http: Http, kernel: Kernel): void {
  const voices = createNaturalVoices(kernel);
  voices
    .addFirst(Intl.DateTimeFormat().resolvedOptions().locale)
    .catch((error: unknown) => kernel.log.warn({ err: error }, 'a natural voice could not be added'));
  http.bind('listNaturalVoices', {
    check: requireOperator,
    handle: async ({ query }) => pageOf('voices', await voices.list(), query),
  });
  http.bind('addNaturalVoice', {
    resource: async ({ params }) => requireFound(voices.find(params.name), 'voice'),
    check: requireOperator,
    handle: ({ resource }) => voices.add(resource),
  });
  http.bind('uploadVoice', {
    check: requireOperator,
    handle: async ({ file, body }) => ({
      voice: await uploadPiperVoice(kernel, file, body.description),
      voiceProvider: 'piper' as const,
    }),
  });
}

function bindWorkspaceAdministration(http: Http, kernel: Kernel): void {
  http.bind('listWorkspaces', {
    check: requireOperator,
    handle: ({ query }) => findWorkspaces(kernel, query),
  });
  http.bind('createWorkspace', {
    check: requireOperator,
    handle: ({ caller, body }) => makeWorkspace(kernel, caller.userId, body),
  });
  http.bind('updateAnyWorkspace', {
    resource: ({ params }) => loadWorkspace(kernel, params.workspaceId),
    check: requireOperator,
    handle: ({ resource, body }) => changeWorkspace(kernel, resource._id, body),
  });
}

function requireOperator({ caller }: { caller: Caller }): void {
  if (caller.operator !== true) throw new ApiError('operatorOnly');
}

function limitsOf(plan: Plan) {
  const column = effectiveColumn(plan, plan === 'Free' ? 'free' : 'active');
  const quota = (entity: keyof typeof QUOTAS) => (column === undefined ? null : QUOTAS[entity][column]);
  return {
    plan,
    api: plan !== 'Unlimited',
    videos: quota('videos'),
    folders: quota('folders'),
    media: quota('media'),
    fonts: quota('fonts'),
    uploadFolders: column === undefined ? null : UPLOAD_FOLDER_CAPS[column],
    renderedSlides: column === 'Free' ? FREE_RENDERED_SLIDES : MAX_SLIDES,
  };
}
