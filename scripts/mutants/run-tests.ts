/**
 * A process that runs files of tests with mutants. Arguments: the root of the copy, the file of the
 * plan, the limit of a test in milliseconds, and the files in order.
 */
import { startVitest } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

const [root = '', plan = '', limitMs = '', ...paths] = process.argv.slice(2);

/** The files in the order of the arguments. */
class InOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => paths.findIndex((path) => moduleId.endsWith(`/${path}`));
    return Promise.resolve(files.toSorted((one, other) => placeOf(one) - placeOf(other)));
  }
}

const vitest = await startVitest('test', [...paths], {
  root,
  config: false,
  watch: false,
  run: true,
  include: [...paths],
  isolate: false,
  pool: 'threads',
  maxWorkers: 1,
  silent: true,
  reporters: [{}],
  update: 'none',
  testTimeout: Number(limitMs),
  hookTimeout: Number(limitMs),
  expect: { poll: { timeout: Number(limitMs) } },
  sequence: { sequencer: InOrder },
  experimental: { viteModuleRunner: false, nodeLoader: false },
  runner: `${root}/scripts/mutants/test-runner.ts`,
  env: { ISTHMUS_MUTANTS: plan },
});
await vitest.close();
process.exit(vitest.state.getFiles().some(({ result }) => result?.state === 'fail') ? 1 : 0);
