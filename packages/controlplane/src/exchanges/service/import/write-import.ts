import type { Service, ServiceImport } from '@isthmus/api';
import { Annotation, Endpoints, SourceKind, importedServiceName } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { ApiError, isConflict, isInvalid, isNotFound } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import { refOf } from '@isthmus/machinery';
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
import { endpointsOf, formerNamesIn, writeSlices } from './slices/write-slices.ts';
import { writeImportStatus } from './write-status.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

export interface WriteImportOptions extends WriteSlicesOptions {
  readonly refusals: LocalRefusals;
}

/** An import as it was decided, and what it was decided from. */
export interface DecidedImport {
  readonly key: string;
  readonly decision: ServiceImportDecision & { readonly kind: 'import' };
  readonly remote: RemoteService;
}

/**
 * Makes the objects of an import: the Service, its slices, then the ServiceImport, which reports whether they are there. Returns what is wrong with
 * the import: what the decision found, or what the API server of this cluster refused to write. A refusal of one object does not hold up the others.
 */
export async function writeImport(
  options: WriteImportOptions,
  { key, decision, remote }: DecidedImport,
  signal: AbortSignal,
): Promise<Obstacle | Omission | undefined> {
  const { local, refusals } = options;
  let service: Service | undefined;
  let refused: Obstacle | Omission | undefined;
  let omission: Omission | undefined;
  const families = familiesOf(endpointsOf(options, { key, remote }));
  if (decision.service !== undefined) {
    const plan = withFamilies(decision.service, families);
    if (plan.kind === 'change' && !carriesOurLabel(plan.from)) {
      // Antrea's: ours first, then its Endpoints go. Our label comes last, so that a crash in between changes nothing.
      const missing = await writeSlices(options, { key, service: plan.from, remote }, signal);
      if (missing !== undefined) throw missing;
      const { namespace, name } = refOf(key);
      await removeAntreaEndpoints(local.client, { namespace, name: importedServiceName(name) }, signal);
    }
    try {
      await serveBothNames(options, { key, plan, remote }, signal);
      ({ service, omission } = await writeService(local, plan, signal));
    } catch (error) {
      refused = rejectedFamilies(error, families) ?? refusals.problemOf(key, error);
      service = standing(local, plan);
    }
    const isHeadless = service?.spec?.clusterIP === 'None';
    if (service !== undefined && !isHeadless) refused ??= familyObstacle(service.spec?.ipFamilies ?? [], families);
    const failure = service === undefined ? undefined : await writeSlices(options, { key, service, remote }, signal);
    if (failure !== undefined) refused ??= leftOut(local, key, failure) ?? refusals.problemOf(key, failure);
  }
  const problem = refused ?? decision.problem ?? omission;
  const spec = { ...(remote.spec ?? { type: 'ClusterSetIP', ports: [] }), ...addressesOf(service, families) };
  const clusters = exportersIn(remote, decision.serviceImport.from);
  let imported: ServiceImport;
  try {
    imported = await writeServiceImport(local, stamped(decision.serviceImport, options.source, key), spec, signal);
  } catch (error) {
    const refusal = refusals.problemOf(key, error);
    const { from } = decision.serviceImport;
    // Its status is another write, which may be allowed.
    if (from === undefined) return refusal;
    await writeImportStatus(local, from, { clusters, problem: refusal }, signal);
    return refusal;
  }
  await writeImportStatus(local, imported, { clusters, problem }, signal);
  if (refused === undefined) refusals.clear(key);
  return problem;
}

/**
 * The clusters that export it. Undefined where the leader publishes no endpoints with it, not even an empty list, and some are known: somebody exports it, so these stay known. Where
 * the whole import is lost a moment later, it is then kept until they are heard.
 */
function exportersIn(
  { merged, perCluster }: RemoteService,
  before: ServiceImport | undefined,
): readonly string[] | undefined {
  const isKnown = (before?.status?.clusters ?? []).length > 0;
  return isKnown && merged === undefined && perCluster.size === 0 ? undefined : [...perCluster.keys()];
}

/**
 * Before a port of the Service gets another name, its slices have both: kube-proxy and DNS see Service and slices change at different moments. Throws
 * where the API server does not take the slices: then the Service keeps its names.
 */
async function serveBothNames(
  options: WriteImportOptions,
  { key, plan, remote }: Pick<DecidedImport, 'key' | 'remote'> & { readonly plan: ServicePlan },
  signal: AbortSignal,
): Promise<void> {
  if (plan.kind !== 'change' || formerNamesIn(plan.from, remote.spec).size === 0) return;
  const failure = await writeSlices(options, { key, service: plan.from, remote }, signal);
  if (failure !== undefined) throw failure;
}

