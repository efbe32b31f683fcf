/**
 * The speed of this host. One of the modules that may touch the world (time, also of the
 * processor).
 */
import { createHash } from 'node:crypto';
import { cpuUsage } from 'node:process';

/**
 * Rounds of the loop, each with text, objects and a hash, like the work of tests and API servers.
 */
const rounds = 160_000;

/**
 * The processor time of the calibration loop, in seconds. Other load on the machine changes it
 * little.
 */
export function calibrationSeconds(): number {
  work(rounds / 10);
  const before = cpuUsage();
  work(rounds);
  const { user, system } = cpuUsage(before);
  return (user + system) / 1e6;
}

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
