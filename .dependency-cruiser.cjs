const { existsSync, readdirSync } = require('node:fs');

/** The house's boundaries; docs/architecture.md draws them. */

/** The rooms of the engine and the rooms that each may import: data goes forward only. */
function mediaRooms(rooms) {
  return Object.entries(rooms).map(([room, others]) => ({
    name: `media-${room}-imports-forward`,
    severity: 'error',
    from: { path: `^packages/media/src/${room}/` },
    to: { path: '^packages/media/src/[^/]+/', pathNot: `^packages/media/src/(${[room, ...others].join('|')})/` },
  }));
}

/** Folders of features that have a door (`index.ts`, `routes.ts` for the API): their other files are for themselves. */
function featureParts() {
  const features = 'packages/server/src/features';
  const folders = readdirSync(features, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
  return folders
    .filter((folder) => folder.split('/').length > features.split('/').length + 1 && existsSync(`${folder}/index.ts`))
    .map((folder) => ({
      name: `${folder.split('/').slice(-2).join('-')}-is-entered-by-its-index`,
      severity: 'error',
      from: { path: '^packages/', pathNot: `^${folder}/` },
      to: { path: `^${folder}/`, pathNot: `^${folder}/(index|routes)\\.ts$` },
    }));
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'contract-imports-no-other-package',
      severity: 'error',
      from: { path: '^packages/contract/' },
      to: { path: '^packages/(media|presenter|presenter-web|server|sdk|console)/' },
    },
    {
      name: 'presenter-knows-only-the-contract',
      severity: 'error',
      from: { path: '^packages/presenter/' },
      to: { path: '^packages/(media|presenter-web|server|sdk|console)/' },
    },
    {
      name: 'presenter-web-knows-only-contract-and-presenter',
      severity: 'error',
      from: { path: '^packages/presenter-web/' },
      to: { path: '^packages/(media|server|sdk|console)/' },
    },
    {
      name: 'browsers-have-no-node',
      severity: 'error',
      from: { path: '^packages/(contract|presenter|presenter-web)/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'media-knows-only-contract-and-presenter',
      severity: 'error',
      from: { path: '^packages/media/' },
      to: { path: '^packages/(server|sdk|console)/' },
    },
    ...mediaRooms({
      speech: ['encode'],
      presenter: [],
      encode: [],
      scene: ['speech', 'presenter', 'encode'],
      render: ['speech', 'presenter', 'encode', 'scene'],
      live: ['speech', 'presenter', 'encode'],
      photo: ['speech', 'presenter', 'encode'],
    }),
    {
      name: 'sdk-knows-only-the-contract',
      severity: 'error',
      from: { path: '^packages/sdk/' },
      to: { path: '^packages/(media|server|console)/' },
    },
    {
      name: 'console-talks-through-the-sdk',
      severity: 'error',
      from: { path: '^packages/console/' },
      to: { path: '^packages/(contract|media|server)/' },
    },
    {
      name: 'kernel-knows-no-feature-or-role',
      severity: 'error',
      from: { path: '^packages/server/src/kernel/' },
      to: { path: '^packages/server/src/(features|roles)/' },
    },
    {
      name: 'features-know-no-role',
      severity: 'error',
      from: { path: '^packages/server/src/features/' },
      to: { path: '^packages/server/src/roles/' },
    },
    {
      name: 'features-meet-at-the-door',
      comment: 'feature A reaches feature B only through B/index.ts, its routes also through B/routes.ts',
      severity: 'error',
      from: { path: '^packages/server/src/features/([^/]+)/' },
      to: {
        path: '^packages/server/src/features/([^/]+)/',
        pathNot: [
          '^packages/server/src/features/$1/',
          '^packages/server/src/features/[^/]+/(index|offline|routes)\\.ts$',
        ],
      },
    },
    ...featureParts(),
    {
      name: 'roles-enter-by-the-door',
      comment:
        'those of a feature, or of a part of it; routes.ts is for the API, host.ts for stream hosts, offline.ts for what needs no database',
      severity: 'error',
      from: { path: '^packages/server/src/(roles|cli)/' },
      to: {
        path: '^packages/server/src/features/[^/]+/',
        pathNot: '^packages/server/src/features/.+/(index|offline|routes|host)\\.ts$',
      },
    },
    {
      name: 'only-the-api-loads-routes',
      severity: 'error',
      from: { path: '^packages/server/src/(roles/(engine|worker|streams)|features/[^/]+/(index|offline))\\.ts$' },
      to: { path: '/routes\\.ts$', reachable: true },
    },
    {
      name: 'the-offline-door-leads-to-no-database',
      severity: 'error',
      from: { path: '^packages/server/src/features/[^/]+/offline\\.ts$' },
      to: { path: 'node_modules/(kysely|pg|pg-boss|fastify)/', reachable: true },
    },
    {
      name: 'routes-never-touch-a-store',
      severity: 'error',
      from: { path: '/routes\\.ts$' },
      to: { path: '/store\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'a-store-never-calls-a-service',
      severity: 'error',
      from: { path: '/store\\.ts$' },
      to: { path: '/service\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-av-imports-the-codec',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/media/src/(encode|live)/av\\.ts$' },
      to: { path: 'node_modules/node-av/' },
    },
    {
      name: 'only-config-reads-the-environment',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: '^packages/server/src/kernel/config/config\\.ts$' },
      to: { path: 'node_modules/dotenv/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(\\.test\\.ts$|/dist/|/assembly/)' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
};
