import { Type } from '@sinclair/typebox';
import { withIds } from '../route.js';
import {
  AdminHost,
  AdminQueue,
  AdminWorker,
  AdminWorkspace,
  AdminWorkspaceInput,
  AdminWorkspacePatch,
  NaturalVoice,
  PlanLimits,
} from '../schemas/admin.js';
import { Accepted, ListOf, Paging } from '../schemas/common.js';

const tag = 'Administration';
const paged = Type.Object({ ...Paging });

/** Routes for the operator of the installation, in the console: workspaces, plans, hosts, workers. */
export const adminRoutes = withIds({
  listWorkspaces: {
    method: 'GET',
    path: '/admin/workspaces',
    tag,
    summary: 'List all workspaces of the installation, newest first',
    auth: 'web',
    query: Type.Object({ ...Paging, search: Type.Optional(Type.String({ maxLength: 200 })) }),
    response: ListOf('workspaces', AdminWorkspace),
  },
  createWorkspace: {
    method: 'POST',
    path: '/admin/workspaces',
    tag,
    summary: 'Create a workspace',
    auth: 'web',
    body: AdminWorkspaceInput,
    response: AdminWorkspace,
  },
  updateAnyWorkspace: {
    method: 'PATCH',
    path: '/admin/workspaces/{workspaceId}',
    tag,
    summary: 'Change plan, status, minutes, overage and moderation of a workspace',
    auth: 'web',
    body: AdminWorkspacePatch,
    response: AdminWorkspace,
  },
  listPlans: {
    method: 'GET',
    path: '/admin/plans',
    tag,
    summary: 'List the limits of each plan',
    auth: 'web',
    query: paged,
    response: ListOf('plans', PlanLimits),
  },
  listHosts: {
    method: 'GET',
    path: '/admin/hosts',
    tag,
    summary: 'List stream hosts with their load',
    auth: 'web',
    query: paged,
    response: ListOf('hosts', AdminHost),
  },
  drainHost: {
    method: 'POST',
    path: '/admin/hosts/{hostId}/drain',
    tag,
    summary: 'Drain a host: it accepts no new streams',
    auth: 'web',
    response: Accepted,
  },
  listWorkers: {
    method: 'GET',
    path: '/admin/workers',
    tag,
    summary: 'List render workers with their load and jobs',
    auth: 'web',
    query: paged,
    response: ListOf('workers', AdminWorker),
  },
  listQueues: {
    method: 'GET',
    path: '/admin/queues',
    tag,
    summary: 'List queues with their waiting and running jobs',
    auth: 'web',
    query: paged,
    response: ListOf('queues', AdminQueue),
  },
  listNaturalVoices: {
    method: 'GET',
    path: '/admin/voices',
    tag,
    summary: 'List the natural voices that can be added to this machine, with their progress',
    auth: 'web',
    query: paged,
    response: ListOf('voices', NaturalVoice),
  },
  addNaturalVoice: {
    method: 'POST',
    path: '/admin/voices/{name}',
    tag,
    summary: 'Add a natural voice: accepts its licence and starts or continues the download',
    auth: 'web',
    response: NaturalVoice,
  },
});
