import type { EndpointSlice, Service } from '@isthmus/api';
import { ApiError } from '@isthmus/kube';
import { keyOfObject, presenceOf, refOf } from '@isthmus/machinery';
import {
  carriesOurLabel,
  formerPortNames as renamedPorts,
  isFromRemovedSelector,
  isOurSlice,
  localPortName,
  sliceOriginOf,
  sliceSourceOf,
} from '@isthmus/wire';
import type { FormerNames, RemoteService } from '@isthmus/wire';
import type { LocalCluster } from '../../local/services.ts';
import { SliceIndex } from '../../local/services.ts';
import type { EndpointJudge } from './endpoint-rules.ts';
import type { OutsideEndpoint } from './judge-endpoints.ts';
import { judgeEndpoints } from './judge-endpoints.ts';
import type { OwnService, SourceEndpoints, SourceSlice } from './source-endpoints.ts';
import { importedEndpoints } from './source-endpoints.ts';
import { hasOwnAgents } from '../../../../own-cluster/own-agents.ts';
import type { ImportSource } from '../../../../own-cluster/import-source.ts';
import type { VirtualRanges } from './translate.ts';
import { translated, virtualRanges } from './translate.ts';
import { podsFor } from './pods.ts';
import { ownSlices } from '../../export/serving-slices.ts';
import { isExportedBy } from './exported-by.ts';
import type { RecentNames } from './recent-names.ts';
import type { SlicesInput } from './slices.ts';
import { planSlices } from './slices.ts';

export interface ImportedService {
  readonly key: string;
  /** The derived Service, which owns the slices. */
  readonly service: Service;
  readonly remote: RemoteService;
}

export interface WriteSlicesOptions {
  readonly local: LocalCluster;
  readonly source: ImportSource;
  readonly recentNames: RecentNames;
  /** Undefined without a session. */
  readonly judge: EndpointJudge | undefined;
}

export interface WrittenSlices {
  /** The first rejection. */
  readonly failure: ApiError | undefined;
  /** Endpoints that their clusters may not have. */
  readonly outside: readonly OutsideEndpoint[];
}

/**
 * Writes the EndpointSlices of an import by the Common Area and the own Pods. If the API server
 * rejects one slice, those of other clusters are still written.
 */
export async function writeSlices(
  { local, source, recentNames, judge }: WriteSlicesOptions,
  { key, service, remote }: ImportedService,
  signal: AbortSignal,
): Promise<WrittenSlices> {
  if (source.kind === 'none') return { failure: undefined, outside: [] };
  const exported = endpointsOf({ local, source }, { key, remote });
  const formerNames = recentNames.read(key, formerNamesIn(service, remote.spec));
  const { clusterID } = source.session.spec;
  const hasAgents = hasOwnAgents(local);
  const exportedPods = podsFor(hasAgents, { remote, ownClusterID: clusterID, current: existingPods(local, key) });
  const ranges = usedRanges(local);
  const outside: OutsideEndpoint[] = [];
  const rulesOf = judge?.open();
  const existing = [...existingSlices(local, key), ...existingPods(local, key)];
  const isExisting = new Set(existing.map(sliceSourceOf));
  const allowed = (id: string | undefined, slices: readonly SourceSlice[]): readonly SourceSlice[] => {
    if (rulesOf === undefined) return slices;
    const judged = judgeEndpoints(slices, { ...rulesOf(id), isInUse: createInUse(existing, id) });
    // An Antrea leader lists endpoints of this cluster for a moment after they are gone.
    if (id !== undefined || ownServiceOf(local, key, clusterID) === undefined) outside.push(...judged.outside);
    return judged.slices;
  };
  const reached = (all: SlicesInput['sources']): SlicesInput['sources'] =>
    all.map((one) => {
      const id = one.clusterID;
      if (id === clusterID || one.slices === 'kept') return one;
      if (id === undefined) return { ...one, slices: allowed(id, one.slices) };
      // Untranslated addresses would break connections.
      if (ranges === undefined && isExisting.has(id)) return { clusterID: id, slices: 'kept' };
      return { ...one, slices: allowed(id, translated(one.slices, ranges?.get(id))) };
    });
  const [sources, pods] = [reached(exported), reached(exportedPods)];
  const failure = await writeSources(local, { key, service, spec: remote.spec, sources, pods, formerNames }, signal);
  return { failure, outside };
}

/** Whether slices of that cluster have an address. */
function createInUse(slices: readonly EndpointSlice[], clusterID: string | undefined): (address: string) => boolean {
  let addresses: ReadonlySet<string> | undefined;
  return (address) => {
    addresses ??= new Set(
      slices
        .filter((slice) => sliceSourceOf(slice) === clusterID)
        .flatMap(({ endpoints }) => endpoints ?? [])
        .flatMap((endpoint) => endpoint.addresses),
    );
    return addresses.has(address);
  };
}

