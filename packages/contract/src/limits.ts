/** Plans of a workspace. `Corporate` and `Platinum` are legacy and have no quotas; `Unlimited` cannot use the API (§5). */
export const PLANS = ['Free', 'Creator', 'Team', 'Enterprise', 'Corporate', 'Platinum', 'Unlimited'] as const;
export type Plan = (typeof PLANS)[number];

export const WORKSPACE_STATUSES = ['free', 'trial', 'active', 'cancelled'] as const;
export type WorkspaceStatus = (typeof WORKSPACE_STATUSES)[number];

/** Which finished videos need a review: none, those with a listed word, or all. */
export const MODERATION_MODES = ['off', 'flagged', 'all'] as const;
export type ModerationMode = (typeof MODERATION_MODES)[number];

/** Roles of a member of a workspace; an owner manages members, a reviewer also decides on moderated videos. */
export const ROLES = ['owner', 'reviewer', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** Entities with a rolling creation quota (§8.2). Templates count as videos. */
export const QUOTA_ENTITIES = ['videos', 'folders', 'media', 'fonts'] as const;
export type QuotaEntity = (typeof QUOTA_ENTITIES)[number];

/** Length of the rolling quota window, seconds (8 hours, §8.2). */
export const QUOTA_WINDOW_SECONDS = 8 * 3600;

type Column = 'Free' | 'Creator' | 'Team' | 'Enterprise';

/** Creations allowed per window, by entity and effective column (§8.2). */
export const QUOTAS: Readonly<Record<QuotaEntity, Readonly<Record<Column, number>>>> = {
  videos: { Free: 50, Creator: 1000, Team: 1000, Enterprise: 6000 },
  folders: { Free: 10, Creator: 100, Team: 100, Enterprise: 100 },
  media: { Free: 200, Creator: 1000, Team: 1000, Enterprise: 1000 },
  fonts: { Free: 10, Creator: 100, Team: 100, Enterprise: 100 },
};

/** Upload folders a workspace may hold (§8.3); `null` is unlimited. */
export const UPLOAD_FOLDER_CAPS: Readonly<Record<Column, number | null>> = {
  Free: 5,
  Creator: 5,
  Team: 20,
  Enterprise: null,
};

/**
 * The column of §8.2 and §8.3 that applies to a workspace: Free exactly if its status is `free`, otherwise that of its
 * plan; `undefined` for plans without an entry, which are unlimited. A workspace on the Free plan that is not `free`
 * keeps the Free column, which is the column of its plan.
 */
export function effectiveColumn(plan: Plan, status: WorkspaceStatus): Column | undefined {
  if (status === 'free') return 'Free';
  return plan === 'Corporate' || plan === 'Platinum' || plan === 'Unlimited' ? undefined : plan;
}

/** Maximum rows of one `templateData` (§8.4). */
export const MAX_TEMPLATE_ROWS = 200;
/** Maximum slides of one video (§8.4). */
export const MAX_SLIDES = 100;
/** Slides that are rendered in the effective column Free (§8.4). */
export const FREE_RENDERED_SLIDES = 3;
/** Time within which a webhook receiver must answer, milliseconds (§6.4). */
export const WEBHOOK_DEADLINE_MS = 10_000;
/** Failed deliveries after which a webhook is disabled (§6.4). */
export const WEBHOOK_MAX_FAILURES = 10;
/** Share of a minute that a minute of streaming costs (§4.2). */
export const STREAM_BILLING_FACTOR = 0.5;
/**
 * Largest JSON body by the callers of a route, bytes. Callers without credentials, and visitors of a page with a client token, send short texts and SDP.
 */
export const MAX_JSON_BYTES = { any: 5 * 1024 * 1024, web: 5 * 1024 * 1024, client: 256 * 1024, public: 16 * 1024 };
/** Longest text of one stream utterance, characters. */
export const MAX_STREAM_TEXT = 7000;
/** Maximum pieces of a text that is sent in pieces: one per character, and some empty ones. */
export const MAX_TEXT_PIECES = 10_000;
/** An utterance that is sent in pieces ends when no piece arrives for this long, seconds. */
export const PIECE_SECONDS = 10;
/** Maximum length of the sound of one utterance. */
export const MAX_SOUND_SECONDS = 600;
/** Maximum waiting sound of one utterance, seconds. */
export const MAX_SOUND_AHEAD_SECONDS = 10;
/** Maximum queued and playing utterances of sound on one stream: each may hold {@link MAX_SOUND_AHEAD_SECONDS} in memory. */
export const MAX_SOUND_QUEUE = 5;
/** Maximum readers of one stream's server-sent events. */
export const MAX_EVENT_READERS = 20;
/** Rates of sound that is sent in pieces, Hz. */
export const SOUND_RATES = [16_000, 24_000, 48_000] as const;
/** Maximum queued and playing utterances of one stream. */
export const MAX_STREAM_QUEUE = 50;
/** Maximum characters of all these utterances together: about an hour of speech. */
export const MAX_STREAM_QUEUE_TEXT = 50_000;
/** Longest side of a stream's picture, px: one core cannot encode more in real time. */
export const MAX_STREAM_SIDE = 1280;
/** Validity of the link to a voice preview, seconds. */
export const PREVIEW_LINK_SECONDS = 600;

/** Limits of client tokens, and their defaults. */
export const CLIENT_TOKEN_LIMITS = {
  seconds: { least: 60, usual: 3600, most: 24 * 3600 },
  /** Connected minutes of all its streams together. */
  minutes: { usual: 10, most: 600 },
  /** Streams at once. */
  streams: { usual: 1, most: 100 },
  origins: { most: 20 },
} as const;

/** Maximum characters of the result of a tool call, as JSON. */
export const MAX_TOOL_RESULT = 20_000;

/** Limits of conversation agents, and their defaults. */
export const AGENT_LIMITS = {
  /** Agents of a workspace. */
  agents: { most: 100 },
  minutes: { usual: 15, most: 240 },
  turns: { usual: 60, most: 500 },
  /** Characters of one answer. */
  characters: { usual: 1200, most: MAX_STREAM_TEXT },
  tools: { most: 20 },
  toolSeconds: { least: 0.1, usual: 10, most: 60 },
  /** Days for which transcripts are kept. */
  days: { usual: 30, most: 3650 },
} as const;

/** Limits of turn taking in conversations, and its defaults. */
export const TURN_LIMITS = {
  /** Seconds. */
  shortestPause: { least: 0.2, usual: 0.35, most: 3 },
  longestPause: { least: 0.2, usual: 1.2, most: 5 },
  interruptionSeconds: { least: 0.2, usual: 5, most: 30 },
  interruptionWords: { least: 1, usual: 1, most: 10 },
} as const;
