import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.envtest.test.ts'],
    // No module holds state (ARCHITECTURE.md, rule 5): files can share a worker.
    isolate: false,
    pool: 'threads',
    // The runner leaves one processor to itself, which it needs for moments only.
    maxWorkers: '100%',
    testTimeout: 60_000,
    // Programs that tests start load their modules from here the second time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
  },
});
