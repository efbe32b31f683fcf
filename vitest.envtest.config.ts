import { defineConfig } from 'vitest/config';

/** The tests against real API servers: one file at a time, as each starts clusters of its own. */
export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.envtest.test.ts', 'bench/**/*.envtest.test.ts', 'scripts/**/*.envtest.test.ts'],
    isolate: false,
    pool: 'threads',
    fileParallelism: false,
    // Of tests that say so: they wait for their servers most of the time.
    maxConcurrency: 16,
    // They only catch what hangs, as those of `vitest.config.ts`: how long a server takes says something of the host.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
