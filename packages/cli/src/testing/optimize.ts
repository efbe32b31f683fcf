// A process of its own for the test of `spare-compilers.ts` and `node-memory.ts`: flags of V8 would
// hold for the tests that share a worker.
import { nodeMemory } from '../world/node-memory.ts';
import { spareCompilers } from '../world/spare-compilers.ts';

spareCompilers();
const memory = nodeMemory();
let sum = 0;
function hot(count: number): void {
  for (let index = 0; index < count; index++) sum = (sum + index * 3) % 1_000_003;
}
const warmUp = (): void => {
  for (let round = 0; round < 2_000; round++) hot(5_000);
};
warmUp();
process.stdout.write('now they are wanted\n');
memory.optimize();
warmUp();
process.stdout.write(`${sum}\n`);
