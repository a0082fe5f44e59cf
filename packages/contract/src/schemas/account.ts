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
export type Workspace = Static<typeof Workspace>;

/** Body of PATCH /workspace; only an operator can set plan, status and minutes. */
export const WorkspacePatch = Type.Partial(Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }));

/** The signed-in user with the current workspace. */
export const Session = Type.Object(
  {
    user: Type.Object({
      _id: Type.String(),
      email: Type.String(),
      name: Type.String(),
      operator: Type.Boolean({ description: 'Administrator of this server: can use /admin.' }),
    }),
    role: OneOf(ROLES),
    workspace: Workspace,
    workspaces: Type.Array(Type.Object({ _id: Type.String(), name: Type.String(), role: OneOf(ROLES) })),
  },
  { $id: 'Session' },
);
export type Session = Static<typeof Session>;

const password = Type.String({ minLength: 8, maxLength: 200 });
const email = Type.String({ minLength: 3, maxLength: 320, pattern: '^[^@\\s<>,;:"]+@[^@\\s<>,;:"]+$' });

/** Body of POST /session. */
export const SignIn = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 200 }),
});

/** Body of PATCH /session: switch to another workspace of the user, or set a new password. */
export const SessionPatch = Type.Object({
  workspaceId: Type.Optional(Type.String({ maxLength: 100 })),
  password: Type.Optional(Type.Object({ current: Type.String({ maxLength: 200 }), next: password })),
});

/** An API token; the `token` itself is only shown when it is created. */
export const Token = Type.Object(
  {
    _id: Type.String(),
    name: Type.String(),
    prefix: Type.String({ description: 'The first characters, to recognise the token.' }),
    workspaceId: Type.String(),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
  },
  { $id: 'Token' },
);
export type Token = Static<typeof Token>;

/** Body of POST /tokens. */
export const TokenInput = Type.Object({ name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) });

/** Answer of POST /tokens: the only answer that contains the token. */
export const NewToken = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  token: Type.String(),
  workspaceId: Type.String(),
  createdAt: Time,
});

/** A member of the workspace. */
export const Member = Type.Object(
  { _id: Type.String(), email: Type.String(), name: Type.String(), role: OneOf(ROLES), createdAt: Time },
  { $id: 'Member' },
);
export type Member = Static<typeof Member>;

/** Body of POST /members. A user without an account gets one with this password. */
export const MemberInput = Type.Object({
  email,
  name: Type.Optional(Type.String({ maxLength: 200 })),
  role: Type.Optional(OneOf(ROLES)),
  password: Type.Optional(password),
});

/** Body of PATCH /members/{memberId}. */
export const MemberPatch = Type.Object({ role: OneOf(ROLES) });

/** One change of the balance; `minutes` is negative for a cost. */
export const LedgerEntry = Type.Object({
  _id: Type.String(),
  kind: OneOf(['video', 'stream', 'grant']),
  subjectId: Nullable(Type.String()),
  seconds: Type.Number({ description: 'Length of the video or stream, before the rate is applied.' }),
  minutes: Type.Number(),
  createdAt: Time,
});
export type LedgerEntry = Static<typeof LedgerEntry>;

/** A video waiting for review. */
export const ModerationCase = Type.Object({
  videoId: Type.String(),
  name: Type.String(),
  userId: Type.String(),
  words: Type.Array(Type.String({ description: 'Moderation words found in the video.' })),
  url: Type.String(),
  thumbnail: Type.String(),
  createdAt: Time,
});
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

/** An email that was stored because no SMTP server is configured or it could not be sent. */
export const OutboxMail = Type.Object({
  _id: Type.String(),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  error: Nullable(Type.String()),
  createdAt: Time,
});
