/**
 * The result of the merge in the form of the oracle's verdict, so that the two can be compared.
 * Test-only.
 */
import type { Merged, MergedEndpointPort, MergedPods } from '../types.ts';
import { servedTexts } from './oracle.ts';
import type { Served, Verdict } from './oracle.ts';

/** Every address behind every port of one subset or slice. */
const served = (
  ports: readonly MergedEndpointPort[],
  addresses: readonly Pick<Served, 'address' | 'addressType' | 'ready'>[],
): readonly Served[] =>
  ports.flatMap(({ name = '', protocol, port }) => addresses.map((address) => ({ ...address, name, protocol, port })));

/** The endpoints that Antrea members read: each address with each port. */
export const servedBySubsets = (merged: Merged): readonly Served[] =>
  merged.subsets.flatMap(({ addresses, ports }) =>
    served(
      ports,
      addresses.map(({ ip }) => ({ address: ip, addressType: ip.includes(':') ? 'IPv6' : 'IPv4', ready: true })),
    ),
  );

/** Every address behind every port of one slice; one without ports serves nothing. */
const servedBySlice = ({ endpoints, ports }: MergedPods, addressType: string): readonly Served[] =>
  served(
    ports,
    endpoints.flatMap(({ addresses, conditions }) =>
      addresses.map((address) => ({ address, addressType, ready: conditions?.ready !== false })),
    ),
  );

/** The endpoints of one source cluster that our members read. */
export const servedBySlices = (merged: Merged, clusterID: string): readonly Served[] =>
  (merged.perCluster.get(clusterID) ?? []).flatMap((slice) => servedBySlice(slice, slice.addressType));

/** The Pods that agents of our members use in place of the ClusterIP of that cluster. */
const servedBehind = (merged: Merged, clusterID: string): readonly Served[] =>
  (merged.perCluster.get(clusterID) ?? []).flatMap(({ addressType, pods = [] }) =>
    pods.flatMap((some) => servedBySlice(some, addressType)),
  );

/** The merge's result in the form of the oracle's verdict. Throws if there is no import. */
export const verdictOf = (merged: Merged): Verdict => {
  if (merged.import === undefined) throw new Error('the merge gave no import');
  const { type, ports, ...whole } = merged.import;
  return {
    import: {
      type,
      ports: ports.map(({ name = '', protocol, port, appProtocol }) => ({ name, protocol, port, appProtocol })),
      whole,
    },
    exportedLabels: merged.exportedLabels ?? {},
    exportedAnnotations: merged.exportedAnnotations ?? {},
    merged: servedTexts(servedBySubsets(merged)),
    clusters: Object.fromEntries(
      [...merged.conflicts].map(([clusterID, { status, reason }]) => [
        clusterID,
        {
          accepted: [...(merged.accepted.get(clusterID) ?? [])].toSorted(),
          status,
          reason,
          served: servedTexts(servedBySlices(merged, clusterID)),
          behind: servedTexts(servedBehind(merged, clusterID)),
        },
      ]),
    ),
  };
};
