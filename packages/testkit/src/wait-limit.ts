/**
 * How long a test on real servers waits before it fails. Of the modules that may touch the world:
 * it reads the environment.
 */
import { env } from 'node:process';

/** What a result may take that no controller waits for, on an ordinary host. */
const ordinaryMs = 60_000;

/** The longest time that controllers wait on their own account before they act. */
const patienceMs = 90_000;

/**
 * The limit of a wait in milliseconds. It only catches what hangs. The runner of tests measures how
 * slow this host is, and puts it into `ISTHMUS_SLOWNESS`; without it, the host is taken for twice
 * as slow.
 */
export function waitLimitMs(): number {
  return (ordinaryMs + patienceMs) * Math.max(1, Number(env['ISTHMUS_SLOWNESS'] ?? 2));
}
