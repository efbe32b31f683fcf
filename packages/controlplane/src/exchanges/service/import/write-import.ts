import type { Service, ServiceImport } from '@isthmus/api';
import { Annotation, Endpoints, SourceKind, importedServiceName } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { ApiError, isConflict, isInvalid, isNotFound } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import { isLive, refOf } from '@isthmus/machinery';
import { carriesOurLabel, isOurSlice, leaderAnnotations, shown } from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { LocalCluster } from '../local/services.ts';
import { SliceIndex } from '../local/services.ts';
import { commonAreaOf } from '../../../own-cluster/session-spec.ts';
import { firstExportedByLeader, remoteObjects } from '../local/leader-objects.ts';
import type { ImportPlan, Obstacle, Omission, ServiceImportDecision, ServicePlan } from './decide.ts';
import { partlyImported } from './decide.ts';
import { alteredService } from './altered-service.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import type { LocalRefusals } from './local-refusals.ts';
import type { Family } from './families.ts';
import { familiesOf, familyObstacle, withFamilies } from './families.ts';
import type { WriteSlicesOptions } from './slices/write-slices.ts';
import type { OutsideEndpoint } from './slices/judge-endpoints.ts';
import { outsideMessage } from './slices/judge-endpoints.ts';
import { endpointsOf, formerNamesIn, writeSlices } from './slices/write-slices.ts';
import type { StatusOptions } from './write-status.ts';
import { writeImportStatus } from './write-status.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

export interface WriteImportOptions extends WriteSlicesOptions, StatusOptions {
  readonly refusals: LocalRefusals;
}

/** A decision about an import, with its input. */
export interface DecidedImport {
  readonly key: string;
  readonly decision: ServiceImportDecision & { readonly kind: 'import' };
  readonly remote: RemoteService;
  /** The part that its clusters may not have here. Default: none. */
  readonly omission?: Omission | undefined;
}

export interface WrittenStatus {
  readonly problem: Obstacle | Omission | undefined;
  /** When to look again at what keeps calls from arriving; undefined: nothing does. */
  readonly callsMs: number | undefined;
}

/**
 * Writes the objects of an import: the Service, its slices, then the ServiceImport, which reports
 * if they exist. Returns the problem of the import: that of the decision, or a write that this
 * cluster's API server rejected. If one object is rejected, the others are still written.
 */
export async function writeImport(
  options: WriteImportOptions,
  { key, decision, remote, omission: share }: DecidedImport,
  signal: AbortSignal,
): Promise<WrittenStatus> {
  const { local, refusals } = options;
  let service: Service | undefined;
  let refused: Obstacle | Omission | undefined;
  let omission: Omission | undefined;
  let outside: Omission | undefined;
  const families = familiesOf(endpointsOf(options, { key, remote }));
  if (decision.service !== undefined) {
    const plan = withFamilies(decision.service, families);
    if (plan.kind === 'change' && !carriesOurLabel(plan.from)) {
      // A Service of Antrea: our slices are written first, then its Endpoints are deleted. Our
      // label is written last, so that a crash in between changes nothing.
      const missing = await writeSlices(options, { key, service: plan.from, remote }, signal);
      if (missing.failure !== undefined) throw missing.failure;
      const { namespace, name } = refOf(key);
      await removeAntreaEndpoints(local.client, { namespace, name: importedServiceName(name) }, signal);
    }
    try {
      await serveBothNames(options, { key, plan, remote }, signal);
      ({ service, omission } = await writeService(local, plan, signal));
    } catch (error) {
      refused = rejectedFamilies(error, families) ?? refusals.problemOf(key, error);
      service = existing(local, plan);
    }
    const isHeadless = service?.spec?.clusterIP === 'None';
    if (service !== undefined && !isHeadless) refused ??= familyObstacle(service.spec?.ipFamilies ?? [], families);
    const written = service === undefined ? undefined : await writeSlices(options, { key, service, remote }, signal);
    const failure = written?.failure;
    if (failure !== undefined) refused ??= leftOut(local, key, failure) ?? refusals.problemOf(key, failure);
    outside = outsideOmission(written?.outside ?? [], local.namespace);
  }
  const problem = refused ?? decision.problem ?? share ?? outside ?? omission;
  const spec = { ...(remote.spec ?? { type: 'ClusterSetIP', ports: [] }), ...addressesOf(service, families) };
  const clusters = exportersIn(remote, decision.serviceImport.from);
  let imported: ServiceImport;
  try {
    imported = await writeServiceImport(local, stamped(decision.serviceImport, options.source, key), spec, signal);
  } catch (error) {
    const refusal = refusals.problemOf(key, error);
    const { from } = decision.serviceImport;
    // The status is a separate write, which may be allowed.
    if (from !== undefined) await writeImportStatus(options, from, { clusters, problem: refusal }, signal);
    return { problem: refusal, callsMs: undefined };
  }
  const { lookAgainMs } = await writeImportStatus(options, imported, { clusters, problem }, signal);
  if (refused === undefined) refusals.clear(key);
  return { problem, callsMs: lookAgainMs };
}