/** The Service after a write that was refused: as it was, where it still is what the import needs. */
function standing(local: LocalCluster, plan: ServicePlan): Service | undefined {
  return plan.kind === 'change' ? local.services.cache.get(plan.from.metadata) : undefined;
}

interface WrittenService {
  readonly service: Service;
  /** What this cluster's API server did not accept, or altered. */
  readonly omission: Omission | undefined;
}

/** Writes the Service; without its trafficDistribution, which is a hint, where the API server rejects it with one: it may be older than the exporter's. */
export async function writeService(
  { services }: LocalCluster,
  plan: ServicePlan,
  signal: AbortSignal,
): Promise<WrittenService> {
  if (plan.kind === 'replace') await services.delete(plan.from, signal);
  const wanted = plan.kind === 'create' ? plan.object : plan.to;
  const write = (object: Service) =>
    plan.kind === 'change' ? services.change(plan.from, object, signal) : services.create(object, signal);
  try {
    const service = await write(wanted);
    return { service, omission: alteredService(wanted, service) };
  } catch (error) {
    const { trafficDistribution } = wanted.spec ?? {};
    if (!isInvalid(error) || trafficDistribution === undefined) throw error;
    const service = await write({ ...wanted, spec: { ...wanted.spec, trafficDistribution: undefined } });
    return { service, omission: partlyImported(`trafficDistribution ${shown(trafficDistribution)} is not supported`) };
  }
}

async function writeServiceImport(
  { serviceImports }: LocalCluster,
  { from, metadata }: ImportPlan,
  spec: ImportSpec,
  signal: AbortSignal,
): Promise<ServiceImport> {
  if (from === undefined) return serviceImports.create({ metadata, spec }, signal);
  return serviceImports.change(from, { ...from, metadata, spec }, signal);
}

/**
 * With what must be known when the leader has lost the import: when this cluster first exported the Service, and whether the leader marks what it
 * withdraws.
 */
function stamped(plan: ImportPlan, source: ImportSource, key: string): ImportPlan {
  const time = source.kind === 'none' ? undefined : firstExportedByLeader(source.session, key);
  const stamp = time === undefined ? {} : { [Annotation.firstExported]: time };
  const service = remoteObjects(source, key).find(({ spec }) => spec?.kind === SourceKind.serviceImport);
  const known: Readonly<Record<string, string>> = { ...plan.metadata.annotations, ...stamp };
  // Lost since it was read: what it said still holds.
  if (service === undefined) return { ...plan, metadata: { ...plan.metadata, annotations: known } };
  const area = source.kind === 'none' ? '' : commonAreaOf(source.session.spec);
  return { ...plan, metadata: { ...plan.metadata, annotations: leaderAnnotations(known, service, area) } };
}

/**
 * A slice that is not valid here is left out beside others; without any slice nothing is reachable. What an admission policy denies, with the same code, is
 * valid, and the answer names no field of it: the slices that are there may lead to Pods that are gone.
 */
function leftOut(local: LocalCluster, key: string, failure: ApiError): Omission | undefined {
  const standing = local.slices.cache.byIndex(SliceIndex.imported, key).some(isOurSlice);
  const namesField = failure.status.details?.causes?.some(({ field }) => field !== undefined) === true;
  return failure.code === 422 && namesField && standing ? partlyImported(failure.message) : undefined;
}

/** The problem of a Service that the API server rejects for its families. */
function rejectedFamilies(error: unknown, families: readonly Family[]): Obstacle | undefined {
  const isOfFamilies = error instanceof ApiError && isInvalid(error) && error.message.includes('spec.ipFamilies');
  return isOfFamilies ? familyObstacle([], families) : undefined;
}

/** The addresses of an import are those of its Service; a headless one has none, and the families of its endpoints. */
export function addressesOf(service: Service | undefined, families: readonly Family[]): Partial<ImportSpec> {
  const ips = (service?.spec?.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== '');
  const isHeadless = service?.spec?.clusterIP === 'None';
  if (ips.length === 0) return { ips: undefined, ipFamilies: isHeadless && families.length > 0 ? families : undefined };
  return { ips, ipFamilies: ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4')) };
}

/**
 * Removes the Endpoints object that an Antrea member made for an imported Service, after our EndpointSlices have taken its place
 * (docs/spec/membership.md §8). Anything without Antrea's annotation is left alone; one that is gone is no error.
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
