// Lets pages that use the npm package `simli-client` talk to Figurehead: speaks the package's protocol to the page, and Figurehead's to the server.
//
//   URL=http://localhost:8080 npx -p @figurehead/sdk -p ws node server.js      then give `ws://localhost:8091` to SimliClient
//
// The package's key (`x-simli-api-key`) is an API token of Figurehead, and a face is the code of an avatar.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createClient } from '@figurehead/sdk';
import { WebSocket, WebSocketServer } from 'ws';
import { SimliSession } from './session.js';

const { URL: figurehead = 'http://localhost:8080', PORT: port = '8091', ICE_SERVERS: iceServers } = process.env;
/** ICE servers for pages, as JSON; `turn:` servers need their credentials here. */
const ICE_SERVERS = iceServers ?? '[{"urls":"stun:stun.l.google.com:19302"}]';
/** A session token can be used once, within this time. */
const TOKEN_MS = 300_000;
const MAX_BODY = 10_000;

/** Sessions with a token that are not connected yet. */
const expected = new Map();

const server = createServer((request, response) => {
  answer(request)
    .then((body) => send(response, 200, body))
    .catch((error) => send(response, error.status >= 400 ? error.status : 400, JSON.stringify(error.message)));
});
const sockets = new WebSocketServer({ noServer: true, maxPayload: 8_000_000 });
server.on('upgrade', (request, connection, head) => {
  const url = new URL(request.url, 'http://adapter');
  const token = url.searchParams.get('session_token');
  const settings = url.pathname === '/compose/webrtc/p2p' ? expected.get(token) : undefined;
  if (settings === undefined) return connection.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  expected.delete(token);
  sockets.handleUpgrade(request, connection, head, (socket) => new SimliSession(socket, settings));
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://localhost:${server.address().port}`));

async function answer(request) {
  if (request.method === 'OPTIONS') return '';
  const { pathname } = new URL(request.url, 'http://adapter');
  if (request.method === 'GET' && pathname === '/compose/ice') return ICE_SERVERS;
  if (request.method === 'POST' && pathname === '/compose/token') return JSON.stringify(await expectSession(request));
  throw Object.assign(new Error('not found'), { status: 404 });
}

async function expectSession(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MAX_BODY) throw new Error('the body is too long');
  }
  const { faceId, maxSessionLength = 3600, maxIdleTime = 300 } = JSON.parse(text);
  const token = request.headers['x-simli-api-key'];
  const client = createClient({
    baseUrl: figurehead,
    token,
    createWebSocket: (url, protocols) => new WebSocket(url, protocols),
  });
  // Unknown tokens and faces are refused here instead of when the page connects.
  await client.readAvatar({ avatarId: faceId });
  const session_token = randomUUID();
  expected.set(session_token, { client, figurehead, token, avatarCode: faceId, maxSessionLength, maxIdleTime });
  setTimeout(() => expected.delete(session_token), TOKEN_MS).unref();
  return { session_token };
}

function send(response, status, body) {
  const headers = { 'content-type': 'application/json', 'access-control-allow-origin': '*' };
  const allowed = { 'access-control-allow-headers': 'content-type, x-simli-api-key' };
  response.writeHead(status, { ...headers, ...allowed }).end(body);
}
