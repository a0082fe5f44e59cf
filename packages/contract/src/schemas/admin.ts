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
      videos: Type.Integer({ minimum: 0, description: 'Number of videos, including templates, without deleted ones.' }),
      openStreams: Type.Integer({ minimum: 0 }),
      createdAt: Time,
    }),
  ],
  { $id: 'AdminWorkspace' },
);
export type AdminWorkspace = Static<typeof AdminWorkspace>;

const settable = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  plan: OneOf(PLANS),
  status: OneOf(WORKSPACE_STATUSES),
  minutes: Type.Number({ minimum: -1_000_000, maximum: 1_000_000_000 }),
  allowOverlimit: Type.Boolean(),
  moderation: OneOf(MODERATION_MODES),
};

/** Body of POST /admin/workspaces. The user who creates it becomes its owner. */
export const AdminWorkspaceInput = Type.Composite([
  Type.Object({ name: settable.name }),
  Type.Partial(Type.Omit(Type.Object(settable), ['name'])),
]);
export type AdminWorkspaceInput = Static<typeof AdminWorkspaceInput>;

/** Body of PATCH /admin/workspaces/{workspaceId}. */
export const AdminWorkspacePatch = Type.Partial(Type.Object(settable));
export type AdminWorkspacePatch = Static<typeof AdminWorkspacePatch>;

/** Limits of a plan (§8); null is unlimited. */
export const PlanLimits = Type.Object({
  plan: OneOf(PLANS),
  api: Type.Boolean({ description: 'Whether API tokens can be used.' }),
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
    open: Type.Integer({ description: 'Number of open streams.' }),
    draining: Type.Boolean(),
    engines: Type.Array(Type.String()),
    version: Type.String(),
    startedAt: Time,
    heartbeatAt: Time,
  },
  { $id: 'AdminHost' },
);
export type AdminHost = Static<typeof AdminHost>;

/** A process that renders videos. */
export const AdminWorker = Type.Object(
  {
    id: Type.String(),
    machine: Type.String(),
    version: Type.String(),
    threads: Type.Integer(),
    load: Type.Number({ minimum: 0, description: 'Processor use since the last heartbeat; 1 is all processors.' }),
    memory: Type.Integer({ description: 'Resident bytes.' }),
    jobs: Type.Array(Type.Object({ kind: Type.String(), subjectId: Nullable(Type.String()), startedAt: Time })),
    startedAt: Time,
    heartbeatAt: Time,
  },
  { $id: 'AdminWorker' },
);
export type AdminWorker = Static<typeof AdminWorker>;

/** Jobs of one queue: how many wait and run, and how long the oldest waits (seconds). */
export const AdminQueue = Type.Object({
  name: Type.String(),
  waiting: Type.Integer(),
  running: Type.Integer(),
  oldestWaitingSeconds: Nullable(Type.Number()),
});
export type AdminQueue = Static<typeof AdminQueue>;

/** A natural voice that can be installed on this machine, or is installed. */
export const NaturalVoice = Type.Object(
  {
    name: Type.String({ examples: ['kokoro'] }),
    title: Type.String(),
    languages: Type.Array(Type.String()),
    voices: Type.Integer({ minimum: 0, description: 'Number of voices in it; 0 for a model that clones voices.' }),
    licence: Type.String({ description: 'SPDX identifier.' }),
    licenceUrl: Type.String(),
    samples: Type.String({ description: 'Page on which it can be heard.' }),
    bytes: Type.Integer({ description: 'Of the download.' }),
    engineBytes: Type.Optional(
      Type.Integer({ description: 'The part of them for the engine sherpa-onnx, while no voice has brought it.' }),
    ),
    state: OneOf(['available', 'installing', 'installed']),
    received: Type.Integer({
      minimum: 0,
      description: 'Downloaded bytes; an interrupted download continues after them.',
    }),
    error: Type.Optional(Type.String({ description: 'Why the last attempt failed, as a sentence.' })),
    missing: Type.Optional(Type.String({ description: 'Why it cannot speak on this machine, as a sentence.' })),
  },
  { $id: 'NaturalVoice' },
);
export type NaturalVoice = Static<typeof NaturalVoice>;

export const VoiceUpload = Type.Object({
  description: Type.String({ minLength: 2, maxLength: 100_000, description: 'Content of its .onnx.json file.' }),
});
export const UploadedVoice = Type.Object({
  voice: Type.String({ examples: ['en_US-norman-medium'] }),
  voiceProvider: Type.Literal('piper'),
});
