import type { Figurehead } from '@figurehead/sdk';
import {
  AuthenticationError,
  ConnectionError,
  FigureheadError,
  ForbiddenError,
  NotFoundError,
  QuotaError,
  RateLimitError,
  ValidationError,
  VideoError,
} from '@figurehead/sdk';
import type { Static, TObject } from '@sinclair/typebox';
import { ApiError } from '../../kernel/errors.js';

/** What a tool works with: the API as its caller may use it. */
export interface ToolContext {
  readonly client: Figurehead;
  /** Reads a file of the folder that the user allowed; absent when there is none, as over HTTP. */
  readonly readFile?: ((path: string) => Promise<File>) | undefined;
  readonly signal: AbortSignal;
  /** Shows progress, 0 to 1, to a client that asked for it. Never rejects. */
  readonly report: (progress: number, message: string) => Promise<void>;
}

/** An answer: JSON for the agent, and pictures that it sees. */
export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly picture?: { readonly bytes: Uint8Array; readonly type: string };
}

/** A tool of the protocol. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What calling it does: only reads, adds something, or replaces or starts something. */
  readonly effect: 'reads' | 'adds' | 'changes';
  readonly input: TObject;
  readonly run: (args: never, context: ToolContext) => Promise<ToolAnswer>;
}

/** A {@link Tool} whose arguments have the type of its schema. */
export function defineTool<I extends TObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: I;
    readonly run: (args: Static<I>, context: ToolContext) => Promise<ToolAnswer>;
  },
): Tool {
  return tool;
}

/** A mistake in a call that no route has seen. */
export class ToolError extends Error {
  /** @param next what the agent should do now. */
  constructor(
    message: string,
    readonly next: string,
  ) {
    super(message);
    this.name = 'ToolError';
  }
}

/** The reason of a failure and the next step, for the agent; `undefined` for a failure that is a bug. */
export function explain(error: unknown): string | undefined {
  const next = nextStep(error);
  if (next === undefined) return undefined;
  const fields =
    error instanceof ValidationError ? error.errors : error instanceof ApiError ? (error.details.errors ?? []) : [];
  const lines = fields.map(({ field, message }) => `- ${field === '' ? 'arguments' : field}: ${message}`);
  return [(error as Error).message, ...(fields.length > 1 ? lines : []), `Next: ${next}`].join('\n');
}

function nextStep(error: unknown): string | undefined {
  if (error instanceof ToolError) return error.next;
  if (error instanceof ValidationError || error instanceof ApiError)
    return 'correct what is named here and call again; the resource figurehead://schema/video describes a video.';
  if (error instanceof NotFoundError) return 'find the id with list_videos, search_presenters or search_voices.';
  if (error instanceof ForbiddenError) return 'use an id of your own workspace; list_videos shows them.';
  if (error instanceof QuotaError) return 'call usage: it says what is used up and when it becomes free.';
  if (error instanceof RateLimitError) return `call again in ${error.retryAfter} s.`;
  if (error instanceof AuthenticationError) return 'ask the user for a valid API token of the server.';
  if (error instanceof ConnectionError) return 'ask the user whether the server runs at this address.';
  if (error instanceof VideoError)
    return 'call check_video for every problem, correct slides with edit_slide, then render_video again.';
  if (error instanceof FigureheadError) return 'call again later; if it fails again, tell the user.';
  return undefined;
}
