import type {
  EndpointSlicePayload,
  ResourceImport as ResourceImportObject,
  ServiceImport as ServiceImportObject,
} from '@isthmus/api';
import {
  ClusterInfoImport,
  EndpointSlice,
  Endpoints,
  KnownCluster,
  Label,
  MemberClusterAnnounce,
  Namespace,
  Node,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceCIDR,
  ServiceExport,
  ServiceImport,
  SourceKind,
  dottedName,
  importedServiceName,
  serviceImportStatus,
} from '@isthmus/api';
import type { Outcome, ReconcileContext, Reconciler } from '@isthmus/kube';
import { again, blocked, defineReconciler, done } from '@isthmus/kube';
import { isLive, keyOfObject, liveOf, refOf } from '@isthmus/machinery';
import {
  areRemovalsAllowed,
  carriesOurLabel,
  isOurService,
  isOurServiceImport,
  marksWithdrawals,
  joinedImportName,
  partName,
  serviceExchangeName,
  serviceImportKeys,
} from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { ControllerAccess } from '../../../controller-access.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import type { LocalCluster } from '../local/services.ts';
import type { MergedLists } from './published/merged-lists.ts';
import { createMergedLists } from './published/merged-lists.ts';
import type { NotOurs, Obstacle, Omission, ServiceImportDecision } from './decide.ts';
import { decideServiceImport, heldProblem, namespaceStateOf } from './decide.ts';
import { createOngoingReports, repeatedAfterMs } from '../../../reporting/reports.ts';
import { excludedForExporters, problemForExporters } from './for-exporters.ts';
import { hold } from './report-obstacle.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { MissingImport, MissingImports } from '../../../own-cluster/missing/missing-imports.ts';
import { createMissingImports } from '../../../own-cluster/missing/missing-imports.ts';
import { isExported, isOffered } from '../../../own-cluster/missing/offered-or-exported.ts';
import { exportedEndpoints } from '../export/exported-endpoints.ts';
import type { EndpointJudge } from './slices/endpoint-rules.ts';
import { createEndpointJudge } from './slices/endpoint-rules.ts';
import { isExportedBy } from './slices/exported-by.ts';
import type { CallFactsReader } from './calls/call-facts.ts';
import { createCallFacts } from './calls/call-facts.ts';
import type { Settled } from './calls/settled.ts';
import { createSettled } from './calls/settled.ts';
import { keepImport } from './keep-import.ts';
import type { ImportReason, KnownService } from './lost.ts';
import { lostEndpoints, lostParts, lostService, outcomeOfImport, publishedService, withParts } from './lost.ts';
import type { PendingExports } from './own-export-pending.ts';
import { createPendingExports, isOwnExportPending } from './own-export-pending.ts';
import { isNeverImported } from '../local/never-imported.ts';
import { remoteObjects } from '../local/leader-objects.ts';
import { existingEndpoints } from './published/existing-endpoints.ts';
import { matchedNames } from './published/matched-names.ts';
import { withinSliceLimit } from './published/slice-limit.ts';
import type { RecentNames } from './slices/recent-names.ts';
import { createRecentNames } from './slices/recent-names.ts';
import type { LocalRefusals } from './local-refusals.ts';
import { createLocalRefusals, retried } from './local-refusals.ts';
import { importSources } from './watched-keys.ts';
import type { ImportShares } from './shares/import-shares.ts';
import { createImportShares } from './shares/import-shares.ts';
import type { ExistingImport } from './withdraw.ts';
import { withdraw } from './withdraw.ts';
import { writeImport } from './write-import.ts';
import { asExported } from './slices/translate.ts';
import { ownServiceOf, existingPods, existingSlices, usedRanges } from './slices/write-slices.ts';

