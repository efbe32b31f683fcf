import type { Random } from '@isthmus/machinery';
import { randomSuffix } from '@isthmus/machinery';

/**
 * Names this process among the candidates for a Lease and in Events: the name of the Pod (POD_NAME), otherwise that of the host, and a random
 * suffix, because a container that was restarted has the name of the one before.
 */
export function processIdentity(source: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostname: string;
  readonly random: Random;
}): string {
  return `${source.env['POD_NAME'] || source.hostname}_${randomSuffix(source.random, 8)}`;
}
