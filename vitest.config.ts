import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.envtest.test.ts'],
    // No module holds state (ARCHITECTURE.md, rule 5): files can share a worker.
    isolate: false,
    pool: 'threads',
    testTimeout: 60_000,
  },
});
