import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as renderGoTemplate } from '@evertdespiegeleer/go-template';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, parseDocument } from 'yaml';
import { measurePipeline, startRetention } from '../../packages/server/src/features/operations/index.js';
import { loadConfig } from '../../packages/server/src/kernel/config/config.js';
import { SETTINGS } from '../../packages/server/src/kernel/config/config-table.js';
import { ALLOCATOR_SETTINGS } from '../../packages/server/src/roles/role-process.js';
import { ROLES } from '../../packages/server/src/roles/roles.js';
import { openTestApi, scriptedPipeline, type TestApi } from '../support/api.js';
import { LIVEKIT_VERSION } from '../support/livekit-server.js';

// No container engine, cluster, Prometheus or Grafana runs here. These tests check without them that every file parses, that objects match
// Kubernetes' schemas, and that every key, metric, role, path and image in them exists.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DEPLOY = join(ROOT, 'deploy');
const require = createRequire(import.meta.url);

/** Keys of other programs in these files. */
const KEYS_OF_OTHERS = new Set([
  ...['NODE_ENV', 'NODE_VERSION', 'WITH_LIBREOFFICE', 'PUBLIC_ADDRESS', 'PUBLIC_NAME'],
  ...Object.keys(ALLOCATOR_SETTINGS),
]);
const OURS = new Set(Object.values(SETTINGS).map(({ key }) => key));

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'packages', 'server', 'package.json'), 'utf8')) as {
  version: string;
};

