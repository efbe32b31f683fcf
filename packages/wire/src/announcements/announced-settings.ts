import type { Gateway, Lease, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';
import { isLive } from '../marks/withdrawal.ts';

/** What the endpoints of an exported Service are: its ClusterIP, or its Pods (docs/spec/process.md §2). */
export type EndpointIPType = 'ClusterIP' | 'PodIP';

/** What has to be the same in all clusters that exchange Services (docs/spec/wire.md §9); undefined: the cluster does not announce it. */
export interface ClusterSettings {
  readonly clusterID: string;
  readonly endpointIPType: EndpointIPType | undefined;
  readonly dataPlane: string | undefined;
  /** Whether the cluster exports and imports label identities. */
  readonly stretchedNetworkPolicy: boolean | undefined;
  /** What the cluster calls its leader. */
  readonly leaderClusterID: string | undefined;
}

/** What a member announces of its configuration, so that the leader can compare it with that of the others. */
export interface AnnouncedSettings {
  readonly enableStretchedNetworkPolicy: boolean;
  readonly endpointIPType: EndpointIPType;
}

/** The annotations of an announcement that say so. */
export function settingAnnotations(settings: AnnouncedSettings): Readonly<Record<string, string>> {
  return {
    [Annotation.endpointIPType]: settings.endpointIPType,
    [Annotation.stretchedNetworkPolicy]: String(settings.enableStretchedNetworkPolicy),
  };
}

/** The type of the endpoints of a cluster, by its announcement: only while the member that writes it beats. */
export function announcedEndpointIPType(announce: MemberClusterAnnounce): EndpointIPType | undefined {
  const type = announcedSetting(announce, Annotation.endpointIPType);
  return type === 'ClusterIP' || type === 'PodIP' ? type : undefined;
}

/** `enableStretchedNetworkPolicy` of a cluster, by its announcement: only while the member that writes it beats. */
export function announcedStretchedNetworkPolicy(announce: MemberClusterAnnounce): boolean | undefined {
  const value = announcedSetting(announce, Annotation.stretchedNetworkPolicy);
  return value === 'true' || value === 'false' ? value === 'true' : undefined;
}

/** Undefined where the value may be that of a member which does not beat any more: one of Antrea leaves it there. */
function announcedSetting({ metadata }: MemberClusterAnnounce, key: string): string | undefined {
  const {
    [Annotation.touchTs]: touchTs = '',
    [Annotation.marksAt]: marksAt,
    [key]: value,
  } = metadata.annotations ?? {};
  return touchTs === '' || marksAt !== touchTs ? undefined : value;
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
