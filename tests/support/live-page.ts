import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSite, type Site } from './site.js';

const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url));
/** The page has no bundler: modules of the contract that the SDK imports have their addresses here. */
const IMPORTS = { imports: { '@figurehead/contract/endpoints': '/contract/endpoints.js' } };
const PAGE = `<!doctype html><title>Test</title><script type="importmap">${JSON.stringify(IMPORTS)}</script>
  <video autoplay playsinline></video>`;

/**
 * A page with a video element and the SDK's modules at `/sdk`, whose calls are forwarded to a server with an API token.
 */
export function openLivePage(figurehead: string, token: string): Promise<Site> {
  return openSite(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname);
    if (path.startsWith('/api/')) return passOn(request, response, { figurehead, token });
    const [, name, file] = /^\/(sdk|contract)\/(.*\.js)$/.exec(path) ?? [];
    response.writeHead(200, { 'content-type': file ? 'text/javascript' : 'text/html' });
    response.end(name && file ? await readFile(join(PACKAGES, name, 'dist', file)) : PAGE);
  });
}

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { figurehead, token }: { figurehead: string; token: string },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = await fetch(`${figurehead}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
  response.end(Buffer.from(await answer.arrayBuffer()));
}
