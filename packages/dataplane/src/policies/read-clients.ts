import type { LabelIdentity, Namespace, Node, Pod } from '@isthmus/api';
import { labelIdentityHash, normalizedLabel } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { addressText, parseAddress } from '@isthmus/machinery';
import type { PodIdentity } from '../desired/cluster-network.ts';
import { unknownIdentity } from '../desired/identities.ts';
import type { NodeClient } from './egress-classes.ts';

/** The clients of a Node, and what their packets bear. */
export interface ReadClients {
  readonly clients: readonly NodeClient[];
  readonly identities: readonly PodIdentity[];
}

export interface ClientObjects {
  /** The Node itself; undefined: it is not read. */
  readonly node: Node | undefined;
  /** Of this Node. */
  readonly pods: readonly Pod[];
  readonly namespaceOf: (name: string) => Namespace | undefined;
  /** By the hash of the labels, which is its name. */
  readonly labelIdentityOf: (hash: string) => LabelIdentity | undefined;
}

/**
 * The network of the Node, and its Pods with addresses of their own. An address that two Pods seem to have is that of the younger one: the other has ended. A Pod whose Namespace is not known has
 * the labels of none, so no policy by Namespace is about it, and its number is unknown.
 */
export function readClients({ node, pods, namespaceOf, labelIdentityOf }: ClientObjects): ReadClients {
  const owners = new Map<string, { readonly pod: Pod; readonly address: Address }>();
  for (const pod of pods.filter(hasOwnNetwork).toSorted(byAge))
    for (const address of addressesOf(pod)) owners.set(addressText(address), { pod, address });
  const byPod = Map.groupBy(owners.values(), ({ pod }) => pod);
  const read = [...byPod].map(([pod, owned]) => {
    const { namespace = '', labels = {} } = pod.metadata;
    const namespaceLabels = namespaceOf(namespace)?.metadata.labels;
    const label = namespaceLabels && normalizedLabel(namespaceLabels, labels);
    const known = label === undefined ? undefined : labelIdentityOf(labelIdentityHash(label))?.spec;
    const id = known?.label === label ? known?.id : undefined;
    const addresses = owned.map(({ address }) => address);
    return {
      client: {
        client: { kind: 'pod' as const, namespace, labels, namespaceLabels: namespaceLabels ?? {} },
        addresses,
      },
      identities: addresses.map((address): PodIdentity => ({ address, id: id ?? unknownIdentity })),
    };
  });
  const ofNode: readonly NodeClient[] =
    node === undefined ? [] : [{ client: { kind: 'node', labels: node.metadata.labels ?? {} }, addresses: [] }];
  return {
    clients: [...ofNode, ...read.map(({ client }) => client)],
    identities: read.flatMap(({ identities }) => identities),
  };
}

/** Those that have ended have given their addresses back. */
function hasOwnNetwork({ spec, status }: Pod): boolean {
  return spec?.hostNetwork !== true && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function addressesOf({ status }: Pod): readonly Address[] {
  const texts = status?.podIPs?.map(({ ip }) => ip) ?? (status?.podIP === undefined ? [] : [status.podIP]);
  return texts.flatMap((text) => parseAddress(text) ?? []);
}

/** The oldest first; of the same age, in the order of their names. */
function byAge(a: Pod, b: Pod): number {
  const [first, second] = [keyOf(a), keyOf(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

const keyOf = ({ metadata: { creationTimestamp = '', namespace, name } }: Pod) =>
  `${creationTimestamp} ${namespace}/${name}`;
