import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { API_PREFIX } from '@figurehead/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Kernel } from '../../kernel/contract.js';
import { readSessionCookie } from '../../kernel/http/auth.js';
import type { Http } from '../../kernel/http/contract.js';

/** Build output of `packages/console`. */
const FOLDER = fileURLToPath(new URL('../../../../console/dist', import.meta.url));
/** Placeholder in the built page for a nonce that is new in each response. */
const NONCE_MARK = /__CSP_NONCE__/g;
/** Placeholder that tells the page whether the browser sent a session, so that it need not request one. */
const SESSION_MARK = '__SESSION__';
const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * Serves the console: its page at `/` and at every path of a screen, and its hashed files, cached for a year. Paths
 * with an extension and requests that do not accept HTML get a 404, so that a missing picture is not answered with a
 * page.
 */
export function serveConsole(http: Http, kernel: Kernel): void {
  const page = existsSync(join(FOLDER, 'index.html')) ? readFileSync(join(FOLDER, 'index.html'), 'utf8') : undefined;
  if (page === undefined) {
    kernel.log.warn({ folder: FOLDER }, 'the console is not built; `npm run build` builds it');
  } else {
    http.app.register(fastifyStatic, {
      root: join(FOLDER, 'assets'),
      prefix: '/assets/',
      decorateReply: false,
      maxAge: YEAR_SECONDS * 1000,
      immutable: true,
      preCompressed: true,
    });
    const icon = readFileSync(join(FOLDER, 'icon.svg'));
    http.app.get('/icon.svg', { config: { routeId: 'consoleIcon' } }, async (_request, reply) =>
      reply.headers({ 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' }).send(icon),
    );
    http.app.get('/', { config: { routeId: 'console' } }, async (request, reply) =>
      sendPage(request, reply, { page, kernel }),
    );
  }
  http.app.setNotFoundHandler(async (request, reply) => {
    if (page !== undefined && isScreen(request)) return sendPage(request, reply, { page, kernel });
    return reply.code(404).send({ message: 'Not found.' });
  });
}

/** A browser that opens a path without an extension gets the application, which does its own routing. */
function isScreen(request: FastifyRequest): boolean {
  const path = request.url.split('?')[0] ?? '';
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    (request.headers.accept ?? '').includes('text/html') &&
    !path.startsWith(API_PREFIX) &&
    !/\.[a-z0-9]+$/i.test(path)
  );
}

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, kernel }: { readonly page: string; readonly kernel: Kernel },
): FastifyReply {
  const session = readSessionCookie(request.headers.cookie) ? 'perhaps' : 'none';
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': contentPolicy(nonce, new URL(kernel.config.url).origin),
      'Permissions-Policy': 'camera=(), microphone=(self), geolocation=()',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    .send(page.replace(NONCE_MARK, nonce).replace(SESSION_MARK, session));
}

/**
 * Scripts from this server only. Pictures, sounds and fonts may come from elsewhere: slides link to them by URL, and S3
 * may store them.
 */
function contentPolicy(nonce: string, origin: string): string {
  const remote = `${origin} https:`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `font-src 'self' ${remote}`,
    `img-src 'self' data: blob: ${remote}`,
    `media-src 'self' blob: ${remote}`,
    `connect-src 'self' ${origin}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