/** The access that this controller needs. */
export const serviceImportAccess: readonly ControllerAccess[] = [
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  // To check if missing imports are exported, and if their exporters exist.
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['list'] },
  { at: 'leader', type: MemberClusterAnnounce, scope: 'own', verbs: ['list'] },
  { at: 'local', type: Namespace, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  // The addresses by which Pods of other clusters are reached.
  { at: 'local', type: ClusterInfoImport, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  // To compare endpoints with what belongs to this cluster, and with what others may announce.
  { at: 'local', type: Node, scope: 'all', verbs: ['get', 'list', 'watch'], optional: true },
  { at: 'local', type: KnownCluster, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  // Objects of a former Antrea member.
  { at: 'local', type: Endpoints, scope: 'all', verbs: ['get', 'delete'] },
  { at: 'local', type: ServiceExport, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceImport, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: ServiceImport, subresource: 'status', scope: 'all', verbs: ['patch'] },
  // How many addresses imports can have.
  { at: 'local', type: ServiceCIDR, scope: 'all', verbs: ['get'], optional: true },
];

/** How often to look at an import that only waits for an export of this cluster. */
const pendingCheckMs = 1_000;
const ownPending = "this cluster's export has not been merged yet";

/** Imports Services into one cluster from one source. */
interface Importer {
  readonly local: LocalCluster;
  readonly source: ImportSource;
  /** Undefined without a session. */
  readonly ownClusterID: string | undefined;
  readonly missing: MissingImports<ServiceImportObject>;
  readonly refusals: LocalRefusals;
  readonly recentNames: RecentNames;
  readonly pending: PendingExports;
  readonly lists: MergedLists;
  readonly shares: ImportShares;
  /** Undefined without a session. */
  readonly judge: EndpointJudge | undefined;
  readonly facts: CallFactsReader;
  readonly settled: Settled;
}

/** Everything about one Service that is read before a decision. */
interface Gathered extends KnownService {
  /** The leader's offer, in the form in which it can be imported here. */
  readonly offered: RemoteService;
  /** When to read the leader's lists of endpoints again. */
  readonly lookAgainMs: number | undefined;
  /** The part of it that its clusters may not have here. */
  readonly omission?: Omission | undefined;
}

/**
 * Makes every Service of the ClusterSet callable here, and removes imports that are no longer
 * offered. One key: `namespace/name`.
 */
export function serviceImportController(local: LocalCluster, source: ImportSource): Reconciler {
  const { clock } = local.world;
  const judge = source.kind === 'session' ? createEndpointJudge(local, source.session) : undefined;
  const importer: Importer = {
    local,
    judge,
    source,
    ownClusterID: source.kind === 'session' ? source.session.spec.clusterID : undefined,
    refusals: createLocalRefusals(clock),
    recentNames: createRecentNames(clock),
    pending: createPendingExports(clock),
    facts: createCallFacts(local, source),
    settled: createSettled(clock),
    lists: createMergedLists(clock),
    shares: createImportShares(local),
    missing: createMissingImports(local, source, {
      exchange: serviceExchangeName,
      what: 'imported Services',
      keys: serviceImportKeys,
      partNames: (object) => [joinedImportName(object), partName(object)],
      resource: local.serviceImports,
      importOf: (key) => liveOf(local.serviceImports.cache.getByKey(key)),
      imported: () => local.serviceImports.cache.list().filter(carriesOurLabel).filter(isLive).map(keyOfObject),
      isOffered: (key) => remoteObjects(source, key).length > 0,
      outlastsOtherImplementations: true,
      isOfferedOrExported,
    }),
  };
  if (source.kind === 'session') {
    for (const problem of excludedForExporters(local.config))
      source.session.importProblems.note(problem.namespace, problem);
  }
  const reports = createOngoingReports(local.events, serviceImportStatus, clock);
  return defineReconciler<ImportReason>({
    name: 'service-import',
    sources: [...importSources(local, source, judge), ...importer.missing.sources, ...importer.facts.sources],
    access: serviceImportAccess,
    reconcile: (key, context) => reconcile(importer, key, context),
    /**
     * Reported on the ServiceImport, which the user looks at; if there is none, on the ClusterSet.
     */
    async report(key, problem) {
      const object = local.serviceImports.cache.getByKey(key) ?? local.served();
      reports.note(key, object, problem);
      if (source.kind !== 'session') return;
      const namespaceState = namespaceStateOf(local.namespaces.cache.get({ name: refOf(key).namespace ?? '' }));
      source.session.importProblems.note(key, problemForExporters(key, problem, namespaceState));
    },
  });
}

async function reconcile(importer: Importer, key: string, context: ReconcileContext): Promise<Outcome<ImportReason>> {
  const { local, shares, ownClusterID } = importer;
  const { namespace = '', name } = refOf(key);
  const gathered = gather(importer, key);
  if (isNeverImported({ namespace, name }, local.config)) return withdrawn(importer, gathered, context.signal);
  const shared = { key, found: gathered, ownClusterID };
  const share = shares.decide(shared, await shares.prepare(shared, context.signal));
  if (share.problem !== undefined) {
    const { reason, message, lookAgainMs } = share.problem;
    return blocked(reason, message, { lookAgainMs });
  }
  const found = { ...gathered, offered: share.remote, omission: share.omission };
  const { derived, serviceImport, offered: remote } = found;
  const namespaceState = namespaceStateOf(local.namespaces.cache.get({ name: namespace }));
  const decision = decideServiceImport({ namespace, name, namespaceState, derived, serviceImport, remote });
  switch (decision.kind) {
    case 'wait':
      return blocked(decision.problem.reason, decision.problem.message, { lookAgainMs: repeatedAfterMs });
    case 'hold':
      return held(importer, found, decision.problem, context.signal);
    case 'withdraw':
      return withdrawnUnlessLost(importer, found, context);
    case 'import':
      shares.imports(key, remote);
      return imported(importer, found, decision, context);
  }
}

/** The import stays unchanged and reports why. */
async function held(
  importer: Importer,
  found: KnownService,
  problem: Obstacle | NotOurs,
  signal: AbortSignal,
): Promise<Outcome<ImportReason>> {
  await hold(importer, found, problem, signal);
  return blocked(problem.reason, problem.message);
}

function gather({ local, source, lists, ownClusterID }: Importer, key: string): Gathered {
  const { namespace = '', name } = refOf(key);
  const objects = remoteObjects(source, key);
  const slices = existingSlices(local, key);
  const { offered: listed, lookAgainMs } = lists.read(key, objects, slices, existingParts(local, source, key, objects));
  const derived = local.services.cache.get({ namespace, name: importedServiceName(name) });
  const service = derived !== undefined && isOurService(derived) ? derived : undefined;
  const offered = withinSliceLimit(matchedNames(listed, { service, slices, ownClusterID }), ownClusterID);
  const serviceImport = local.serviceImports.cache.get({ namespace, name });
  return { key, objects, derived, serviceImport, offered, lookAgainMs };
}

async function withdrawn(importer: Importer, found: KnownService, signal: AbortSignal): Promise<Outcome<ImportReason>> {
  const { local, refusals, missing, pending, recentNames, shares } = importer;
  const { key, derived } = found;
  let left: ExistingImport;
  try {
    left = await withdraw(importer, found, signal);
  } catch (error) {
    const problem = refusals.problemOf(key, error);
    const serviceImport = local.serviceImports.cache.getByKey(key);
    const isOurs = serviceImport !== undefined && isOurServiceImport(serviceImport, derived);
    // It was Ready until now, and leads to endpoints that its exporters withdraw.
    if (isOurs) await hold(importer, { ...found, serviceImport }, problem, signal);
    return retried(problem);
  }
  refusals.clear(key);
  missing.gone(key);
  pending.over(key);
  importer.settled.clear(key);
  recentNames.forget(key);
  shares.gone(key);
  const problem = heldProblem(left);
  if (problem === undefined) return done;
  await hold(importer, left, problem, signal);
  return blocked(problem.reason, problem.message);
}

/**
 * Removes the import, unless the leader may have lost it, or has not merged the export of this
 * cluster yet.
 */
async function withdrawnUnlessLost(
  importer: Importer,
  found: KnownService,
  context: ReconcileContext,
): Promise<Outcome<ImportReason>> {
  const { local, source, pending } = importer;
  const { key } = found;
  const { signal } = context;
  const isPending = isOwnExportPending(local, source, key);
  if (!isPending || pending.isOverdue(key)) {
    const lost = lostService(found);
    const doubt = lost === undefined ? undefined : await doubtOf(importer, lost, context);
    if (doubt !== undefined) return doubted(importer, key, doubt, signal);
    // If this cluster exports the Service, the import is already reported as held. It is removed
    // only if a user allows it.
    const isAllowed = areRemovalsAllowed(local.served(), local.world.clock.now());
    if (!isPending || isAllowed) return withdrawn(importer, found, signal);
  }
  await keepImport(importer, key, signal);
  return again(pendingCheckMs, ownPending);
}

async function imported(
  importer: Importer,
  found: Gathered,
  decision: ServiceImportDecision & { readonly kind: 'import' },
  context: ReconcileContext,
): Promise<Outcome<ImportReason>> {
  const { local, missing, pending, recentNames, refusals } = importer;
  const { key, omission } = found;
  const { signal } = context;
  pending.over(key);
  const lost = lostEndpoints(found, existingSlices(local, key).length > 0);
  const doubt = lost === undefined ? undefined : await doubtOf(importer, lost, context);
  if (doubt !== undefined) return doubted(importer, key, doubt, signal);
  missing.clear({ key });
  const parts = await withHeld(importer, found, context);
  try {
    const written = { key, decision, remote: parts.remote, omission };
    const { problem, callsMs } = await writeImport(importer, written, signal);
    if (!missing.isRecorded(key)) await missing.record(key, signal);
    const namesMs = recentNames.lookAgainMs(key);
    return outcomeOfImport({
      problem,
      decided: decision.problem,
      held: parts.held,
      listsMs: found.lookAgainMs,
      namesMs,
      callsMs,
      isJudged: importer.judge?.isKnown !== false,
    });
  } catch (error) {
    return retried(refusals.problemOf(key, error));
  }
}

/**
 * The imported parts of each cluster, in the form in which they were published. Only if the leader
 * marks what it withdraws of them.
 */
function existingParts(
  local: LocalCluster,
  source: ImportSource,
  key: string,
  objects: readonly ResourceImportObject[],
): ReadonlyMap<string, readonly EndpointSlicePayload[]> {
  const service = publishedService(objects);
  if (source.kind === 'none' || service === undefined || !marksWithdrawals(service)) return new Map();
  const ranges = usedRanges(local);
  const parts = new Map(
    [...existingEndpoints(existingSlices(local, key))].map(([id, slices]) => [id, asExported(slices, ranges?.get(id))]),
  );
  const { clusterID } = source.session.spec;
  const own = parts.has(clusterID) ? ownServiceOf(local, key, clusterID) : undefined;
  if (own === undefined) return parts;
  // In this cluster the import leads to the own Pods, in other clusters to the exported endpoints.
  return new Map([...parts, [clusterID, exportedEndpoints(own.service, own.slices, own).slices]]);
}

/**
 * Own Pods, the derived Service and the status are still maintained while a loss is doubted, and
 * while the leader cannot be asked.
 */
async function doubtOf(
  importer: Importer,
  lost: MissingImport,
  context: ReconcileContext,
): Promise<Outcome | undefined> {
  try {
    const doubt = await importer.missing.doubt(lost, context);
    if (doubt !== undefined) await keepImport(importer, lost.key, context.signal);
    return doubt;
  } catch (error) {
    await keepImport(importer, lost.key, context.signal);
    throw error;
  }
}

/** A missing import is kept, and its status reports that. */
async function doubted(
  { missing, refusals }: Importer,
  key: string,
  doubt: Outcome,
  signal: AbortSignal,
): Promise<Outcome<ImportReason>> {
  try {
    if (!missing.isRecorded(key)) await missing.record(key, signal);
    return doubt;
  } catch (error) {
    return retried(refusals.problemOf(key, error));
  }
}

/** Adds the endpoints of clusters whose part alone the leader has lost: they stay. */
async function withHeld(
  { local, source, missing, ownClusterID }: Importer,
  found: Gathered,
  context: ReconcileContext,
): Promise<{ readonly remote: RemoteService; readonly held: Outcome | undefined }> {
  const { key, offered } = found;
  const endpoints = existingEndpoints(existingSlices(local, key), existingPods(local, key));
  const withdrawnHere = source.kind === 'none' || isExportedBy(local, source, key) ? undefined : ownClusterID;
  const lost = source.kind === 'none' ? undefined : lostParts(found, offered, endpoints.keys(), withdrawnHere);
  const kept = new Set<string>();
  let first: Outcome | undefined;
  for (const part of lost ?? []) {
    const outcome = await missing.doubt(part, context);
    if (outcome === undefined) continue;
    kept.add(part.clusterID);
    first ??= outcome;
  }
  missing.onlyParts(key, kept);
  return { remote: kept.size === 0 ? offered : withParts(offered, kept, endpoints), held: first };
}

/**
 * A ServiceImport needs a Service export of any cluster. The part of one cluster needs an export of
 * that cluster.
 */
async function isOfferedOrExported(
  session: LeaderSession,
  missing: MissingImport,
  signal: AbortSignal,
): Promise<boolean> {
  const { key, clusterID, name } = missing;
  const { namespace = '', name: service } = refOf(key);
  const isSame = ({ spec }: ResourceImportObject) => spec?.namespace === namespace && spec.name === service;
  for (const one of [name, dottedName(name, namespace)])
    if (await isOffered(session, { name: one, isSame }, signal)) return true;
  const labels = {
    [Label.sourceKind]: SourceKind.service,
    [Label.sourceNamespace]: namespace,
    [Label.sourceName]: service,
    ...(clusterID === undefined ? {} : { [Label.sourceClusterID]: clusterID }),
  };
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  return isExported(session, { labelSelector }, missing, signal);
}
