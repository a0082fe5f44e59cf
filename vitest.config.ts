import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED, compiledSources } from './tests/support/compiled-sources.js';

/** Files that take ten seconds or more, the longest ones first: one of them at the end would keep a single core busy. */
const LONGEST = [
  'tests/e2e/streams.test.ts',
  'tests/e2e/console.test.ts',
  'tests/howto/howto.test.ts',
  'packages/media/src/photo/footage/footage.test.ts',
  'packages/server/src/roles/supervisor.test.ts',
  'tests/e2e/sound-pieces.test.ts',
  'packages/media/src/speech/synthesizers.test.ts',
  'packages/media/src/photo/surroundings.test.ts',
  'tests/chaos/machines.test.ts',
  'packages/media/src/photo/photo.test.ts',
  'packages/media/src/speech/recording/recording.test.ts',
  'packages/media/src/render/video.test.ts',
  'tests/security/sign-in.test.ts',
  'tests/security/pressure.test.ts',
];

/** Files whose tests can share a process, which saves its start and the loading of the server for each of them. */
const SHAREABLE = /^(packages|tests\/(conformance|e2e|security))\//;

/** What a file contains that does need its own process: it measures the process, listens to it, or has the engine of a worker. */
const OWN_PROCESS = /\bprocess\.(memoryUsage|on)\b|\b(launchChromium|launchFirefox|createEngine|longestTurn)\b/;

const FOLDERS = ['contract', 'console', 'media', 'presenter', 'presenter-web', 'sdk', 'server'].map(
  (name) => `packages/${name}/src`,
);
const FILES = [...FOLDERS, 'tests'].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((name) => name.endsWith('.test.ts')),
);

const SHARED = FILES.filter(
  (name) =>
    SHAREABLE.test(name) &&
    !LONGEST.includes(name) &&
    !OWN_PROCESS.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
);
const SHARING = 'shared process';

/** Begins with the longest files, and ends with those that share processes, which is only possible for successive ones. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      if (project.name === SHARING) return LONGEST.length + 2;
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      if (at >= 0) return at;
      return LONGEST.length + (/\/tests\/(e2e|howto|security)\//.test(moduleId) ? 0 : 1);
    };
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

const common = {
  plugins: [compiledSources()],
  test: {
    pool: 'forks' as const,
    server: { deps: { external: [COMPILED] } },
    // Only what hangs takes as long as these: tests give no limits of their own, because a loaded machine would break them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    // No test downloads a voice, nor do the programs that it starts.
    env: { FIGUREHEAD_NATURAL_VOICES: 'off' },
  },
};

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    globalSetup: ['tests/support/global-setup.ts'],
    // One more than the cores that it is meant for: a third of the time tests wait for sound that plays, for pauses and for the disk.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...common,
        test: {
          ...common.test,
          name: 'own process',
          include: FILES.filter((name) => !SHARED.includes(name)),
        },
      },
      { ...common, test: { ...common.test, name: SHARING, include: SHARED, isolate: false } },
    ],
  },
});