/**
 * The clusters that export the Service. Undefined if the leader publishes no endpoints with it, not
 * even an empty list, and some exporters are known. A cluster does export it, so these exporters
 * stay known. If the leader loses the whole import a moment later, the import is kept until these
 * exporters have sent heartbeats.
 */
function exportersIn(
  { merged, perCluster }: RemoteService,
  before: ServiceImport | undefined,
): readonly string[] | undefined {
  const isKnown = (before?.status?.clusters ?? []).length > 0;
  return isKnown && merged === undefined && perCluster.size === 0 ? undefined : [...perCluster.keys()];
}

/**
 * Before a port of the Service is renamed, its slices get both names: kube-proxy and DNS see
 * changes of the Service and of slices at different times. Throws if the API server rejects the
 * slices; then the Service keeps its names.
 */
async function serveBothNames(
  options: WriteImportOptions,
  { key, plan, remote }: Pick<DecidedImport, 'key' | 'remote'> & { readonly plan: ServicePlan },
  signal: AbortSignal,
): Promise<void> {
  if (plan.kind !== 'change' || formerNamesIn(plan.from, remote.spec).size === 0) return;
  const { failure } = await writeSlices(options, { key, service: plan.from, remote }, signal);
  if (failure !== undefined) throw failure;
}

/**
 * The Service after a rejected write: the unchanged object, if it is still what the import needs.
 */
function existing(local: LocalCluster, plan: ServicePlan): Service | undefined {
  return plan.kind === 'change' ? local.services.cache.get(plan.from.metadata) : undefined;
}

interface WrittenService {
  readonly service: Service;
  /** The part that this cluster's API server did not accept, or altered. */
  readonly omission: Omission | undefined;
}

/**
 * Writes the Service. If the API server rejects it with the address that it had before, it gets
 * another one. If it is rejected with a trafficDistribution, it is written without that field,
 * which is only a hint. The API server may be older than the exporter's.
 */
export async function writeService(
  { services }: LocalCluster,
  plan: ServicePlan,
  signal: AbortSignal,
): Promise<WrittenService> {
  if (plan.kind === 'keep') return { service: plan.from, omission: undefined };
  if (plan.kind === 'replace') await services.delete(plan.from, signal);
  const wanted = plan.kind === 'create' ? plan.object : plan.to;
  const write = (object: Service) =>
    plan.kind === 'change' ? services.change(plan.from, object, signal) : services.create(object, signal);
  const attempt = async (object: Service): Promise<WrittenService> => {
    try {
      const service = await write(object);
      return { service, omission: alteredService(object, service) };
    } catch (error) {
      const { trafficDistribution } = object.spec ?? {};
      if (!isInvalid(error) || trafficDistribution === undefined) throw error;
      const service = await write({ ...object, spec: { ...object.spec, trafficDistribution: undefined } });
      const omission = partlyImported(`trafficDistribution ${shown(trafficDistribution)} is not supported`);
      return { service, omission };
    }
  };
  const asksForAddress = plan.kind === 'create' && wanted.spec?.clusterIPs !== undefined;
  if (!asksForAddress) return attempt(wanted);
  try {
    return await attempt(wanted);
  } catch (error) {
    if (!isInvalid(error)) throw error;
    return attempt({ ...wanted, spec: { ...wanted.spec, clusterIP: undefined, clusterIPs: undefined } });
  }
}

