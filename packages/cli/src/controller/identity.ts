import { podIdentity } from '@isthmus/kube';
import type { Random } from '@isthmus/machinery';
import { randomSuffix } from '@isthmus/machinery';

/**
 * Names this process among the candidates for a Lease and in Events: the name of the Pod
 * (POD_NAME), otherwise that of the host, and a random suffix, because a container that was
 * restarted has the name of the one before.
 *
 * With POD_UID, for the first process of a container, it names the Pod for certain, so that the
 * container that follows need not wait for the Lease to expire. A second process in a container
 * would take the Lease from the first, so it gets the plain form.
 */
export function processIdentity(source: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostname: string;
  readonly pid: number;
  readonly random: Random;
}): string {
  const { env, hostname, pid, random } = source;
  const name = env['POD_NAME'] || hostname;
  const uid = env['POD_UID'];
  const suffix = randomSuffix(random, 8);
  return uid && pid === 1 ? podIdentity({ name, uid, container: suffix }) : `${name}_${suffix}`;
}
