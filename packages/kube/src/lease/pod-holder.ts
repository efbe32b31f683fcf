import { Pod } from '@isthmus/api';
import type { Pod as PodObject } from '@isthmus/api';
import type { Client } from '../client/client.ts';
import { isNotFound } from '../client/errors.ts';

/** A container of a Pod whose one process is a candidate. */
export interface PodHolder {
  /** The name of the Pod. */
  readonly name: string;
  /** The uid of the Pod: another Pod of the same name is another holder. */
  readonly uid: string;
  /** Distinguishes successive containers of one Pod: each has its own value. */
  readonly container: string;
}

/**
 * The identity of a candidate that is the only process of its container: `<pod>_<uid>_<container>`.
 */
export function podIdentity({ name, uid, container }: PodHolder): string {
  return `${name}_${uid}_${container}`;
}

/**
 * Parses the result of {@link podIdentity}; undefined for an identity of any other form, as
 * client-go's.
 */
function readPodIdentity(identity: string): PodHolder | undefined {
  const [, name, uid, container] = podForm.exec(identity) ?? [];
  return name === undefined || uid === undefined || container === undefined ? undefined : { name, uid, container };
}

const podForm = /^([^_]+)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([^_]+)$/;

/**
 * Whether the kubelet has ended all containers of a Pod for good (kubernetes.io/docs, "Pod
 * Lifecycle": it never runs again).
 */
function isTerminal({ status }: PodObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/**
 * Whether the process that holds a Lease has certainly ended, so that candidates need not wait for
 * the Lease to expire:
 *
 * - it was an earlier container of this very Pod: a kubelet starts a container after the one before
 *   it has ended, or
 * - its Pod is terminal, as the API server reports it.
 *
 * A missing Pod proves nothing: deleted by force, it may still run on an unreachable node. If the
 * Pod may not be read, the answer is false. Errors: those of the client, except that the Pod does
 * not exist.
 */
export async function hasHolderEnded(
  holder: string,
  { client, namespace, identity }: { readonly client: Client; readonly namespace: string; readonly identity: string },
  signal: AbortSignal,
): Promise<boolean> {
  const theirs = readPodIdentity(holder);
  if (theirs === undefined) return false;
  const own = readPodIdentity(identity);
  if (own?.uid === theirs.uid) return own.name === theirs.name && own.container !== theirs.container;
  try {
    const pod = await client.get(Pod, { namespace, name: theirs.name }, { signal });
    return pod.metadata.uid === theirs.uid && isTerminal(pod);
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
