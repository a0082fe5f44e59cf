import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../../../kernel/errors.js';
import { requireOwner } from '../../../kernel/http/auth.js';
import type { Http } from '../../../kernel/http/contract.js';
import type { Avatars } from '../../avatars/index.js';
import type { Streams } from '../streams.js';
import type { ClientTokens } from './client-tokens.js';

/** Build output with the script for other pages. */
const BUILT_SCRIPT = fileURLToPath(new URL('../../../../../console/dist/embed', import.meta.url));
const HOUR_MS = 3600_000;
/** Query parameters of `/embed` that become attributes of the element. */
const ATTRIBUTES = [
  'token',
  'background',
  'label',
  'ai-label',
  'start-label',
  'captions',
  'autoplay',
  'muted',
  'microphone',
  'drawing',
];
const STYLE =
  'html,body{margin:0;height:100%;background:transparent}figurehead-presenter{inline-size:100%;block-size:100%;aspect-ratio:auto;border-radius:0;box-shadow:none}p{font:1rem/1.5 system-ui,sans-serif;padding:1rem}';

type Query = Readonly<Record<string, unknown>>;

/** Routes of client tokens. Owners and API tokens create and revoke them. */
export function serveClientTokens(http: Http, tokens: ClientTokens, streams: Streams): void {
  http.bind('createClientToken', {
    check: async ({ caller, body }) => {
      requireOwner(caller);
      await streams.check(caller, body);
    },
    handle: ({ caller, body }) => tokens.create(caller, body),
  });
  http.bind('listClientTokens', {
    handle: async ({ caller, query }) => ({ ...(await tokens.list(caller.workspace.id, query)), ...query }),
  });
  http.bind('revokeClientToken', {
    resource: async ({ caller, params }) => {
      const token = await tokens.load(caller, params.tokenId);
      requireOwner(caller);
      return token;
    },
    handle: async ({ resource: { id } }) => {
      await tokens.revoke(id);
      return { _id: id, deleted: true };
    },
  });
}

/**
 * Serves the files for embedding: `/embed/figurehead.js`, the script that defines `<figurehead-presenter>`; `/embed?token=…`, a page with that
 * element for an iframe, which only pages of the token's origins can frame; and `/embed/poster?token=…&crop=…`, the picture before
 * the start: the whole plate or its `bust`.
 */
export function serveEmbed(
  http: Http,
  { tokens, avatars, origin }: { tokens: ClientTokens; avatars: Avatars; origin: string },
): void {
  const { app } = http;
  app.register(fastifyStatic, {
    root: BUILT_SCRIPT,
    prefix: '/embed/',
    decorateReply: false,
    maxAge: HOUR_MS,
    preCompressed: true,
    setHeaders: (reply) => {
      reply.setHeader('Access-Control-Allow-Origin', '*');
      reply.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    },
  });
  app.get('/embed', { config: { routeId: 'embedPage' } }, async (request, reply) => {
    const query = request.query as Query;
    const { origins, why } = await http.inSlot(undefined, () => judge(tokens, query['token']));
    return sendPage(reply, {
      // Any page may frame the error message.
      ancestors: why === undefined ? origins.join(' ') : '*',
      content: why === undefined ? element(query) : `<p>${escapeHtml(why)}</p>`,
      status: why === undefined ? 200 : 401,
      origin,
    });
  });
  app.get('/embed/poster', { config: { routeId: 'embedPoster' } }, async (request, reply) => {
    const { token, crop } = request.query as Query;
    const row = typeof token === 'string' ? await http.inSlot(undefined, () => tokens.read(token)) : undefined;
    if (row === undefined) throw new ApiError('unauthorized');
    const picture = await avatars.link(row.workspaceId, row.avatarCode, crop === 'bust' ? 'bust' : 'canvas');
    if (picture === undefined) throw new ApiError('notFound', { what: 'avatar' });
    return reply.header('Cache-Control', 'no-store').redirect(picture);
  });
}

async function judge(tokens: ClientTokens, token: unknown): Promise<{ origins: readonly string[]; why?: string }> {
  try {
    const row = typeof token === 'string' ? await tokens.read(token) : undefined;
    return row ?? { origins: [], why: 'This server does not know this client token.' };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { origins: [], why: error.message };
  }
}

function element(query: Query): string {
  const attributes = ATTRIBUTES.flatMap((name) => {
    const value = query[name];
    return typeof value === 'string' ? [` ${name}="${escapeHtml(value)}"`] : [];
  });
  return `<figurehead-presenter framed${attributes.join('')}></figurehead-presenter><script type="module" src="embed/figurehead.js"></script>`;
}

function sendPage(
  reply: FastifyReply,
  page: { ancestors: string; content: string; status: number; origin: string },
): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    // WebAssembly draws the presenter.
    "script-src 'self' 'wasm-unsafe-eval'",
    `style-src 'nonce-${nonce}'`,
    `img-src 'self' ${page.origin} https:`,
    "media-src 'self' blob:",
    `connect-src 'self' ${page.origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${page.ancestors}`,
  ].join('; ');
  return (
    reply
      .code(page.status)
      // This page is meant for frames; `frame-ancestors` lists the allowed sites.
      .removeHeader('X-Frame-Options')
      .headers({
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-store',
        'Content-Security-Policy': policy,
        'Referrer-Policy': 'no-referrer',
      })
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Presenter</title><style nonce="${nonce}">${STYLE}</style>${page.content}</html>`,
      )
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
