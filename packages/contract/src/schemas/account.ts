import { type Static, Type } from '@sinclair/typebox';
import { MODERATION_MODES, PLANS, ROLES, WORKSPACE_STATUSES } from '../limits.js';
import { Nullable, OneOf, Time } from './common.js';

/** A workspace as its members see it. `minutes` is what remains (decimal). */
export const Workspace = Type.Object(
  {
    _id: Type.String(),
    name: Type.String(),
    plan: OneOf(PLANS),
    status: OneOf(WORKSPACE_STATUSES),
    minutes: Type.Number(),
    allowOverlimit: Type.Boolean(),
    moderation: OneOf(MODERATION_MODES),
  },
  { $id: 'Workspace' },
);
/** See the schema of the same name. */
export type Workspace = Static<typeof Workspace>;

/** Body of PATCH /workspace; plan, status and minutes are the operator's to set. */
export const WorkspacePatch = Type.Partial(Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }));

/** Who is signed in to the console, and where. */
export const Session = Type.Object(
  {
    user: Type.Object({
      _id: Type.String(),
      email: Type.String(),
      name: Type.String(),
      operator: Type.Boolean({ description: 'Runs this installation: may use /admin.' }),
    }),
    role: OneOf(ROLES),
    workspace: Workspace,
    workspaces: Type.Array(Type.Object({ _id: Type.String(), name: Type.String(), role: OneOf(ROLES) })),
  },
  { $id: 'Session' },
);
/** See the schema of the same name. */
export type Session = Static<typeof Session>;

const password = Type.String({ minLength: 8, maxLength: 200 });
const email = Type.String({ minLength: 3, maxLength: 320, pattern: '^[^@\\s<>,;:"]+@[^@\\s<>,;:"]+$' });

/** Body of POST /session. */
export const SignIn = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 200 }),
});

/** Body of PATCH /session: another of the person's workspaces, or a new password. */
export const SessionPatch = Type.Object({
  workspaceId: Type.Optional(Type.String({ maxLength: 100 })),
  password: Type.Optional(Type.Object({ current: Type.String({ maxLength: 200 }), next: password })),
});

/** An API token; `token` itself is shown once, when it is made. */
export const Token = Type.Object(
  {
    _id: Type.String(),
    name: Type.String(),
    prefix: Type.String({ description: 'The first characters, to tell tokens apart.' }),
    workspaceId: Type.String(),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
  },
  { $id: 'Token' },
);
/** See the schema of the same name. */
export type Token = Static<typeof Token>;

/** Body of POST /tokens. */
export const TokenInput = Type.Object({ name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) });

/** Answer of POST /tokens: the only time that the token is readable. */
export const NewToken = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  token: Type.String(),
  workspaceId: Type.String(),
  createdAt: Time,
});

/** A person of the workspace. */
export const Member = Type.Object(
  { _id: Type.String(), email: Type.String(), name: Type.String(), role: OneOf(ROLES), createdAt: Time },
  { $id: 'Member' },
);
/** See the schema of the same name. */
export type Member = Static<typeof Member>;

/** Body of POST /members. A person who has no account yet gets one with this password. */
export const MemberInput = Type.Object({
  email,
  name: Type.Optional(Type.String({ maxLength: 200 })),
  role: Type.Optional(OneOf(ROLES)),
  password: Type.Optional(password),
});

/** Body of PATCH /members/{memberId}. */
export const MemberPatch = Type.Object({ role: OneOf(ROLES) });

/** One movement of minutes; `minutes` is negative for a cost. */
export const LedgerEntry = Type.Object({
  _id: Type.String(),
  kind: OneOf(['video', 'stream', 'grant']),
  subjectId: Nullable(Type.String()),
  seconds: Type.Number({ description: 'Length of what was made, before the rate.' }),
  minutes: Type.Number(),
  createdAt: Time,
});
/** See the schema of the same name. */
export type LedgerEntry = Static<typeof LedgerEntry>;

/** A video that waits for a reviewer. */
export const ModerationCase = Type.Object({
  videoId: Type.String(),
  name: Type.String(),
  userId: Type.String(),
  words: Type.Array(Type.String({ description: 'Listed words that were found.' })),
  url: Type.String(),
  thumbnail: Type.String(),
  createdAt: Time,
});
/** See the schema of the same name. */
export type ModerationCase = Static<typeof ModerationCase>;

/** Body of POST /moderation/{videoId}/reject. */
export const RejectInput = Type.Object({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })) });

/** State of one rate-limited endpoint (§8.1) for API callers of the workspace; resets are Unix seconds. */
export const RateLimitState = Type.Object({
  endpoint: Type.String({ examples: ['POST /videos/voice/{videoId}/{slideId}'] }),
  perMinute: Type.Integer(),
  perHour: Type.Integer(),
  remainingMinute: Type.Integer(),
  remainingHour: Type.Integer(),
  resetMinute: Type.Integer(),
  resetHour: Type.Integer(),
});

/** A mail that was kept because no SMTP server is configured, or that could not be sent. */
export const OutboxMail = Type.Object({
  _id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  error: Nullable(Type.String()),
  createdAt: Time,
});
