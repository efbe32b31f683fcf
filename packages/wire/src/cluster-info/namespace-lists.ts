import { FixedName } from '@isthmus/api';

/**
 * Namespaces of which a cluster may export Services: names, or beginnings of names with `*` at the
 * end.
 */
export interface NamespaceLists {
  /** Default: all, and the storage of OpenShift, which its disaster recovery exports. */
  readonly allow?: readonly string[] | undefined;
  /** Default: {@link DenyDefaults}. */
  readonly deny?: readonly string[] | undefined;
}

/** What is denied to a cluster whose grant does not name Namespaces. */
export interface DenyDefaults {
  /** Whether all Namespaces of Kubernetes and of the controllers are denied. */
  readonly isHardened: boolean;
  /** The Namespaces of the controllers of Isthmus. */
  readonly ofControllers: readonly string[];
}

/** The defaults in a cluster. `namespace`: that of the controller that judges. */
export function denyDefaults({ hardened }: { readonly hardened: boolean }, namespace: string): DenyDefaults {
  // A leader does not know those of the controllers of members.
  return { isHardened: hardened, ofControllers: [namespace, FixedName.memberNamespace] };
}

const everywhere = ['kube-public', 'kube-node-lease', 'openshift*'];
const allowedEverywhere = ['*', 'openshift-storage'];

/**
 * The entry that denies a Namespace to a cluster; undefined: it is allowed. The longest entry that
 * matches decides, and of two with the same length the denial. A Namespace that no entry of `allow`
 * matches is denied, by that list.
 */
export function deniedBy(
  namespace: string,
  { allow = allowedEverywhere, deny }: NamespaceLists,
  { isHardened, ofControllers }: DenyDefaults,
): string | undefined {
  const denied = deny ?? [...everywhere, ...(isHardened ? ['kube-*', ...ofControllers] : [])];
  const [allowing, denying] = [longestMatch(namespace, allow), longestMatch(namespace, denied)];
  if (allowing === undefined) return denying ?? `no entry of allow (${allow.join(', ')})`;
  return denying !== undefined && lengthOf(denying) >= lengthOf(allowing) ? denying : undefined;
}

function longestMatch(namespace: string, entries: readonly string[]): string | undefined {
  return entries
    .filter((entry) => (entry.endsWith('*') ? namespace.startsWith(entry.slice(0, -1)) : namespace === entry))
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))[0];
}

/** A name is more exact than a beginning with the same letters. */
const lengthOf = (entry: string) => (entry.endsWith('*') ? entry.length - 1 : entry.length + 0.5);
