import { routesOf } from '../route.js';
import {
  LedgerEntry,
  Member,
  MemberInput,
  MemberPatch,
  ModerationCase,
  NewToken,
  OutboxMail,
  RateLimitState,
  RejectInput,
  Session,
  SessionPatch,
  SignIn,
  Token,
  TokenInput,
  Workspace,
  WorkspacePatch,
} from '../schemas/account.js';
import { Brand, BrandInput } from '../schemas/brand.js';
import { Accepted, Deleted, ListOf, Paged } from '../schemas/common.js';

/** Routes that the console needs beyond the specification: sign in, workspace, members, tokens, moderation. */
export const accountRoutes = {
  ...routesOf('Account', {
    signIn: {
      summary: 'Sign in to the console; sets the session cookie',
      auth: 'public',
      body: SignIn,
      response: Session,
    },
    readSession: { summary: 'Read the current session', auth: 'web', response: Session },
    updateSession: {
      summary: 'Switch the workspace, or change the password',
      auth: 'web',
      body: SessionPatch,
      response: Session,
    },
    signOut: { summary: 'Sign out', auth: 'web', response: Accepted },
    readWorkspace: { summary: 'Read the workspace of the caller', response: Workspace },
    updateWorkspace: { summary: 'Rename the workspace', auth: 'web', body: WorkspacePatch, response: Workspace },
    readBrand: {
      summary: 'Read the brand of the workspace: colours, fonts, logo, presenter and voice',
      response: Brand,
    },
    saveBrand: { summary: 'Replace the brand of the workspace', body: BrandInput, response: Brand },
    listLedger: {
      summary: 'List changes of the minutes balance, newest first',
      query: Paged,
      response: ListOf('entries', LedgerEntry),
    },
    listRateLimits: {
      summary: 'List the remaining requests of the rate-limited endpoints',
      query: Paged,
      response: ListOf('rateLimits', RateLimitState),
    },
    listTokens: {
      summary: 'List the API tokens of the workspace',
      auth: 'web',
      query: Paged,
      response: ListOf('tokens', Token),
    },
    createToken: {
      summary: 'Create an API token; it is shown only once',
      auth: 'web',
      body: TokenInput,
      bodyOptional: true,
      response: NewToken,
    },
    revokeToken: { summary: 'Revoke an API token', auth: 'web', response: Deleted },
    listMembers: {
      summary: 'List the members of the workspace',
      auth: 'web',
      query: Paged,
      response: ListOf('members', Member),
    },
    createMember: { summary: 'Add a member', auth: 'web', body: MemberInput, response: Member },
    updateMember: { summary: "Change a member's role", auth: 'web', body: MemberPatch, response: Member },
    deleteMember: { summary: 'Remove a member from the workspace', auth: 'web', response: Deleted },
    listMails: {
      summary: 'List mails that were not sent, for example because no SMTP server is configured',
      auth: 'web',
      query: Paged,
      response: ListOf('mails', OutboxMail),
    },
  }),
  ...routesOf('Moderation', {
    listModeration: {
      summary: 'List videos waiting for review',
      auth: 'web',
      query: Paged,
      response: ListOf('cases', ModerationCase),
    },
    approveVideo: { summary: 'Approve a moderated video', auth: 'web', response: Accepted },
    rejectVideo: {
      summary: 'Reject a moderated video',
      auth: 'web',
      body: RejectInput,
      bodyOptional: true,
      response: Accepted,
    },
  }),
};
