import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSite, type Site } from './site.js';

const SDK = fileURLToPath(new URL('../../packages/sdk/dist/', import.meta.url));
const PAGE = '<!doctype html><title>Test</title><video autoplay playsinline></video>';

/**
 * A page with a video element and the SDK's modules at `/sdk`, whose calls are forwarded to a server with an API token.
 */
export function openLivePage(figurehead: string, token: string): Promise<Site> {
  return openSite(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname);
    if (path.startsWith('/api/')) return passOn(request, response, { figurehead, token });
    const isModule = path.startsWith('/sdk/') && path.endsWith('.js');
    response.writeHead(200, { 'content-type': isModule ? 'text/javascript' : 'text/html' });
    response.end(isModule ? await readFile(join(SDK, path.slice(5))) : PAGE);
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
