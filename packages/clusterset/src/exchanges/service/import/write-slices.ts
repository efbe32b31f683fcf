import type { Service } from '@isthmus/api';
import { ApiError } from '@isthmus/kube';
import { keyOfObject, refOf } from '@isthmus/machinery';
import type { LocalCluster } from '../local/services.ts';
import { SliceIndex } from '../local/services.ts';
import { importedEndpoints } from './endpoints.ts';
import type { ImportSource } from '../../../exchange/member/import-source.ts';
import { isLeftOfSelector, isOurSlice } from '../local/ownership.ts';
import { localPortName } from './port-names.ts';
import type { RemoteService } from './read-imports.ts';
import { planSlices } from './slices.ts';

export interface ImportedService {
  readonly key: string;
  /** The derived Service, which the slices go with. */
  readonly service: Service;
  readonly remote: RemoteService;
}

/**
 * Makes the EndpointSlices of an import what the Common Area and the own Pods say. Returns the first refusal: a slice that the API server will
 * not have must not hold up those of other clusters.
 */
export async function writeSlices(
  { local, source }: { readonly local: LocalCluster; readonly source: ImportSource },
  { key, service, remote }: ImportedService,
  signal: AbortSignal,
): Promise<ApiError | undefined> {
  if (source.kind === 'none') return undefined;
  const { namespace = '', name } = refOf(key);
  const exported = local.serviceExports.cache.getByKey(key) !== undefined;
  const ownService = exported ? local.services.cache.getByKey(key) : undefined;
  const ownSlices = local.slices.cache.byIndex(SliceIndex.service, key);
  const { endpointIPType } = local.config;
  const own = ownService === undefined ? undefined : { service: ownService, slices: ownSlices, endpointIPType };
  const sources = importedEndpoints({ clusterID: source.session.spec.clusterID, remote, own });
  const plan = planSlices({
    namespace,
    name,
    service,
    sources,
    nameOf: localPortName(remote.spec?.ports ?? []),
    current: local.slices.cache.byIndex(SliceIndex.imported, key).filter(isOurSlice),
    isTaken: (sliceName) => local.slices.cache.get({ namespace, name: sliceName }) !== undefined,
  });
  let failure: ApiError | undefined;
  const attempt = async (write: Promise<unknown>) => {
    try {
      await write;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure ??= error;
    }
  };
  for (const slice of plan.create) await attempt(local.slices.create(slice, signal));
  for (const { from: before, to } of plan.change) await attempt(local.slices.change(before, to, signal));
  const left = local.slices.cache
    .byIndex(SliceIndex.service, keyOfObject(service))
    .filter((slice) => isLeftOfSelector(slice, service));
  for (const slice of [...plan.remove, ...left]) await attempt(local.slices.delete(slice, signal));
  return failure;
}
