// Serves the page, and passes its calls on to Figurehead with the API token: a browser must never see the token.
//
//   URL=http://localhost:8080 TOKEN=fh_… node server.js      then open http://localhost:8090
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('.', import.meta.url));
/** In a project of your own: node_modules/@figurehead/sdk/dist. */
const SDK = fileURLToPath(new URL('../../packages/sdk/dist/', import.meta.url));
/** The page needs no other calls, so it gets no others. */
const PASSED_ON = /^\/api\/v1\/(streams|avatars)(\/|\?|$)/;
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript' };

const { URL: figurehead = 'http://localhost:8080', TOKEN: token, PORT: port = '8090' } = process.env;
if (token === undefined) throw new Error('Set TOKEN to an API token of Figurehead.');

createServer((request, response) => {
  const work = PASSED_ON.test(request.url) ? passOn(request, response) : serveFile(request, response);
  work.catch((error) => {
    console.error(error);
    response.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ message: error.message }));
  });
}).listen(Number(port), '127.0.0.1', () => console.log(`http://localhost:${port}`));

async function passOn(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = await fetch(`${figurehead}${request.url}`, {
    method: request.method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
  });
  const headers = { 'content-type': answer.headers.get('content-type') ?? 'application/json' };
  response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
}

async function serveFile(request, response) {
  const path = normalize(new URL(request.url, 'http://page').pathname);
  const file = path.startsWith('/sdk/') ? join(SDK, path.slice(5)) : join(PAGE, path === '/' ? 'index.html' : path);
  const type = TYPES[extname(file)];
  const content = type && (await readFile(file).catch(() => undefined));
  if (content === undefined) return response.writeHead(404).end('not found');
  return response.writeHead(200, { 'content-type': type }).end(content);
}
