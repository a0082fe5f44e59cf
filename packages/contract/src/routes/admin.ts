import { Type } from '@sinclair/typebox';
import { routesOf } from '../route.js';
import {
  AdminHost,
  AdminQueue,
  AdminWorker,
  AdminWorkspace,
  AdminWorkspaceInput,
  AdminWorkspacePatch,
  NaturalVoice,
  PlanLimits,
  UploadedVoice,
  VoiceUpload,
} from '../schemas/admin.js';
import { Accepted, ListOf, Paged, Paging } from '../schemas/common.js';

/** Routes for the operator of the installation, in the console: workspaces, plans, hosts, workers. */
export const adminRoutes = routesOf('Administration', {
  listWorkspaces: {
    summary: 'List all workspaces of the installation, newest first',
    auth: 'web',
    query: Type.Object({ ...Paging, search: Type.Optional(Type.String({ maxLength: 200 })) }),
    response: ListOf('workspaces', AdminWorkspace),
  },
  createWorkspace: {
    summary: 'Create a workspace',
    auth: 'web',
    body: AdminWorkspaceInput,
    response: AdminWorkspace,
  },
  updateAnyWorkspace: {
    summary: 'Change plan, status, minutes, overage and moderation of a workspace',
    auth: 'web',
    body: AdminWorkspacePatch,
    response: AdminWorkspace,
  },
  listPlans: {
    summary: 'List the limits of each plan',
    auth: 'web',
    query: Paged,
    response: ListOf('plans', PlanLimits),
  },
  listHosts: {
    summary: 'List stream hosts with their load',
    auth: 'web',
    query: Paged,
    response: ListOf('hosts', AdminHost),
  },
  drainHost: { summary: 'Drain a host: it accepts no new streams', auth: 'web', response: Accepted },
  listWorkers: {
    summary: 'List render workers with their load and jobs',
    auth: 'web',
    query: Paged,
    response: ListOf('workers', AdminWorker),
  },
  listQueues: {
    summary: 'List queues with their waiting and running jobs',
    auth: 'web',
    query: Paged,
    response: ListOf('queues', AdminQueue),
  },
  listNaturalVoices: {
    summary: 'List the natural voices that can be added to this machine, with their progress',
    auth: 'web',
    query: Paged,
    response: ListOf('voices', NaturalVoice),
  },
  addNaturalVoice: {
    summary: 'Add a natural voice: accepts its licence and starts or continues the download',
    auth: 'web',
    response: NaturalVoice,
  },
  uploadVoice: {
    summary: 'Add a Piper voice from its two files',
    auth: 'web',
    multipart: { fields: VoiceUpload, file: 'The .onnx file of a Piper voice, under the name of the voice.' },
    response: UploadedVoice,
  },
});
