import type { Gateway, Lease, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';
import type { EndpointIPType } from '../config.ts';
import { isLive } from './loss/withdrawal.ts';

/** What has to be the same in all clusters that exchange Services (docs/spec/wire.md §9); undefined: the cluster does not announce it. */
export interface ClusterSettings {
  readonly clusterID: string;
  readonly endpointIPType: EndpointIPType | undefined;
  readonly dataPlane: string | undefined;
  /** What the cluster calls its leader. */
  readonly leaderClusterID: string | undefined;
}

/** The type of the endpoints of a cluster, by its announcement: only while the member that writes it beats. */
export function announcedEndpointIPType({ metadata }: MemberClusterAnnounce): EndpointIPType | undefined {
  const {
    [Annotation.touchTs]: touchTs = '',
    [Annotation.marksAt]: marksAt,
    [Annotation.endpointIPType]: type,
  } = metadata.annotations ?? {};
  if (touchTs === '' || marksAt !== touchTs) return undefined;
  return type === 'ClusterIP' || type === 'PodIP' ? type : undefined;
}

/** The data plane that an object names; undefined where it names none, or not a valid one. */
export function dataPlaneOf(
  object: Pick<Gateway | Lease | ResourceExport, 'metadata'> | undefined,
): string | undefined {
  const name = object?.metadata.annotations?.[Annotation.dataPlane] ?? '';
  return /^[a-z0-9]+(?:[-/][a-z0-9]+){0,3}$/.test(name) && name.length <= 63 ? name : undefined;
}

/** The data plane of a cluster, by its Gateways: an agent writes it there, or publishes it in the Lease of its Node. The oldest one counts. */
export function dataPlaneOfGateways(gateways: readonly Gateway[]): string | undefined {
  return dataPlaneOf(
    gateways
      .filter(isLive)
      .toSorted(byAge)
      .find((gateway) => dataPlaneOf(gateway) !== undefined),
  );
}
