// Serves the page, and makes a client token for each visit. The API token stays here; calls go from the browser straight to Figurehead.
//
//   URL=http://localhost:8080 TOKEN=fh_… node server.js      then open http://localhost:8090
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const {
  URL: figurehead = 'http://localhost:8080',
  TOKEN: token,
  PORT: port = '8090',
  AVATAR: avatar = 'clara',
} = process.env;
if (token === undefined) throw new Error('Set TOKEN to an API token of Figurehead.');

createServer((request, response) => {
  servePage(request, response).catch((error) => {
    console.error(error);
    response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(error.message);
  });
}).listen(Number(port), '127.0.0.1', () => console.log(`http://localhost:${port}`));

async function servePage(request, response) {
  if (request.url !== '/') return response.writeHead(404).end('not found');
  // Add your own sign-in here: every visitor gets five minutes of a presenter.
  const clientToken = await makeClientToken(`http://${request.headers.host}`);
  const page = await readFile(new URL('index.html', import.meta.url), 'utf8');
  const values = { FIGUREHEAD: figurehead, TOKEN: clientToken, AVATAR: avatar };
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(page.replace(/\{\{(\w+)\}\}/g, (whole, name) => values[name] ?? whole));
}

async function makeClientToken(origin) {
  const answer = await fetch(`${figurehead}/api/v1/client-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ origins: [origin], avatarCode: avatar, maxMinutes: 5, expiresInSeconds: 900 }),
  });
  if (!answer.ok) throw new Error(`Figurehead answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()).token;
}
