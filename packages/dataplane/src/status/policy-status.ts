import { addressText } from '@isthmus/machinery';
import { unknownIdentity } from '../desired/identities.ts';
import type { ReadPolicies } from '../policies/policy-reader.ts';

/** The effect of policies and labels on a Node. */
export interface PolicyStatus {
  /** `Antrea`: Antrea's agent runs on the Node, so this agent denies nothing. */
  readonly enforcedBy: 'Antrea' | 'agent';
  /**
   * The Pods of the Node, by address. `number`: the number of their labels; undefined: their
   * packets carry the number for unknown labels.
   */
  readonly pods: readonly { readonly address: string; readonly number?: number | undefined }[];
  /** Imported Services that clients on the Node may not reach. */
  readonly denied: readonly {
    /** `<Namespace>/<name>` of the derived Service. */
    readonly service: string;
    readonly result: 'drop' | 'reject';
    /** Addresses of Pods, or `node` for the network of the Node. */
    readonly clients: readonly string[];
  }[];
}

/** Groups the denials by Service. */
export function policyStatus({
  identities,
  egress,
  enforcedBy,
}: Pick<ReadPolicies, 'identities' | 'egress' | 'enforcedBy'>): PolicyStatus {
  const rows = egress.flatMap(({ addresses, denied }) =>
    Object.entries(denied).map(([service, result]) => ({
      service,
      result,
      clients: addresses === 'node' ? [addresses] : addresses.map(addressText),
    })),
  );
  const together = Map.groupBy(rows, ({ service, result }) => `${service} ${result}`);
  return {
    enforcedBy,
    pods: identities.map(({ address, id }) => ({
      address: addressText(address),
      ...(id < unknownIdentity && { number: id }),
    })),
    denied: [...together]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, [first, ...others]]) =>
        first === undefined ? [] : [{ ...first, clients: [first, ...others].flatMap(({ clients }) => clients) }],
      ),
  };
}
