import type { Source } from '@isthmus/kube';
import { parseCidr } from '@isthmus/machinery';
import { isOurClusterInfoImport } from '@isthmus/wire';
import type { RangeOwners } from '../../../../own-cluster/range-set.ts';
import { rangeOwnersOf } from '../../../../own-cluster/range-set.ts';
import { following, showsContent } from '../../../../reporting/following.ts';
import type { LocalCluster } from '../../local/services.ts';

/** The Pod and Service CIDRs that this cluster uses for others, each with its cluster. */
export interface AcceptedRanges extends RangeOwners {
  /** Follows the imported networks. It wakes nothing. */
  readonly source: Source;
}

export function createAcceptedRanges({ clusterInfoImports: { cache } }: LocalCluster): AcceptedRanges {
  let owners: RangeOwners | undefined;
  const read = () =>
    rangeOwnersOf(
      cache.list().flatMap((object) => {
        const { clusterID: owner = '', serviceCIDR = '', podCIDRs = [] } = object.spec ?? {};
        if (!isOurClusterInfoImport(object)) return [];
        return [serviceCIDR, ...podCIDRs].flatMap((text) => {
          const cidr = parseCidr(text);
          return cidr === undefined ? [] : [{ cidr, owner }];
        });
      }),
    );
  return {
    source: following(() =>
      cache.subscribe((change) => {
        if (showsContent(change)) owners = undefined;
      }),
    ),
    ownerOf: (address) => (owners ??= read()).ownerOf(address),
  };
}