/**
 * The ranges by which this cluster reaches Pods of other clusters. Undefined: not known yet, soon
 * after a start. Empty without agents, which do the translation.
 */
export function usedRanges(local: Pick<LocalCluster, 'gateways' | 'clusterInfoImports'>): VirtualRanges | undefined {
  const { gateways, clusterInfoImports } = local;
  const hasAgents = hasOwnAgents(local);
  if (gateways.cache.state.kind === 'listing' && hasAgents === undefined) return undefined;
  if (hasAgents !== true) return new Map();
  if (!clusterInfoImports.cache.synced && clusterInfoImports.cache.state.kind === 'listing') return undefined;
  return virtualRanges(clusterInfoImports.cache.list().filter(carriesOurLabel));
}

/** The endpoints of the import of `key`, by source cluster. */
export function endpointsOf(
  { local, source }: { readonly local: LocalCluster; readonly source: ImportSource },
  { key, remote }: Pick<ImportedService, 'key' | 'remote'>,
): readonly SourceEndpoints[] {
  if (source.kind === 'none') return [];
  return importedEndpoints({
    clusterID: source.session.spec.clusterID,
    remote,
    own: exportedService(local, source, key),
  });
}

/** The own Service of that name, if this cluster exports it. */
function exportedService(local: LocalCluster, source: ImportSource, key: string): OwnService | undefined {
  if (source.kind === 'none' || !isExportedBy(local, source, key)) return undefined;
  return ownServiceOf(local, key, source.session.spec.clusterID);
}

/** The own Service of that name, with the slices of this cluster. */
export function ownServiceOf(local: LocalCluster, key: string, clusterID: string): OwnService | undefined {
  const service = local.services.cache.getByKey(key);
  if (service === undefined) return undefined;
  const { endpointIPType } = local.config;
  const { slices } = ownSlices(local.slices.cache.byIndex(SliceIndex.service, key), clusterID);
  return { service, slices, endpointIPType };
}

/** The EndpointSlices of an import that we made for its Service. */
export function existingSlices(local: LocalCluster, key: string): readonly EndpointSlice[] {
  return ourSlices(local, key).filter((slice) => sliceOriginOf(slice)?.arePods !== true);
}

/** The slices that we made for the agents of our data plane. */
export function existingPods(local: LocalCluster, key: string): readonly EndpointSlice[] {
  return ourSlices(local, key).filter((slice) => sliceOriginOf(slice)?.arePods === true);
}

function ourSlices(local: LocalCluster, key: string): readonly EndpointSlice[] {
  return local.slices.cache.byIndex(SliceIndex.imported, key).filter(isOurSlice);
}

/**
 * The names that `service` has for renamed ports of the import. Empty if the Service was written
 * after the renaming.
 */
export function formerNamesIn(service: Service, spec: RemoteService['spec']): FormerNames {
  const ports = spec?.ports ?? [];
  const nameOf = localPortName(ports);
  const localPorts = ports.map((port) => ({ ...port, name: nameOf(port.name) }));
  return renamedPorts(localPorts, service.spec?.ports ?? []);
}

export interface ServiceSources {
  readonly key: string;
  /** The derived Service. */
  readonly service: Service;
  /** The spec of the import. */
  readonly spec: RemoteService['spec'];
  readonly sources: SlicesInput['sources'];
  /** The Pods behind them. */
  readonly pods: SlicesInput['sources'];
  readonly formerNames: FormerNames;
}

/** Like {@link writeSlices}, with the endpoints of each source as input. */
export async function writeSources(
  local: LocalCluster,
  { key, service, spec, sources, pods, formerNames }: ServiceSources,
  signal: AbortSignal,
): Promise<ApiError | undefined> {
  const { namespace = '', name } = refOf(key);
  const nameOf = localPortName(spec?.ports ?? []);
  const isTaken = (sliceName: string) =>
    presenceOf(local.slices.cache.get({ namespace, name: sliceName })).state !== 'absent';
  const shared = { namespace, name, service, nameOf, formerNames, isTaken };
  const plans = [
    planSlices({ ...shared, sources, current: existingSlices(local, key) }),
    planSlices({ ...shared, holds: 'pods', sources: pods, current: existingPods(local, key) }),
  ];
  let failure: ApiError | undefined;
  const attempt = async (write: Promise<unknown>) => {
    try {
      await write;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure ??= error;
    }
  };
  for (const slice of plans.flatMap(({ create }) => create)) await attempt(local.slices.create(slice, signal));
  for (const { from: before, to } of plans.flatMap(({ change }) => change))
    await attempt(local.slices.change(before, to, signal));
  const left = local.slices.cache
    .byIndex(SliceIndex.service, keyOfObject(service))
    .filter((slice) => isFromRemovedSelector(slice, service));
  for (const slice of [...plans.flatMap(({ remove }) => remove), ...left])
    await attempt(local.slices.delete(slice, signal));
  return failure;
}