async function writeServiceImport(
  { serviceImports }: LocalCluster,
  { from, metadata }: ImportPlan,
  spec: ImportSpec,
  signal: AbortSignal,
): Promise<ServiceImport> {
  if (from === undefined) return serviceImports.create({ metadata, spec }, signal);
  if (!isLive(from)) return from;
  return serviceImports.change(from, { ...from, metadata, spec }, signal);
}

/**
 * Adds annotations that are needed if the leader loses the import: when this cluster first exported
 * the Service, and whether the leader marks what it withdraws.
 */
function stamped(plan: ImportPlan, source: ImportSource, key: string): ImportPlan {
  const time = source.kind === 'none' ? undefined : firstExportedByLeader(source.session, key);
  const stamp = time === undefined ? {} : { [Annotation.firstExported]: time };
  const service = remoteObjects(source, key).find(({ spec }) => spec?.kind === SourceKind.serviceImport);
  const known: Readonly<Record<string, string>> = { ...plan.metadata.annotations, ...stamp };
  // The annotation was lost since it was read; its former value is still valid.
  if (service === undefined) return { ...plan, metadata: { ...plan.metadata, annotations: known } };
  const area = source.kind === 'none' ? '' : commonAreaOf(source.session.spec);
  return { ...plan, metadata: { ...plan.metadata, annotations: leaderAnnotations(known, service, area) } };
}

/** The omission of endpoints that their clusters may not have. */
function outsideOmission(outside: readonly OutsideEndpoint[], namespace: string): Omission | undefined {
  const message = outsideMessage(outside, namespace);
  return message === undefined ? undefined : { reason: 'OutsideGrant', message };
}

/**
 * The omission of a slice that is not valid here, if there are other slices. Undefined without any
 * slice: then nothing is reachable. Also undefined if an admission policy denied a valid slice: the
 * code is the same, but the answer names no field. In that case existing slices may lead to Pods
 * that are gone.
 */
function leftOut(local: LocalCluster, key: string, failure: ApiError): Omission | undefined {
  const existing = local.slices.cache.byIndex(SliceIndex.imported, key).some(isOurSlice);
  const namesField = failure.status.details?.causes?.some(({ field }) => field !== undefined) === true;
  return failure.code === 422 && namesField && existing ? partlyImported(failure.message) : undefined;
}

/** The problem of a Service that the API server rejects for its families. */
function rejectedFamilies(error: unknown, families: readonly Family[]): Obstacle | undefined {
  const isOfFamilies = error instanceof ApiError && isInvalid(error) && error.message.includes('spec.ipFamilies');
  return isOfFamilies ? familyObstacle([], families) : undefined;
}

/**
 * The addresses of an import are those of its Service. A headless import has no addresses, and the
 * families of its endpoints.
 */
export function addressesOf(service: Service | undefined, families: readonly Family[]): Partial<ImportSpec> {
  const ips = (service?.spec?.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== '');
  const isHeadless = service?.spec?.clusterIP === 'None';
  if (ips.length === 0) return { ips: undefined, ipFamilies: isHeadless && families.length > 0 ? families : undefined };
  return { ips, ipFamilies: ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4')) };
}

/**
 * Removes the Endpoints object that an Antrea member made for an imported Service, after our
 * EndpointSlices have replaced it (docs/spec/membership.md §8). An object without Antrea's
 * annotation stays. A missing object is not an error.
 */
async function removeAntreaEndpoints(client: Client, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  try {
    const found = await client.get(Endpoints, ref, { signal });
    if (found.metadata.annotations?.[Annotation.importedService] === undefined) return;
    const uid = found.metadata.uid;
    await client.delete(Endpoints, ref, { signal, preconditions: uid === undefined ? undefined : { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
