import type { Gateway, Lease, MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { byAge, isLive } from '@isthmus/machinery';

/**
 * What the addresses in the endpoints of an exported Service are: ClusterIPs, or Pod IPs
 * (docs/spec/process.md §2).
 */
export type EndpointIPType = 'ClusterIP' | 'PodIP';

/**
 * The settings that must be the same in all clusters that exchange Services (docs/spec/wire.md §9).
 * Undefined: the cluster does not announce the setting.
 */
export interface ClusterSettings {
  readonly clusterID: string;
  readonly endpointIPType: EndpointIPType | undefined;
  readonly dataPlane: string | undefined;
  /** Whether the cluster exports and imports label identities. */
  readonly stretchedNetworkPolicy: boolean | undefined;
  /** The ID that the cluster uses for its leader. */
  readonly leaderClusterID: string | undefined;
}

/**
 * The part of its configuration that a member announces. The leader compares it with those of the
 * others.
 */
export interface AnnouncedSettings {
  readonly enableStretchedNetworkPolicy: boolean;
  readonly endpointIPType: EndpointIPType;
}

export function isEndpointIPType(value: unknown): value is EndpointIPType {
  return value === 'ClusterIP' || value === 'PodIP';
}

/** The annotations of an announcement that contain the settings. */
export function settingAnnotations(settings: AnnouncedSettings): Readonly<Record<string, string>> {
  return {
    [Annotation.endpointIPType]: settings.endpointIPType,
    [Annotation.stretchedNetworkPolicy]: String(settings.enableStretchedNetworkPolicy),
  };
}

/**
 * The endpoint type of a cluster, from its announcement. It is valid only while the member that
 * wrote it sends heartbeats.
 */
export function announcedEndpointIPType(announce: MemberClusterAnnounce): EndpointIPType | undefined {
  const type = announcedSetting(announce, Annotation.endpointIPType);
  return isEndpointIPType(type) ? type : undefined;
}

/**
 * `enableStretchedNetworkPolicy` of a cluster, from its announcement. It is valid only while the
 * member that wrote it sends heartbeats.
 */
export function announcedStretchedNetworkPolicy(announce: MemberClusterAnnounce): boolean | undefined {
  const value = announcedSetting(announce, Annotation.stretchedNetworkPolicy);
  return value === 'true' || value === 'false' ? value === 'true' : undefined;
}

/**
 * Undefined if the value may be from a member that sends no more heartbeats: a member of Antrea
 * that replaces it keeps the annotation.
 */
function announcedSetting({ metadata }: MemberClusterAnnounce, key: string): string | undefined {
  const {
    [Annotation.touchTs]: touchTs = '',
    [Annotation.marksAt]: marksAt,
    [key]: value,
  } = metadata.annotations ?? {};
  return touchTs === '' || marksAt !== touchTs ? undefined : value;
}

/** The data plane that an object names; undefined if it names none, or the name is not valid. */
export function dataPlaneOf(
  object: Pick<Gateway | Lease | ResourceExport, 'metadata'> | undefined,
): string | undefined {
  const name = object?.metadata.annotations?.[Annotation.dataPlane] ?? '';
  return /^[a-z0-9]+(?:[-/][a-z0-9]+){0,3}$/.test(name) && name.length <= 63 ? name : undefined;
}

/**
 * The data plane of a cluster, from its Gateways. An agent writes it there, or publishes it in the
 * Lease of its Node. The oldest Gateway that names one decides.
 */
export function dataPlaneOfGateways(gateways: readonly Gateway[]): string | undefined {
  return dataPlaneOf(
    gateways
      .filter(isLive)
      .toSorted(byAge)
      .find((gateway) => dataPlaneOf(gateway) !== undefined),
  );
}
