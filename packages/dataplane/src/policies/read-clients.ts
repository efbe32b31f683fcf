import type { LabelIdentity, Namespace, Node, Pod } from '@isthmus/api';
import { labelIdentityHash, normalizedLabel } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { addressText, parseAddress } from '@isthmus/machinery';
import type { PodIdentity } from '../desired/cluster-network.ts';
import { unknownIdentity } from '../desired/identities.ts';
import type { NodeClient } from './egress-classes.ts';

/** The clients of a Node, and the labels of its Pods. */
export interface ReadClients {
  readonly clients: readonly NodeClient[];
  readonly pods: readonly LabelledPod[];
}

interface LabelledPod {
  readonly addresses: readonly Address[];
  /**
   * The labels of the Pod and its Namespace, in the form of a LabelIdentity. Undefined: its
   * Namespace is not known.
   */
  readonly label: string | undefined;
  /** The name of that LabelIdentity. */
  readonly hash: string;
}

export interface ClientObjects {
  /** The Node itself; undefined: it has not been read. */
  readonly node: Node | undefined;
  /** The Pods of this Node. */
  readonly pods: readonly Pod[];
  readonly namespaceOf: (name: string) => Namespace | undefined;
}

/**
 * The network of the Node, and its Pods with addresses of their own. If two Pods seem to have an
 * address, it belongs to the younger Pod: the other has ended. A Pod whose Namespace is not known
 * has no labels of a Namespace, so no policy by Namespace selects it, and its number is unknown.
 */
export function readClients({ node, pods, namespaceOf }: ClientObjects): ReadClients {
  const owners = new Map<string, { readonly pod: Pod; readonly address: Address }>();
  for (const pod of pods.filter(hasOwnNetwork).toSorted(byAge))
    for (const address of addressesOf(pod)) owners.set(addressText(address), { pod, address });
  const byPod = Map.groupBy(owners.values(), ({ pod }) => pod);
  const read = [...byPod].map(([pod, owned]) => {
    const { namespace = '', labels = {} } = pod.metadata;
    const namespaceLabels = namespaceOf(namespace)?.metadata.labels;
    const label = namespaceLabels && normalizedLabel(namespaceLabels, labels);
    const addresses = owned.map(({ address }) => address);
    return {
      client: {
        client: { kind: 'pod' as const, namespace, labels, namespaceLabels: namespaceLabels ?? {} },
        addresses,
      },
      pod: { addresses, label, hash: label === undefined ? '' : labelIdentityHash(label) },
    };
  });
  const ofNode: readonly NodeClient[] =
    node === undefined ? [] : [{ client: { kind: 'node', labels: node.metadata.labels ?? {} }, addresses: [] }];
  return {
    clients: [...ofNode, ...read.map(({ client }) => client)],
    pods: read.map(({ pod }) => pod),
  };
}

/** The objects that {@link readClients} reads: equal objects give the same result. */
export function inputsOf({ node, pods, namespaceOf }: ClientObjects): readonly unknown[] {
  const namespaces = new Set(pods.map(({ metadata }) => metadata.namespace ?? ''));
  return [node?.metadata.labels, ...pods, 'Namespaces', ...[...namespaces].map(namespaceOf)];
}

/**
 * The numbers of the labels of Pods. `labelIdentityOf`: by the hash of the labels, which is its
 * name.
 */
export function numbersOf(
  { pods }: ReadClients,
  labelIdentityOf: (hash: string) => LabelIdentity | undefined,
): readonly PodIdentity[] {
  return pods.flatMap(({ addresses, label, hash }) => {
    const known = label === undefined ? undefined : labelIdentityOf(hash)?.spec;
    const id = known?.label === label ? (known?.id ?? unknownIdentity) : unknownIdentity;
    return addresses.map((address) => ({ address, id }));
  });
}

/** Pods that have ended have returned their addresses. */
function hasOwnNetwork({ spec, status }: Pod): boolean {
  return spec?.hostNetwork !== true && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function addressesOf({ status }: Pod): readonly Address[] {
  const texts = status?.podIPs?.map(({ ip }) => ip) ?? (status?.podIP === undefined ? [] : [status.podIP]);
  return texts.flatMap((text) => parseAddress(text) ?? []);
}

/** The oldest first; Pods of the same age in the order of their names. */
function byAge(a: Pod, b: Pod): number {
  const [first, second] = [keyOf(a), keyOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

const keyOf = ({ metadata: { creationTimestamp = '', namespace, name } }: Pod) =>
  `${creationTimestamp} ${namespace}/${name}`;
