/**
 * The speed of this host. One of the modules that may touch the world (time, also of the
 * processor).
 */
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { threadCpuUsage } from 'node:process';
import { Worker, isMainThread, workerData } from 'node:worker_threads';

/**
 * Rounds of the loop, each with text, objects and a hash, like the work of tests and API servers.
 */
const rounds = 160_000;

/**
 * The processor time of the calibration loop, in seconds, while each other processor runs the loop
 * as well: tests use all of them, and processors of many hosts share caches and units. Other load
 * on the machine changes it little.
 */
export function calibrationSeconds(): number {
  const others = Array.from(
    { length: availableParallelism() - 1 },
    () => new Worker(new URL(import.meta.url), { workerData: calibrating }),
  );
  work(rounds / 2);
  const before = threadCpuUsage();
  work(rounds);
  const { user, system } = threadCpuUsage(before);
  for (const worker of others) void worker.terminate();
  return (user + system) / 1e6;
}

const calibrating = 'isthmus-calibration';

function work(times: number): string {
  let digest = '';
  for (let round = 0; round < times; round++) {
    const object = { round, digest, items: Array.from({ length: 8 }, (_, nth) => ({ name: `item-${nth}`, round })) };
    const copy = JSON.parse(JSON.stringify(object)) as typeof object;
    digest = createHash('sha256')
      .update(copy.items.map(({ name }) => name + copy.digest).join())
      .digest('hex');
  }
  return digest;
}

/**
 * How much slower than an ordinary host this one is at the moment, including other load: 1 or more.
 * `loopSeconds`: the time of the calibration loop on an ordinary host.
 */
export function slownessNow(loopSeconds: number): number {
  const before = performance.now();
  work(rounds / 4);
  return Math.max(1, (4 * (performance.now() - before)) / 1000 / loopSeconds);
}

if (!isMainThread && workerData === calibrating) for (;;) work(rounds);