const read = (...path: string[]) => readFileSync(join(DEPLOY, ...path), 'utf8');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Configuration keys of our program in a text. */
const keysIn = (text: string) => [...text.matchAll(/\b(?:FIGUREHEAD|OTEL)_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([key]) => key);

describe('the files of deploy/', () => {
  // Templates of the chart are tested below, rendered by Helm's engine.
  const files = filesBelow(DEPLOY).filter((file) => !file.includes(join('helm', 'figurehead', 'templates')));

  it('contain no unknown configuration key', () => {
    const wrong = files.flatMap((file) =>
      keysIn(readFileSync(file, 'utf8'))
        .filter((key) => !OURS.has(key))
        .map((key) => `${basename(file)}: ${key}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are all covered by these tests', () => {
    const known = /\.(ya?ml|json|js|example|service|timer)$|Dockerfile$|Caddyfile$/;
    expect(files.filter((file) => !known.test(file))).toEqual([]);
    for (const file of files.filter((name) => /\.ya?ml$/.test(name))) {
      const documents = parseAllDocuments(readFileSync(file, 'utf8'), { merge: true, strict: true, uniqueKeys: true });
      for (const document of documents) expect([file, document.errors, document.warnings]).toEqual([file, [], []]);
    }
  });

  it('pin every image to a version', () => {
    const kustomization = parse(read('kubernetes', 'base', 'kustomization.yaml')) as {
      images: { name: string; newName: string; newTag: string }[];
    };
    const renamed = new Map(kustomization.images.map(({ name, newName, newTag }) => [name, `${newName}:${newTag}`]));
    const named = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^[\s-]*image:[ \t]*["']?([^\s"'#]+)/gm)].map(
        ([, image = '']) => renamed.get(image) ?? image,
      ),
    );
    const dockerfile = read('docker', 'Dockerfile');
    const nodeVersion = /^ARG NODE_VERSION=(.*)$/m.exec(dockerfile)?.[1] ?? '';
    for (const [, image = ''] of dockerfile.matchAll(/^ARG BASE=(\S+)/gm))
      named.push(image.replace(/\$\{NODE_VERSION\}/, nodeVersion));
    expect(named.length).toBeGreaterThan(9);
    // A version with at least two numbers, or a release with a date.
    expect(named.filter((image) => !/:(?:v?\d+\.\d+|RELEASE\.\d{4})[^:/]*$/.test(image))).toEqual([]);
    expect(named.filter((image) => image.includes('figurehead')).every((image) => image.endsWith(`:${VERSION}`))).toBe(
      true,
    );
  });

  it('start only existing roles', () => {
    const named = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/"--role", "(\w+)"/g)].map(([, role]) => role ?? ''),
    );
    expect(new Set(named)).toEqual(new Set(Object.keys(ROLES)));
  });
});

describe('the container image', () => {
  const { DockerfileParser } = require('dockerfile-ast') as typeof import('dockerfile-ast');
  const dockerfile = DockerfileParser.parse(read('docker', 'Dockerfile'));
  const instructions = dockerfile.getInstructions();
  const stageOf = (line: number) =>
    dockerfile
      .getFROMs()
      .filter((from) => from.getRange().start.line <= line)
      .at(-1);
  const final = dockerfile.getFROMs().at(-1);
  const inFinal = instructions.filter((one) => stageOf(one.getRange().start.line) === final);
  const argumentsOf = (keyword: string) =>
    inFinal
      .filter((one) => one.getKeyword() === keyword)
      .map((one) => one.getArguments().map((part) => part.getValue()));

  it('is built in two stages and runs as an unprivileged user, with a health check', () => {
    expect(dockerfile.getFROMs().map((from) => from.getBuildStage())).toEqual(['build', 'runtime']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an argument of the file
    expect(dockerfile.getFROMs().map((from) => from.getImage())).toEqual(['${BASE}', '${BASE}']);
    expect(argumentsOf('USER')).toEqual([['10001:10001']]);
    const lastCopy = Math.max(
      ...inFinal.filter((one) => one.getKeyword() === 'COPY').map((one) => one.getRange().start.line),
    );
    const user = inFinal.find((one) => one.getKeyword() === 'USER');
    expect(user?.getRange().start.line).toBeGreaterThan(lastCopy);
    expect(inFinal.map((one) => one.getKeyword())).toEqual(
      expect.arrayContaining(['HEALTHCHECK', 'ENTRYPOINT', 'CMD', 'VOLUME']),
    );
    const known = new Set('FROM ARG WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD'.split(' '));
    expect(instructions.map((one) => one.getKeyword()).filter((keyword) => !known.has(keyword))).toEqual([]);
  });

  it('copies existing files, and starts an existing program', () => {
    const copied = argumentsOf('COPY').map((parts) => parts.filter((part) => !part.startsWith('--'))[0] ?? '');
    for (const path of copied) expect([path, existsSync(join(ROOT, path.replace('/app/', '')))]).toEqual([path, true]);
    const text = read('docker', 'Dockerfile');
    // Operators type it: docker compose exec figurehead figurehead backup …
    const [, program = 'none'] = /ln -s \/app\/(\S+) \/usr\/local\/bin\/figurehead$/m.exec(text) ?? [];
    expect(statSync(join(ROOT, program)).mode & 0o111).toBe(0o111);
    for (const [, path = ''] of text.matchAll(/"\/app\/([^"]+\.js)"/g)) {
      const source = path === 'healthcheck.js' ? 'deploy/docker/healthcheck.js' : path;
      expect([path, existsSync(join(ROOT, source))]).toEqual([path, true]);
    }
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    // Copied files must not be excluded from the build context.
    expect(ignored).not.toContain('packages');
    expect(ignored).toEqual(expect.arrayContaining(['.env', '.git', '.figurehead', '**/node_modules']));
  });

  it('sets only keys of the program or Node', () => {
    const set = dockerfile.getENVs().flatMap((env) => env.getProperties().map((property) => property.getName()));
    expect(set.filter((key) => !OURS.has(key) && !KEYS_OF_OTHERS.has(key))).toEqual([]);
    expect(set).toContain('FIGUREHEAD_DATA');
  });

  it('and the unit of a single role have the environment that the supervisor sets for its roles', () => {
    const image = dockerfile.getENVs().flatMap((env) => env.getProperties());
    const unit = read('systemd', 'figurehead-role@.service');
    for (const [key, value] of Object.entries(ALLOCATOR_SETTINGS)) {
      expect([key, image.find((one) => one.getName() === key)?.getValue()]).toEqual([key, value]);
      expect(unit).toContain(`${key}=${value}`);
    }
  });

  it('reports its health on the API or on the metrics port', () => {
    const check = (env: Record<string, string>) =>
      spawnSync(process.execPath, [join(DEPLOY, 'docker', 'healthcheck.js')], {
        env: { PATH: process.env['PATH'], ...env },
      }).status;
    expect(check({ PORT: '1' })).toBe(1);
    expect(check({ PORT: '1', FIGUREHEAD_METRICS_PORT: '2' })).toBe(1);
  });
});

interface ComposeService {
  image?: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, unknown>;
  volumes?: string[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
}

describe.each(['compose.yaml', 'compose.scale.yaml'])('%s', (file) => {
  const compose = parse(read('docker', file), { merge: true }) as {
    services: Record<string, ComposeService>;
    volumes: Record<string, unknown>;
  };
  const services = Object.entries(compose.services);
  const ours = services.filter(([, service]) => service.image === `figurehead:${VERSION}`);

  it('builds our image from the repository, and runs it unprivileged on a read-only file system', () => {
    expect(ours.length).toBeGreaterThan(0);
    for (const [name, { read_only: readOnly, cap_drop: dropped, build }] of ours) {
      expect([name, readOnly, dropped]).toEqual([name, true, ['ALL']]);
      if (build !== undefined) expect(existsSync(join(DEPLOY, 'docker', build.context, build.dockerfile))).toBe(true);
    }
    expect(ours.some(([, { build }]) => build !== undefined)).toBe(true);
  });

  it('configures our services with valid keys and values', () => {
    for (const [name, { environment = {} }] of ours) {
      expect([name, Object.keys(environment).filter((key) => !OURS.has(key))]).toEqual([name, []]);
      for (const [key, value] of Object.entries(environment)) {
        const setting = Object.values(SETTINGS).find((one) => one.key === key);
        const filled = value.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_all, variable: string, fallback = '') => {
          if (variable === 'PUBLIC_ADDRESS') return '203.0.113.7';
          return /URL$/.test(variable) ? fallback : 'x.example';
        });
        expect(() => setting?.parse(filled, '/')).not.toThrow();
      }
    }
  });

  it('names services, volumes and files that exist', () => {
    for (const [, { depends_on: after = [], volumes = [] }] of services) {
      for (const name of Array.isArray(after) ? after : Object.keys(after))
        expect(compose.services).toHaveProperty([name]);
      for (const volume of volumes.filter((entry) => entry.includes(':'))) {
        const source = volume.split(':')[0] ?? '';
        if (source.startsWith('.')) expect(existsSync(join(DEPLOY, 'docker', source))).toBe(true);
        else expect(compose.volumes).toHaveProperty([source]);
      }
    }
    const variables = new Set([...read('docker', file).matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''));
    const example = parseEnv(read('docker', file === 'compose.yaml' ? 'server.env.example' : 'scale.env.example'));
    // The remaining lines of the example are the program's configuration.
    expect(
      Object.keys(example)
        .filter((key) => !OURS.has(key))
        .sort(),
    ).toEqual([...variables].sort());
  });

  it('is reached only through Caddy, which lists every API', () => {
    const proxies = services.filter(([, { image = '' }]) => image.startsWith('caddy:'));
    expect(proxies.map(([, { ports }]) => ports)).toEqual([['80:80/tcp', '443:443/tcp']]);
    expect(ours.flatMap(([, { ports = [] }]) => ports).filter((port) => !port.endsWith('/udp'))).toEqual([]);
    const fallback = /\{\$APIS:([^}]*)\}/.exec(read('docker', 'Caddyfile'))?.[1] ?? '';
    const apis = (proxies[0]?.[1].environment?.['APIS'] ?? fallback).split(' ').map((one) => one.replace(':8080', ''));
    const able = ours
      .filter(([, { command }]) => command === undefined || command.includes('api'))
      .map(([name]) => name);
    expect(apis.sort()).toEqual(able.sort());
  });

  it('has a TURN server with the same secret as the program', () => {
    const turn = services.find(([, { image = '' }]) => image.startsWith('coturn/'))?.[1];
    const secret = (text: string) => /\$\{(TURN_SECRET)\b/.exec(text)?.[1];
    expect(turn?.command?.map(secret).filter(Boolean)).toEqual(['TURN_SECRET']);
    const told = ours.map(([, { environment }]) => secret(environment?.['FIGUREHEAD_TURN_SECRET'] ?? ''));
    expect(told).toEqual(ours.map(() => 'TURN_SECRET'));
  });
});

describe('examples/livekit/compose.yaml', () => {
  const folder = join(ROOT, 'examples', 'livekit');
  const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');
  const { services, volumes: named } = parse(text) as {
    services: Record<'livekit' | 'figurehead' | 'agent', ComposeService>;
    volumes: Record<string, unknown>;
  };
  const environmentOf = (name: keyof typeof services) => services[name].environment ?? {};

  it('lets the agent and Figurehead reach the LiveKit server, with one secret', () => {
    const { LIVEKIT_CONFIG: config = '', LIVEKIT_KEYS: keys = '' } = environmentOf('livekit');
    const { port, rtc } = parse(config.replaceAll(/\$\{\w+[^}]*\}/g, '203.0.113.7'));
    expect(rtc).toEqual({ udp_port: 7882, tcp_port: 7881, node_ip: '203.0.113.7' });
    expect(services.livekit.ports).toEqual([`${port}:${port}/tcp`, '7881:7881/tcp', '7882:7882/udp']);
    const agent = environmentOf('agent');
    expect(agent['LIVEKIT_URL']).toBe(`ws://livekit:${port}`);
    expect(environmentOf('figurehead')).toEqual({ FIGUREHEAD_LIVEKIT_URLS: agent['LIVEKIT_URL'] });
    const { port: ownPort } = loadConfig({ env: {}, cwd: folder });
    expect(agent['FIGUREHEAD_URL']).toBe(`http://figurehead:${ownPort}`);
    expect(keys.startsWith(`${agent['LIVEKIT_API_KEY']}: \${LIVEKIT_API_SECRET:`)).toBe(true);
    expect(agent['LIVEKIT_API_SECRET']).toBe(`\${LIVEKIT_API_SECRET}`);
  });

  it('runs the server that is tested and our image, unprivileged, with files that exist', () => {
    expect(services.livekit.image).toBe(`livekit/livekit-server:v${LIVEKIT_VERSION}`);
    const { image, build, read_only: readOnly, cap_drop: dropped } = services.figurehead;
    expect([image, readOnly, dropped]).toEqual([`figurehead:${VERSION}`, true, ['ALL']]);
    expect(existsSync(join(folder, build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
    for (const volume of Object.values(services).flatMap(({ volumes = [] }) => volumes)) {
      const source = volume.split(':')[0] ?? '';
      if (source.startsWith('.')) expect([source, existsSync(join(folder, source))]).toEqual([source, true]);
      else expect(named).toHaveProperty([source]);
    }
  });
});

function parseEnv(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.replace(/^#(?=[A-Z])/, ''));
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, key, value] = /^([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, value ?? '']];
    }),
  );
}

interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
  data?: Record<string, string>;
}

/**
 * Errors of the TypeScript compiler for objects with the types generated from Kubernetes' OpenAPI document: unknown fields,
 * wrong types and missing required fields.
 */
function typeFaults(objects: readonly KubernetesObject[]): string[] {
  const lines = objects.map((object, index) => {
    // `networking.k8s.io/v1` is in the folder `networking`; `v1` alone is the core.
    const [group = '', version] = object.apiVersion.split('/');
    const module = version === undefined ? `core/${group}` : `${group.split('.')[0]}/${version}`;
    return `export const o${index}: import('kubernetes-types/${module}').${object.kind} = ${JSON.stringify(object)};`;
  });
  const path = join(ROOT, 'manifests-in-memory.ts');
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], lib: ['lib.es2023.d.ts'] },
    ...{ module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  };
  const host = ts.createCompilerHost(options);
  const onDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, language, ...rest) =>
    name === path ? ts.createSourceFile(name, lines.join('\n'), language) : onDisk(name, language, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([path], options, host))
    .map(({ messageText, start = 0 }) => `${start}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}

describe('the manifests for Kubernetes', () => {
  const folders = ['base', 'autoscaling'].map((name) => join(DEPLOY, 'kubernetes', name));
  const objectsIn = (folder: string) =>
    readdirSync(folder)
      .filter((name) => name !== 'kustomization.yaml')
      .flatMap((name) =>
        parseAllDocuments(readFileSync(join(folder, name), 'utf8'), { merge: true }).map(
          (document) => document.toJS() as KubernetesObject,
        ),
      );
  const objects = folders.flatMap(objectsIn);
  const deployments = objects.filter(({ kind }) => kind === 'Deployment') as unknown as {
    metadata: { name: string };
    spec: {
      selector: { matchLabels: Record<string, string> };
      template: {
        metadata: { labels: Record<string, string> };
        spec: { securityContext: object; containers: Container[] };
      };
    };
  }[];

  interface Container {
    image: string;
    args: string[];
    env?: { name: string; value?: string }[];
    ports: { name: string; containerPort: number }[];
    volumeMounts: { name: string }[];
    securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
    livenessProbe: { httpGet: { path: string; port: string } };
    readinessProbe: { httpGet: { path: string; port: string } };
  }

  it('match the schemas of Kubernetes and KEDA', async () => {
    const [scaled, builtIn] = partition(objects, ({ apiVersion }) => apiVersion.startsWith('keda.sh/'));
    expect([builtIn.length > 15, scaled.length > 1]).toEqual([true, true]);
    expect(typeFaults(builtIn)).toEqual([]);
    for (const object of scaled) {
      const { [object.kind]: Model } = (await import(
        require.resolve(`@kubernetes-models/keda/${object.apiVersion}`)
      )) as Record<string, new (data: object) => { validate(): void }>;
      expect(Model).toBeDefined();
      expect(() => Model && new Model(object).validate()).not.toThrow();
    }
  });

  it('are refused with a field that Kubernetes does not know, a wrong type or a missing part', () => {
    const service = objects.find(({ kind }) => kind === 'Service') as KubernetesObject;
    const ports = service.spec['ports'] as object[];
    expect(typeFaults([{ ...service, spec: { ...service.spec, selectr: {} } }])).toHaveLength(1);
    expect(typeFaults([{ ...service, spec: { ...service.spec, sessionAffinity: 3 } }])).toHaveLength(1);
    expect(
      typeFaults([{ ...service, spec: { ...service.spec, ports: [...ports, { name: 'no-port' }] } }]),
    ).toHaveLength(1);
    expect(typeFaults([{ ...service, kind: 'Servic' }])).toHaveLength(1);
  });

  it('equal the rendered Helm chart with its values', async () => {
    const chart = join(DEPLOY, 'helm', 'figurehead');
    const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Record<string, string>;
    const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown> & {
      image: { repository: string; tag: string };
      replicas: Record<string, number>;
    };
    expect([version, appVersion, values.image.tag]).toEqual([VERSION, VERSION, VERSION]);
    const render = async (Values: object) =>
      (
        await Promise.all(
          readdirSync(join(chart, 'templates')).map(async (name) => {
            const text = readFileSync(join(chart, 'templates', name), 'utf8');
            // Go's representation of a missing value.
            const rendered = await renderGoTemplate(text, { Values });
            expect([name, rendered.includes('no value')]).toEqual([name, false]);
            return parseAllDocuments(rendered, { merge: true, strict: true }).map(
              (document) => document.toJS() as KubernetesObject,
            );
          }),
        )
      ).flat();
    const named = (list: KubernetesObject[]) =>
      Object.fromEntries(
        list
          .filter(({ kind }) => kind !== 'Namespace')
          .map((object) => [`${object.kind} ${object.metadata.name}`, object]),
      );
    // With its defaults, the chart equals the manifests except for the image name, which kustomize inserts.
    const same = named(await render(values));
    const image = `${values.image.repository}:${values.image.tag}`;
    expect(JSON.parse(JSON.stringify(same).replaceAll(`"image":"${image}"`, '"image":"figurehead"'))).toEqual(
      named(objectsIn(folders[0] ?? '')),
    );
    const five = named(
      await render({ ...values, host: 'a.example', replicas: { ...values.replicas, worker: 5 }, workerCores: 8 }),
    );
    expect(five['Deployment worker']?.spec).toMatchObject({ replicas: 5 });
    expect(JSON.stringify(five['Deployment worker'])).toContain('"cpu":"8"');
    expect(five['ConfigMap figurehead']?.data?.['FIGUREHEAD_URL']).toBe('https://a.example');
    expect(JSON.stringify(five)).not.toContain('talk.example.org');
  });

  it('list every file once, and nothing that is missing', () => {
    for (const folder of folders) {
      const { resources } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
      const here = readdirSync(folder).filter((name) => name !== 'kustomization.yaml');
      expect(resources.filter((name) => name.endsWith('.yaml')).sort()).toEqual(here.sort());
      for (const name of resources) expect(existsSync(join(folder, name))).toBe(true);
    }
  });

  it('run each role unprivileged on a read-only file system, with a health probe on the correct port', () => {
    expect(deployments.map(({ spec }) => spec.template.spec.containers[0]?.args)).toEqual(
      ['api', 'streams', 'worker'].map((role) => ['start', '--role', role]),
    );
    for (const { spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      expect(spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
      expect(container?.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      const names = container?.ports.map(({ name }) => name);
      expect(container?.livenessProbe.httpGet.path).toBe('/healthz');
      expect(container?.readinessProbe.httpGet.path).toBe('/readyz');
      expect(names).toContain(container?.livenessProbe.httpGet.port);
      expect(names).toContain(container?.readinessProbe.httpGet.port);
      expect((container?.env ?? []).map(({ name }) => name).filter((name) => !OURS.has(name))).toEqual([]);
    }
  });

  it('configure the program with valid keys and values, and contain no secret', () => {
    const [shared] = objects.filter(({ kind }) => kind === 'ConfigMap');
    for (const [key, value] of Object.entries(shared?.data ?? {})) {
      const setting = Object.values(SETTINGS).find((one) => one.key === key);
      expect([key, setting?.secret]).toEqual([key, false]);
      expect(() => setting?.parse(value, '/')).not.toThrow();
    }
  });

  it('scale deployments that exist', () => {
    const targets = objects.flatMap(({ spec }) => {
      const target = (spec as { scaleTargetRef?: { name: string } } | undefined)?.scaleTargetRef;
      return target === undefined ? [] : [target.name];
    });
    expect(targets.sort()).toEqual(['api', 'streams', 'worker']);
  });

  it.runIf(spawnSync('kubectl', ['version', '--client']).status === 0)('are built by kustomize', () => {
    const out = execFileSync('kubectl', ['kustomize', join(DEPLOY, 'kubernetes', 'autoscaling')]).toString();
    const kinds = parseAllDocuments(out).map((document) => (document.toJS() as KubernetesObject).kind);
    expect(kinds.filter((kind) => kind === 'Deployment')).toHaveLength(3);
    expect(out).not.toMatch(/^ {2}replicas:/m);
  });
});

describe('the units of systemd', () => {
  const units = [
    'figurehead.service',
    'figurehead-role@.service',
    'figurehead-backup.service',
    'figurehead-backup.timer',
  ];

  it('are confined', (context) => {
    const version = spawnSync('systemd-analyze', ['--version']);
    context.skip(version.status !== 0, 'needs systemd-analyze');
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      // The option counts in tenths; 4.0 is the server's exposure, whose sandbox of LibreOffice needs namespaces.
      const path = join(ROOT, 'deploy', 'systemd', unit);
      const checked = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--no-pager', '--threshold=40', path],
        { encoding: 'utf8' },
      );
      expect(checked.status, `${unit}: ${checked.stdout.slice(-200)}${checked.stderr}`).toBe(0);
    }
  });

  it('start an existing program with valid keys', () => {
    for (const unit of units.filter((name) => name.endsWith('.service'))) {
      const text = read('systemd', unit);
      const [program] = /packages\/server\/bin\/[\w.]+/.exec(text) ?? [''];
      expect([unit, existsSync(join(ROOT, program))]).toEqual([unit, true]);
    }
    const example = parseEnv(read('systemd', 'figurehead.env.example'));
    for (const [key, value] of Object.entries(example)) {
      const setting = Object.values(SETTINGS).find((one) => one.key === key);
      expect([key, setting?.key]).toEqual([key, key]);
      expect(() => setting?.parse(value, '/')).not.toThrow();
    }
  });

  it.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)('are understood by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fh-units-'));
    try {
      // The template is verified as an instance; programs of an installation need not exist here.
      const names = units.map((unit) => unit.replace('@.', '@worker.'));
      units.forEach((unit, index) => {
        const text = read('systemd', unit).replaceAll('/usr/bin/node', '/bin/true');
        writeFileSync(join(folder, names[index] ?? unit), text);
      });
      const { stderr } = spawnSync('systemd-analyze', [
        'verify',
        '--man=no',
        ...names.map((name) => join(folder, name)),
      ]);
      expect(
        stderr
          .toString()
          .split('\n')
          .filter((line) => line.includes(folder)),
      ).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('dashboard, scraping and alerts', () => {
  let api: TestApi;
  let known: Set<string>;
  beforeAll(async () => {
    api = await openTestApi();
    const { kernel } = api.test;
    // Adds the metrics of a worker and a stream host to the common ones.
    measurePipeline(
      scriptedPipeline(async () => ({ durationSeconds: 1 })),
      kernel,
    );
    startRetention(kernel);
    const { body } = await api.http.app.inject({ method: 'GET', url: '/metrics' });
    known = new Set(
      [...body.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name = '', type]) => expanded(name, type)),
    );
  });
  afterAll(() => api.close());

  const expanded = (name: string, type: string | undefined) =>
    type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
  const metricsIn = (text: string) =>
    [...text.matchAll(/\b(?:figurehead|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) => name);
  interface Rule {
    alert: string;
    expr: string;
    labels: { severity: string };
    annotations: { summary: string; action: string };
  }
  const { groups } = parse(read('prometheus', 'alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);

  it('query only metrics of the program', () => {
    const dashboard = JSON.parse(read('grafana', 'figurehead.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const asked = [
      ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
      ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
      ...['worker.yaml', 'streams.yaml'].map((name) => {
        const { spec } = parse(read('kubernetes', 'autoscaling', name)) as {
          spec: { triggers: { metadata: { query: string } }[] };
        };
        return { where: name, expr: spec.triggers[0]?.metadata.query ?? '' };
      }),
    ];
    expect(asked.length).toBeGreaterThan(40);
    const wrong = asked.flatMap(({ where, expr }) => {
      const names = metricsIn(expr.replace(/"[^"]*"/g, '""'));
      return names.filter((name) => !known.has(name)).map((name) => `${where}: ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('alert with a severity, a description and instructions', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Figurehead[A-Z]/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
      expect(annotations.action.length).toBeGreaterThan(15);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it('have panels that do not overlap', () => {
    const { panels } = JSON.parse(read('grafana', 'figurehead.json')) as {
      panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
    };
    const cells = new Set<string>();
    for (const { id, gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect([id, cells.has(`${x},${y}`)]).toEqual([id, false]);
          cells.add(`${x},${y}`);
        }
      }
    }
  });

  it.runIf(spawnSync('promtool', ['--version']).status === 0)(
    'are accepted by Prometheus, and fire when they should',
    () => {
      const folder = join(DEPLOY, 'prometheus');
      execFileSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')]);
      execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: dirname(join(folder, 'x')) });
    },
  );
});

describe('the workflows', () => {
  const folder = join(ROOT, '.github', 'workflows');
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };

  it.each(readdirSync(folder))('%s is valid, and runs existing commands and scripts', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const document = parseDocument(text, { strict: true, uniqueKeys: true });
    expect([document.errors, document.warnings]).toEqual([[], []]);
    const { jobs } = document.toJS() as { jobs: Record<string, { steps: { run?: string; uses?: string }[] }> };
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    expect(steps.every(({ run, uses }) => (run === undefined) !== (uses === undefined))).toBe(true);
    for (const [, script = ''] of text.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([script]);
    for (const [, path = ''] of text.matchAll(/node (scripts\/\S+\.js)/g))
      expect(existsSync(join(ROOT, path))).toBe(true);
  });
});
