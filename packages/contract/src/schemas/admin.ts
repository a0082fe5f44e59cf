import { type Static, Type } from '@sinclair/typebox';
import { MODERATION_MODES, PLANS, WORKSPACE_STATUSES } from '../limits.js';
import { Workspace } from './account.js';
import { Nullable, OneOf, Time } from './common.js';

/** A workspace as the operator of the installation sees it. */
export const AdminWorkspace = Type.Composite(
  [
    Workspace,
    Type.Object({
      members: Type.Integer({ minimum: 0 }),
      videos: Type.Integer({ minimum: 0, description: 'Not deleted, templates included.' }),
      openStreams: Type.Integer({ minimum: 0 }),
      createdAt: Time,
    }),
  ],
  { $id: 'AdminWorkspace' },
);
/** See the schema of the same name. */
export type AdminWorkspace = Static<typeof AdminWorkspace>;

const settable = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  plan: OneOf(PLANS),
  status: OneOf(WORKSPACE_STATUSES),
  minutes: Type.Number({ minimum: -1_000_000, maximum: 1_000_000_000 }),
  allowOverlimit: Type.Boolean(),
  moderation: OneOf(MODERATION_MODES),
};

/** Body of POST /admin/workspaces. The person who makes it becomes its owner. */
export const AdminWorkspaceInput = Type.Composite([
  Type.Object({ name: settable.name }),
  Type.Partial(Type.Omit(Type.Object(settable), ['name'])),
]);
/** See the schema of the same name. */
export type AdminWorkspaceInput = Static<typeof AdminWorkspaceInput>;

/** Body of PATCH /admin/workspaces/{workspaceId}. */
export const AdminWorkspacePatch = Type.Partial(Type.Object(settable));
/** See the schema of the same name. */
export type AdminWorkspacePatch = Static<typeof AdminWorkspacePatch>;

/** What a plan allows (§8); null is without a limit. */
export const PlanLimits = Type.Object({
  plan: OneOf(PLANS),
  api: Type.Boolean({ description: 'May be used with API tokens.' }),
  videos: Nullable(Type.Integer()),
  folders: Nullable(Type.Integer()),
  media: Nullable(Type.Integer()),
  fonts: Nullable(Type.Integer()),
  uploadFolders: Nullable(Type.Integer()),
  renderedSlides: Type.Integer(),
});

/** A process that hosts live streams. */
export const AdminHost = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    capacity: Type.Integer(),
    open: Type.Integer({ description: 'Streams that it carries now.' }),
    draining: Type.Boolean(),
    engines: Type.Array(Type.String()),
    version: Type.String(),
    startedAt: Time,
    heartbeatAt: Time,
  },
  { $id: 'AdminHost' },
);
/** See the schema of the same name. */
export type AdminHost = Static<typeof AdminHost>;

/** A process that renders videos. */
export const AdminWorker = Type.Object(
  {
    id: Type.String(),
    machine: Type.String(),
    version: Type.String(),
    threads: Type.Integer(),
    load: Type.Number({ minimum: 0, description: 'Share of its processors in use over the last beat, 1 is all.' }),
    memory: Type.Integer({ description: 'Resident bytes.' }),
    jobs: Type.Array(Type.Object({ kind: Type.String(), subjectId: Nullable(Type.String()), startedAt: Time })),
    startedAt: Time,
    heartbeatAt: Time,
  },
  { $id: 'AdminWorker' },
);
/** See the schema of the same name. */
export type AdminWorker = Static<typeof AdminWorker>;

/** Jobs of one queue: how many wait and run, and how long the oldest waits (seconds). */
export const AdminQueue = Type.Object({
  name: Type.String(),
  waiting: Type.Integer(),
  running: Type.Integer(),
  oldestWaitingSeconds: Nullable(Type.Number()),
});
/** See the schema of the same name. */
export type AdminQueue = Static<typeof AdminQueue>;
