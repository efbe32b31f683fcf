import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { waitLimitMs } from './packages/testkit/src/wait-limit.ts';
import { reportersOf } from './scripts/landing/times-reporter.ts';

/** They look at what the whole machine has, its mounts, links and control groups, and run Nodes: nothing else runs beside them. */
const alone = [
  'packages/testkit/src/testbed/**/*.envtest.test.ts',
  'scripts/testbed.envtest.test.ts',
  'scripts/release/*on-nodes.envtest.test.ts',
  'scripts/release/image/**/*.envtest.test.ts',
];

/** Files that take minutes, the longest first: begun last, one would run beside nothing. */
const longest = [
  'losses',
  'token-binding',
  'previous-release',
  'chart',
  'uninstall-orders',
  'denied-writes',
  'controller-process',
  'contract',
  'installed',
  'sigterm',
  'demo',
  'import-cases',
  'outages',
  'readme',
  'large-exports',
  'policies',
  'seeds',
  'busy-admission',
  'member-breakers',
] as const;

/** The longest files first, the others as the runner has them: by what they took the last time, or by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(`/${name}.envtest.test.ts`));
      return found < 0 ? longest.length : found;
    };
    return sorted.toSorted((one, other) => place(one) - place(other));
  }
}

/**
 * The tests against real API servers. Each file starts clusters of its own, and waits for them more than it works: three files run side by side,
 * however many processors there are, as each has up to four API servers.
 */
export default defineConfig({
  test: {
    isolate: false,
    pool: 'threads',
    // Of tests that say so: they wait for their servers most of the time.
    maxConcurrency: 16,
    // A case alone, or a record that is not there, is an error, on a machine of a developer as anywhere: `-u` writes records.
    allowOnly: false,
    update: 'none',
    // They only catch what hangs, as those of `vitest.config.ts`: how long a server takes says something of the host.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    expect: { poll: { timeout: waitLimitMs() } },
    sequence: { sequencer: LongestFirst },
    reporters: reportersOf('envtest'),
    // As `vitest.config.ts`: Node loads what it loads in production, and loads it from its cache the second time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
    projects: [
      {
        extends: true,
        test: {
          name: 'clusters',
          include: [
            'packages/*/src/**/*.envtest.test.ts',
            'bench/**/*.envtest.test.ts',
            'scripts/**/*.envtest.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...alone],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'nodes', include: alone, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
