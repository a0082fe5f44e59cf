import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED, compiledSources } from './tests/support/compiled-sources.js';

/** Files that take a minute or more, the longest ones first: one of them at the end would keep a single core busy. */
const LONGEST = [
  'tests/e2e/console.test.ts',
  'tests/e2e/live.test.ts',
  'tests/howto/howto.test.ts',
  'packages/media/src/photo/footage/footage.test.ts',
  'tests/e2e/embed.test.ts',
  'tests/e2e/live-turn.test.ts',
  'packages/server/src/supervisor.test.ts',
  'tests/e2e/sound-pieces.test.ts',
  'packages/media/src/speech/synthesizers.test.ts',
  'packages/media/src/photo/surroundings.test.ts',
  'tests/e2e/conversation.test.ts',
  'tests/chaos/machines.test.ts',
];

/**
 * Tests that share a process, which saves its start for each of them. A file belongs here if it only computes: its tests and the modules
 * that they import keep no state, and change nothing of the process (environment, clock, listeners, output). Others get their own process.
 */
const SHARED = [
  'packages/contract/src/**/*.test.ts',
  'packages/console/src/**/*.test.ts',
  'packages/media/src/{colour,loudness}.test.ts',
  'packages/media/src/{encode/container,face,live/rtp,presenter,scene}/**/*.test.ts',
  'packages/media/src/render/{plan,stages/*}.test.ts',
  'packages/media/src/speech/text/{pronunciations,script,sentences,reading/*}.test.ts',
  'packages/media/src/speech/resample.test.ts',
];
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
          include: ['packages/*/src/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: SHARED,
        },
      },
      { ...common, test: { ...common.test, name: SHARING, include: SHARED, isolate: false } },
    ],
  },
});
