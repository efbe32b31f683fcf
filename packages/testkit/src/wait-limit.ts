/**
 * How long a test on real servers waits before it fails. Of the modules that may touch the world:
 * it reads the environment.
 */
import { env } from 'node:process';

/** The longest time for a result that no controller waits for, on an ordinary host. */
const ordinaryMs = 60_000;

/** The longest time that controllers wait on their own account before they act. */
const patienceMs = 90_000;

/**
 * The limit of a wait in milliseconds. It only catches a test that hangs. The runner of tests
 * measures the speed of this host, and puts it into `ISTHMUS_SLOWNESS`; without that variable, the
 * host counts as twice as slow.
 */
export function waitLimitMs(): number {
  return (ordinaryMs + patienceMs) * Math.max(1, Number(env['ISTHMUS_SLOWNESS'] ?? 2));
}
