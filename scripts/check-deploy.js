// `npm run check:deploy [-- IMAGE]`: builds the image, or takes a built one, and uses it as deploy/docker/compose.yaml says: first start, video, live
// stream, `doctor`, kill, backup, restore into an empty server, stop. Needs root and a Docker daemon (DOCKER_HOST);
// without a registry of images, their base is made of Debian (`debootstrap`) and this machine's Node. Containers use
// the machine's network, so that a daemon without bridges is enough. Prints sizes and times.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../tests/support/ports.js';
import { caller, expect, renderHello, timed, until, watchStream } from './first-contact.js';
import { root } from './paths.js';

const [, , built] = process.argv;
const IMAGE = built ?? 'figurehead:check';
/** Targets: megabytes without LibreOffice, and seconds from the end of a container until it serves again. */
const MOST_MB = 650;
const MOST_RESTART_S = 20;
/** Maximum time for one step, milliseconds. */
const DEADLINE_MS = 180_000;

const dockerfile = join(root, 'deploy/docker/Dockerfile');
const folder = mkdtempSync(join(tmpdir(), 'figurehead-deploy-'));
const containers = [];
try {
  if (built === undefined) {
    const base = await timed('base image', baseImage);
    await timed('build', () =>
      docker('build', '--network=host', `--build-arg=BASE=${base}`, `--file=${dockerfile}`, `--tag=${IMAGE}`, root),
    );
    console.log(`base: ${sizeOf(base)} MB`);
  }
  console.log(`image: ${sizeOf(IMAGE)} MB; limit ${MOST_MB}`);

  const first = await timed('first start', () => startServer('first'));
  const video = await timed('video', () => renderHello(first.call, first.assertAlive));
  await timed('live stream', () => watchStream(first.call, first.assertAlive));
  console.log(docker('exec', first.name, 'figurehead', 'doctor').trim());
  const startedAt = Date.now();
  // Not by `docker kill`, which counts as stopped by hand: the daemon starts it again, as compose.yaml says.
  process.kill(Number(docker('inspect', '--format={{.State.Pid}}', first.name)), 'SIGKILL');
  await until('a server that was killed', first.isReady, first.assertAlive);
  console.log(`restart: ${(Date.now() - startedAt) / 1000} s; limit ${MOST_RESTART_S}`);
  await first.call('GET', `/videos/${video}`);

  docker('exec', first.name, 'figurehead', 'backup', '/data/backup.tar');
  const backup = join(folder, 'backup.tar');
  docker('cp', `${first.name}:/data/backup.tar`, backup);
  chownSync(backup, 10001, 10001);
  await timed('stop', () => docker('stop', '--time=120', first.name));
  expect(docker('inspect', '--format={{.State.ExitCode}}', first.name).trim() === '0', 'exit status 0 of a stop');
  const second = await timed('restore and start', () => startServer('second', backup));
  const restored = await caller(second.base, first.token)('GET', `/videos/${video}`);
  expect((await fetch(restored.url.replace(/^.*(?=\/media\/)/, second.origin))).ok, 'the film in the restored server');
  console.log('check:deploy: ok');
} finally {
  for (const name of containers) {
    spawnSync('docker', ['rm', '--force', name], { stdio: 'ignore' });
    spawnSync('docker', ['volume', 'rm', name], { stdio: 'ignore' });
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Megabytes. */
function sizeOf(image) {
  return Math.round(docker('image', 'inspect', '--format={{.Size}}', image) / 1e6);
}

/** @returns what the command prints. */
function docker(...args) {
  // The classic builder asks no registry for the syntax of the file.
  const env = { ...process.env, DOCKER_BUILDKIT: '0' };
  return execFileSync('docker', args, { env, maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'inherit'] }).toString();
}

/** Starts a server with the settings of the service in compose.yaml, perhaps with the data of a backup. */
async function startServer(label, backup) {
  const { services } = parse(readFileSync(join(root, 'deploy/docker/compose.yaml'), 'utf8'));
  const { read_only, tmpfs, cap_drop, security_opt, shm_size, restart } = services.figurehead;
  const name = `figurehead-check-${process.pid}-${label}`;
  const [port, rtcPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const environment = {
    PORT: port,
    FIGUREHEAD_URL: origin,
    FIGUREHEAD_RTC_PORTS: rtcPort,
    FIGUREHEAD_NATURAL_VOICES: 'off',
    FIGUREHEAD_LOG_FORMAT: 'pretty',
  };
  const settings = [
    '--network=host',
    `--volume=${name}:/data`,
    ...(read_only ? ['--read-only'] : []),
    ...tmpfs.map((mount) => `--tmpfs=${mount}`),
    ...cap_drop.map((capability) => `--cap-drop=${capability}`),
    ...security_opt.map((option) => `--security-opt=${option}`),
    `--shm-size=${shm_size}`,
    ...Object.entries(environment).map(([key, value]) => `--env=${key}=${value}`),
  ];
  if (backup !== undefined)
    docker('run', '--rm', ...settings, `--volume=${backup}:/backup.tar:ro`, IMAGE, 'restore', '/backup.tar');
  docker('run', '--detach', `--name=${name}`, `--restart=${restart}`, ...settings, IMAGE);
  containers.push(name);
  const overdueMs = Date.now() + DEADLINE_MS;
  const logs = () => spawnSync('docker', ['logs', name]).stdout.toString();
  const assertAlive = (what) => expect(Date.now() < overdueMs, `${what} within ${DEADLINE_MS / 1000} s:\n${logs()}`);
  const isReady = async () =>
    (await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )) || undefined;
  await until('a server that is ready', isReady, assertAlive);
  const token =
    backup === undefined &&
    (await until('a token in the log', () => /\bfh_[\w-]+(?=\s)/.exec(logs())?.[0], assertAlive));
  const base = `${origin}/api/v1`;
  return { name, origin, base, token, call: caller(base, token), isReady, assertAlive };
}

/** The image that the Dockerfile names, or one like it that is made here. @returns its name. */
function baseImage() {
  const text = readFileSync(dockerfile, 'utf8');
  const [, version] = /^ARG NODE_VERSION=(\S+)/m.exec(text);
  const [, image] = /^ARG BASE=(\S+)/m.exec(text);
  const official = image.replace(/\$\{.*\}/, version);
  if (spawnSync('docker', ['pull', '--quiet', official], { stdio: 'ignore' }).status === 0) return official;
  const local = 'figurehead-base:local';
  if (spawnSync('docker', ['image', 'inspect', local], { stdio: 'ignore' }).status === 0) return local;
  const tree = join(folder, 'base');
  execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', tree], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(join(tree, 'var/cache/apt/archives'), { recursive: true });
  copyFileSync(process.execPath, join(tree, 'usr/local/bin/node'));
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm']).toString().trim())));
  cpSync(npm, join(tree, 'usr/local/lib/npm'), { recursive: true });
  symlinkSync('../lib/npm/bin/npm-cli.js', join(tree, 'usr/local/bin/npm'));
  // How this machine reaches its registries.
  const configuration = [
    join(homedir(), '.npmrc'),
    '/etc/ssl/certs/ca-certificates.crt',
    ...listed('/etc/apt/apt.conf.d'),
  ];
  for (const file of configuration.filter(existsSync))
    cpSync(file, join(tree, file === join(homedir(), '.npmrc') ? 'root/.npmrc' : file), { dereference: true });
  const archive = join(folder, 'base.tar');
  execFileSync('tar', ['-C', tree, '-cf', archive, '.']);
  const certificates = 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt';
  docker('import', `--change=${certificates}`, archive, local);
  return local;
}
