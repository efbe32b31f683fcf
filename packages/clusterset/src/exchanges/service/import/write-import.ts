import type { Service, ServiceImport } from '@isthmus/api';
import { Annotation, Endpoints, SourceKind, importedServiceName } from '@isthmus/api';
import type { ApiError, Client } from '@isthmus/kube';
import { isConflict, isInvalid, isNotFound } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import { refOf, rfc3339 } from '@isthmus/machinery';
import type { LocalCluster } from '../local/services.ts';
import { marksItsWithdrawals, marksWithdrawals } from '../../../exchange/loss/withdrawal.ts';
import { firstExportedByLeader, remoteObjects } from '../wire/keys.ts';
import type { ImportPlan, Omission, ServiceImportDecision, ServicePlan } from './decide.ts';
import { importStatus, partlyImported } from './decide.ts';
import type { ImportSource } from '../../../exchange/member/import-source.ts';
import { carriesOurLabel } from '../../../exchange/ownership.ts';
import type { RemoteService } from './read-imports.ts';
import { writeSlices } from './write-slices.ts';

type ImportSpec = NonNullable<ServiceImport['spec']>;

export interface WriteImportOptions {
  readonly local: LocalCluster;
  readonly source: ImportSource;
}

/** An import as it was decided, and what it was decided from. */
export interface DecidedImport {
  readonly key: string;
  readonly decision: ServiceImportDecision & { readonly kind: 'import' };
  readonly remote: RemoteService;
}

/**
 * Makes the objects of an import: the Service, its slices, then the ServiceImport, which says that they stand. A refused slice is told there
 * before it is thrown.
 */
export async function writeImport(
  options: WriteImportOptions,
  { key, decision, remote }: DecidedImport,
  signal: AbortSignal,
): Promise<void> {
  const { local } = options;
  let service: Service | undefined;
  let failure: ApiError | undefined;
  if (decision.service !== undefined) {
    const { service: plan } = decision;
    if (plan.kind === 'change' && !carriesOurLabel(plan.from)) {
      // Antrea's: ours first, then its Endpoints go. Our label comes last, so that a crash in between changes nothing.
      const missing = await writeSlices(options, { key, service: plan.from, remote }, signal);
      if (missing !== undefined) throw missing;
      const { namespace, name } = refOf(key);
      await removeAntreaEndpoints(local.client, { namespace, name: importedServiceName(name) }, signal);
    }
    service = await writeService(local, plan, signal);
    failure = await writeSlices(options, { key, service, remote }, signal);
  }
  const spec = { ...(remote.spec ?? { type: 'ClusterSetIP', ports: [] }), ...addressesOf(service) };
  const imported = await writeServiceImport(local, stamped(decision.serviceImport, options.source, key), spec, signal);
  const status = importStatus({
    serviceImport: imported,
    clusters: [...remote.perCluster.keys()],
    problem: decision.problem ?? slicesRefused(failure),
    now: rfc3339(local.world.clock.now()),
  });
  await local.serviceImports.changeStatus(imported, status, signal);
  if (failure !== undefined) throw failure;
}

async function writeService(local: LocalCluster, plan: ServicePlan, signal: AbortSignal): Promise<Service> {
  switch (plan.kind) {
    case 'create':
      return local.services.create(plan.object, signal);
    case 'change':
      return local.services.change(plan.from, plan.to, signal);
    case 'replace':
      await local.services.delete(plan.from, signal);
      return local.services.create(plan.to, signal);
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
  const { [Annotation.withdrawals]: _, ...annotations } = known;
  const marks = marksWithdrawals(service) ? marksItsWithdrawals : {};
  return { ...plan, metadata: { ...plan.metadata, annotations: { ...annotations, ...marks } } };
}

function slicesRefused(failure: ApiError | undefined): Omission | undefined {
  return isInvalid(failure) ? partlyImported(failure?.message ?? '') : undefined;
}

/** The addresses of an import are those of its Service. */
export function addressesOf(service: Service | undefined): Partial<ImportSpec> {
  const ips = (service?.spec?.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== '');
  if (ips.length === 0) return { ips: undefined, ipFamilies: undefined };
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
