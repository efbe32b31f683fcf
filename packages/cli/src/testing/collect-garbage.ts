// A process of its own for the test of `node-memory.ts`, which sets flags of V8: they would hold
// for the tests that share a worker.
import { nodeMemory } from '../world/node-memory.ts';

const memory = nodeMemory();
const { full, count } = filled();
memory.compact();
process.stdout.write(JSON.stringify({ count, full, left: memory.heap(), busyShare: memory.busyShare() }));

/** The heap while it is full of objects that nothing refers to afterwards. */
function filled() {
  const garbage = Array.from({ length: 2_000_000 }, (_, index) => ({ index }));
  return { full: memory.heap(), count: garbage.length };
}
