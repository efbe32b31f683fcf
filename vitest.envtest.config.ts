import { defineConfig } from 'vitest/config';

/** The tests against real API servers: one file at a time, as each starts clusters of its own. */
export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.envtest.test.ts'],
    isolate: false,
    pool: 'threads',
    fileParallelism: false,
    // Of tests that say so: they wait for their servers most of the time.
    maxConcurrency: 16,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    teardownTimeout: 30_000,
  },
});
