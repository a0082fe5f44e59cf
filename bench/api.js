// Processor time of a request in the API process, compared with bare node:http (npm run bench:api): reading one video with a
// bearer token against one query for the same document, and a route without database against a plain response.
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { loadConfig } from '../packages/server/dist/config.js';
import { createVideo } from '../packages/server/dist/features/videos/index.js';
import { createWorkspace } from '../packages/server/dist/features/workspaces/index.js';
import { createToken } from '../packages/server/dist/features/workspaces/tokens/index.js';
import { createKernel } from '../packages/server/dist/kernel/create-kernel.js';
import { openEmbeddedPostgres } from '../packages/server/dist/kernel/database/postgres/embedded.js';
import { createApi } from '../packages/server/dist/roles/api.js';
import { createEngine } from '../packages/server/dist/roles/engine.js';

const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 10_000);
const CONCURRENCY = 16;
const TURNS = 20;

/** The same answer without a framework: one prepared query, one JSON text. */
async function openBare() {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
  const server = createServer(async (incoming, answer) => {
    let body = { status: 'ok' };
    if (incoming.url !== '/healthz') {
      const id = incoming.url.slice(incoming.url.lastIndexOf('/') + 1);
      const { rows } = await pool.query({ name: 'read', text: 'select * from videos where id = $1', values: [id] });
      body = rows[0];
    }
    answer.setHeader('content-type', 'application/json; charset=utf-8');
    answer.end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

async function openApi() {
  const kernel = await createKernel(loadConfig(), 'bench');
  return createApi(kernel, createEngine(kernel)).listen();
}

/** A server in its own process; it sends its port, and its CPU microseconds on request. */
async function serve(kind) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send(user + system);
  });
  process.send(await (kind === 'api' ? openApi() : openBare()));
}

function start(kind, env) {
  const child = fork(fileURLToPath(import.meta.url), [kind], { env: { ...process.env, ...env } });
  const next = () => new Promise((resolve) => child.once('message', resolve));
  return {
    port: next(),
    cpu: () => {
      const answer = next();
      child.send('cpu');
      return answer;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/**
 * CPU microseconds of each server for one request: the median of many alternating turns, so that other load affects both
 * equally.
 */
async function costsOf(servers, path, token) {
  const ports = await Promise.all(servers.map((server) => server.port));
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const ask = (port) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      request({ agent, port, host: '127.0.0.1', path, headers }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
        answer.resume().once('end', resolve);
      })
        .once('error', reject)
        .end();
    });
  const askMany = async (port, count) => {
    let left = count;
    const lane = async () => {
      while (left-- > 0) await ask(port);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  };
  for (const port of ports) await askMany(port, REQUESTS / 2);
  const turns = servers.map(() => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, server] of servers.entries()) {
      const before = await server.cpu();
      await askMany(ports[index], REQUESTS / TURNS);
      turns[index].push(((await server.cpu()) - before) / (REQUESTS / TURNS));
    }
  }
  agent.destroy();
  return turns.map((costs) => costs.sort((a, b) => a - b)[TURNS >> 1]);
}

async function main() {
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-bench-'));
  const database = await openEmbeddedPostgres({ dataDir, notice: () => undefined });
  const env = {
    DATABASE_URL: database.url,
    FIGUREHEAD_DATA: dataDir,
    FIGUREHEAD_NATURAL_VOICES: 'off',
    FIGUREHEAD_LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PORT: '0',
  };
  const kernel = await createKernel(loadConfig({ env, cwd: dataDir }), 'bench');
  const workspace = await createWorkspace(kernel, { name: 'bench', plan: 'Team' });
  const { token } = await createToken(kernel, { workspaceId: workspace._id, userId: workspace._id, name: 'bench' });
  const caller = { kind: 'api', workspace: { ...workspace, id: workspace._id }, userId: workspace._id, role: 'owner' };
  const slides = [1, 2, 3].map((id) => ({
    id,
    speech: `This is slide number ${id}.`,
    voice: 'slt',
    voiceProvider: 'flite',
  }));
  const video = await createVideo(kernel, caller, { name: 'bench', slides });
  await kernel.lifecycle.close();
  const servers = [start('api', env), start('bare', env)];
  try {
    const path = `/api/v1/videos/${video._id}`;
    const rows = [
      ['one read, with token', await costsOf(servers, path, token), 1.8],
      ['no database', await costsOf(servers, '/healthz', token), 1.2],
    ];
    for (const [what, [ours, theirs], limit] of rows) {
      const ratio = ours / theirs;
      const verdict = ratio <= limit ? 'ok' : 'OVER';
      console.log(
        `${what.padEnd(22)} ${ours.toFixed(0).padStart(5)} µs against ${theirs.toFixed(0).padStart(4)} µs: ${ratio.toFixed(2)} (≤ ${limit}) ${verdict}`,
      );
    }
  } finally {
    for (const server of servers) server.kill();
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const [, , kind] = process.argv;
await (kind === undefined ? main() : serve(kind));
