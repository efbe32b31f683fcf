import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { reportersOf } from './scripts/landing/times-reporter.ts';

/** Small files whose tests take seconds. */
const long =
  /\/(losses|chaos|cli\/src\/process|demo|golden|story|contract|stories\/(session|leaving|export|common-area|members|sole-exporter|restart|port-rename)|two-leaders|crash-after-write|crash-before-write|serve-https|up-process|up|determinism|coverage|supervision|generated|own-server-faults)\.test\.ts$/;

/**
 * The runner begins with what took longest the last time. In a fresh clone it only knows how large files are, and would come to the longest
 * of ours when the other processor has nothing left to do.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'bench/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.envtest.test.ts'],
    // No module holds state (ARCHITECTURE.md, rule 5): files can share a worker.
    isolate: false,
    pool: 'threads',
    // The runner leaves one processor to itself, which it needs for moments only.
    maxWorkers: '100%',
    // A case alone, or a record that is not there, is an error, on a machine of a developer as anywhere: `-u` writes records.
    allowOnly: false,
    update: 'none',
    // They only catch what hangs: how long a test takes says something of the host, and nothing of the code.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    sequence: { sequencer: LongFirst },
    reporters: reportersOf('unit'),
    // Node loads what it loads in production, without another transformation; an import is then a binding, not a property of an object.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Programs that tests start load their modules from here the second time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
  },
});
