import type { EndpointSlicePayload, EventReason, ResourceImport as ResourceImportObject } from '@isthmus/api';
import {
  ClusterInfoImport,
  EndpointSlice,
  Endpoints,
  Label,
  MemberClusterAnnounce,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  ServiceImport,
  SourceKind,
  importedServiceName,
  perClusterImportName,
  resourceImportName,
  serviceImportStatus,
} from '@isthmus/api';
import type { Outcome, ReconcileContext, Reconciler } from '@isthmus/kube';
import { again, blocked, defineReconciler, done } from '@isthmus/kube';
import { keyOfObject, refOf } from '@isthmus/machinery';
import {
  areRemovalsAllowed,
  carriesOurLabel,
  importedFrom,
  isOurService,
  isOurServiceImport,
  marksWithdrawals,
  partName,
  serviceExchangeName,
  serviceImportKeys,
} from '@isthmus/wire';
import type { RemoteService } from '@isthmus/wire';
import type { ControllerAccess } from '../../../controller-access.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import type { LocalCluster } from '../local/services.ts';
import { createBelievedLists } from './published/believed-lists.ts';
import { decideServiceImport, namespaceStateOf } from './decide.ts';
import { createStandingReports, repeatedAfterMs } from '../../../reporting/reports.ts';
import { excludedForExporters, problemForExporters } from './for-exporters.ts';
import { hold } from './hold.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { MissingImport } from '../../../own-cluster/missing/missing-imports.ts';
import { createMissingImports } from '../../../own-cluster/missing/missing-imports.ts';
import { isExported, isOffered } from '../../../own-cluster/missing/offered-or-exported.ts';
import { exportedEndpoints } from '../export/exported-endpoints.ts';
import { isExportedBy } from './slices/exported-by.ts';
import { keepImport } from './keep-import.ts';
import { createPendingExports, isOwnExportPending } from './own-export-pending.ts';
import { isNeverImported } from '../local/never-imported.ts';
import { remoteObjects } from '../local/leader-objects.ts';
import { standingEndpoints } from './published/held-slices.ts';
import { settledNames } from './published/settled-names.ts';
import { withinSliceLimit } from './published/slice-limit.ts';
import { createRecentNames } from './slices/recent-names.ts';
import { createLocalRefusals, retried } from './local-refusals.ts';
import { importSources } from './watched-keys.ts';
import { withdraw } from './withdraw.ts';
import { writeImport } from './write-import.ts';
import { asExported } from './slices/translate.ts';
import { ownServiceOf, standingPods, standingSlices, usedRanges } from './slices/write-slices.ts';

/** What this controller may do. */
export const serviceImportAccess: readonly ControllerAccess[] = [
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  // Whether what is missing is exported, and whether its exporters are there.
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['list'] },
  { at: 'leader', type: MemberClusterAnnounce, scope: 'own', verbs: ['list'] },
  { at: 'local', type: Namespace, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  // By which addresses Pods of other clusters are reached.
  { at: 'local', type: ClusterInfoImport, scope: 'own', verbs: ['get', 'list', 'watch'], optional: true },
  // Of an Antrea member that was here before.
  { at: 'local', type: Endpoints, scope: 'all', verbs: ['get', 'delete'] },
  { at: 'local', type: ServiceExport, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceImport, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'local', type: ServiceImport, subresource: 'status', scope: 'all', verbs: ['patch'] },
];

/** How often an import is looked at that only waits for an export of this cluster. */
const pendingCheckMs = 1_000;
const ownPending = "this cluster's export has not been merged yet";
const listedMore = 'the leader lists more endpoints than the imports of the single clusters have';

/** Makes every Service of the ClusterSet callable here, and removes what is no longer offered. One key: `namespace/name`. */
export function serviceImportController(local: LocalCluster, source: ImportSource): Reconciler {
  const refusals = createLocalRefusals(local.world.clock);
  const ownClusterID = source.kind === 'session' ? source.session.spec.clusterID : undefined;
  const recentNames = createRecentNames(local.world.clock);
  const options = { local, source, refusals, recentNames };
  if (source.kind === 'session') {
    for (const problem of excludedForExporters(local.config))
      source.session.importProblems.note(problem.namespace, problem);
  }
  const reports = createStandingReports(local.events, serviceImportStatus, local.world.clock);
  const pending = createPendingExports(local.world.clock);
  const lists = createBelievedLists(local.world.clock);
  const missing = createMissingImports(local, source, {
    exchange: serviceExchangeName,
    what: 'imported Services',
    keys: serviceImportKeys,
    partNames: (object) => [partName(object)],
    resource: local.serviceImports,
    importOf: (key) => local.serviceImports.cache.getByKey(key),
    imported: () => local.serviceImports.cache.list().filter(carriesOurLabel).map(keyOfObject),
    isOffered: (key) => remoteObjects(source, key).length > 0,
    outlastsOtherMakes: true,
    isOfferedOrExported,
  });
  return defineReconciler<EventReason<typeof serviceImportStatus>>({
    name: 'service-import',
    sources: [...importSources(local, source), ...missing.sources],
    access: serviceImportAccess,
    async reconcile(key, context) {
      const { signal } = context;
      const { namespace = '', name } = refOf(key);
      const objects = remoteObjects(source, key);
      const slices = standingSlices(local, key);
      const { offered: listed, lookAgainMs } = lists.read(key, objects, slices, standingParts(key, objects));
      const derived = local.services.cache.get({ namespace, name: importedServiceName(name) });
      const service = derived !== undefined && isOurService(derived) ? derived : undefined;
      const offered = withinSliceLimit(settledNames(listed, { service, slices, ownClusterID }), ownClusterID);
      const serviceImport = local.serviceImports.cache.get({ namespace, name });
      const standing = { key, derived, serviceImport };
      const there = local.namespaces.cache.get({ name: namespace });
      const withdrawn = async () => {
        try {
          await withdraw(options, standing, signal);
        } catch (error) {
          const problem = refusals.problemOf(key, error);
          const left = local.serviceImports.cache.get({ namespace, name });
          const isOurs = left !== undefined && isOurServiceImport(left, derived);
          // It was Ready until then, and leads to what its exporters withdraw.
          if (isOurs) await hold(options, { ...standing, serviceImport: left }, problem, signal);
          return retried(problem);
        }
        refusals.clear(key);
        missing.gone(key);
        pending.over(key);
        recentNames.forget(key);
        return done;
      };
      if (isNeverImported({ namespace, name }, local.config)) return withdrawn();
      const namespaceState = namespaceStateOf(there);
      const input = { namespace, name, namespaceState, derived, serviceImport };
      const decision = decideServiceImport({ ...input, remote: offered });
      switch (decision.kind) {
        case 'wait':
          return blocked(decision.problem.reason, decision.problem.message, { lookAgainMs: repeatedAfterMs });
        case 'hold':
          await hold(options, standing, decision.problem, signal);
          return blocked(decision.problem.reason, decision.problem.message);
        case 'withdraw': {
          const isPending = isOwnExportPending(local, source, key);
          if (isPending && !pending.isOverdue(key)) {
            await keepOwn(key, signal);
            return again(pendingCheckMs, ownPending);
          }
          // What somebody else made was never imported, so it cannot be lost.
          const doubt =
            serviceImport === undefined || !isOurServiceImport(serviceImport, derived)
              ? undefined
              : await doubtOf(
                  {
                    key,
                    name: resourceImportName(namespace, name, 'Service'),
                    marks: marksWithdrawals(serviceImport),
                    area: importedFrom(serviceImport),
                    clusterIDs: (serviceImport.status?.clusters ?? []).map(({ cluster }) => cluster),
                  },
                  context,
                );
          if (doubt !== undefined) return doubted(key, doubt, signal);
          // It is only reported as held by now: with an export of this cluster, it goes only if a person lets it go.
          if (!isPending || areRemovalsAllowed(local.served(), local.world.clock.now())) return withdrawn();
          await keepOwn(key, signal);
          return again(pendingCheckMs, ownPending);
        }
        case 'import': {
          pending.over(key);
          const lost = lostEndpoints(key, objects);
          const doubt = lost === undefined ? undefined : await doubtOf(lost, context);
          if (doubt !== undefined) return doubted(key, doubt, signal);
          missing.clear({ key });
          const { remote, outcome } = await withHeld(key, objects, offered, context);
          try {
            const problem = await writeImport(options, { key, decision, remote }, signal);
            if (!missing.isRecorded(key)) await missing.record(key, signal);
            const namesMs = recentNames.lookAgainMs(key);
            const soonMs = namesMs === undefined ? lookAgainMs : Math.min(namesMs, lookAgainMs ?? namesMs);
            if (problem === undefined) {
              if (outcome !== undefined || soonMs === undefined) return outcome ?? done;
              return again(soonMs, namesMs === undefined ? listedMore : 'ports were renamed');
            }
            // What is wrong with the objects of the leader changes with them; what is held is looked at on its own.
            return problem === decision.problem && outcome === undefined
              ? blocked(problem.reason, problem.message, { lookAgainMs: soonMs })
              : retried(problem);
          } catch (error) {
            return retried(refusals.problemOf(key, error));
          }
        }
      }
    },
    /** On the ServiceImport, which the user looks at; where there is none, on the ClusterSet. */
    async report(key, problem) {
      const object = local.serviceImports.cache.getByKey(key) ?? local.served();
      reports.note(key, object, problem);
      if (source.kind !== 'session') return;
      const namespaceState = namespaceStateOf(local.namespaces.cache.get({ name: refOf(key).namespace ?? '' }));
      source.session.importProblems.note(key, problemForExporters(key, problem, namespaceState));
    },
  });

  /** What was imported of each cluster, in the form in which it was published, where the leader marks what it withdraws of that. */
  function standingParts(
    key: string,
    objects: readonly ResourceImportObject[],
  ): ReadonlyMap<string, readonly EndpointSlicePayload[]> {
    const service = objects.find(({ spec }) => spec?.kind === SourceKind.serviceImport);
    if (source.kind === 'none' || service === undefined || !marksWithdrawals(service)) return new Map();
    const ranges = usedRanges(local);
    const parts = new Map(
      [...standingEndpoints(standingSlices(local, key))].map(([id, slices]) => [
        id,
        asExported(slices, ranges?.get(id)),
      ]),
    );
    const { clusterID } = source.session.spec;
    const own = parts.has(clusterID) ? ownServiceOf(local, key) : undefined;
    if (own === undefined) return parts;
    // Here it leads to the own Pods, elsewhere to what is exported of them.
    return new Map([...parts, [clusterID, exportedEndpoints(own.service, own.slices, own).slices]]);
  }

  /** Own Pods, the derived Service and the status go on while what the leader says is doubted, and while it cannot be asked. */
  async function doubtOf(lost: MissingImport, context: ReconcileContext): Promise<Outcome | undefined> {
    try {
      const doubt = await missing.doubt(lost, context);
      if (doubt !== undefined) await keepOwn(lost.key, context.signal);
      return doubt;
    } catch (error) {
      await keepOwn(lost.key, context.signal);
      throw error;
    }
  }

  function keepOwn(key: string, signal: AbortSignal): Promise<Outcome<EventReason<typeof serviceImportStatus>>> {
    return keepImport({ local, refusals, ownClusterID }, key, signal);
  }

  /** What is missing is kept, and that is written on the import. */
  async function doubted(
    key: string,
    doubt: Outcome,
    signal: AbortSignal,
  ): Promise<Outcome<EventReason<typeof serviceImportStatus>>> {
    try {
      if (!missing.isRecorded(key)) await missing.record(key, signal);
      return doubt;
    } catch (error) {
      return retried(refusals.problemOf(key, error));
    }
  }

  /**
   * The endpoints of an import that is published without any, by a leader that marks nothing: such a leader has them in an object of their own, which
   * goes a moment before that of the Service where all are deleted. Undefined: there are some, or none was imported.
   */
  function lostEndpoints(key: string, objects: readonly ResourceImportObject[]): MissingImport | undefined {
    const service = objects.find(({ spec }) => spec?.kind === SourceKind.serviceImport);
    const serviceImport = local.serviceImports.cache.getByKey(key);
    if (service === undefined || serviceImport === undefined || marksWithdrawals(service)) return undefined;
    const hasEndpoints = objects.some(({ spec }) => spec?.kind !== SourceKind.serviceImport);
    if (hasEndpoints || standingSlices(local, key).length === 0) return undefined;
    const { namespace = '', name } = refOf(key);
    const endpoints = { key, name: resourceImportName(namespace, name, 'Endpoints'), marks: false };
    return { ...endpoints, area: importedFrom(serviceImport), clusterIDs: [] };
  }

  /** With the endpoints of clusters whose part alone the leader has lost: they stay. */
  async function withHeld(
    key: string,
    objects: readonly ResourceImportObject[],
    offered: RemoteService,
    context: ReconcileContext,
  ): Promise<{ readonly remote: RemoteService; readonly outcome: Outcome | undefined }> {
    const service = objects.find(({ spec }) => spec?.kind === SourceKind.serviceImport);
    // An Antrea leader has merged endpoints instead, and so has one of ours whose API server drops the others.
    if (source.kind === 'none' || service === undefined || !marksWithdrawals(service) || offered.merged !== undefined) {
      missing.onlyParts(key, new Set());
      return { remote: offered, outcome: undefined };
    }
    const { namespace = '', name } = refOf(key);
    const perCluster = new Map(offered.perCluster);
    const held = new Set<string>();
    let first: Outcome | undefined;
    const before = local.serviceImports.cache.getByKey(key);
    const area = before === undefined ? undefined : importedFrom(before);
    const standing = standingEndpoints(standingSlices(local, key), standingPods(local, key));
    for (const [clusterID, slices] of standing) {
      if (perCluster.has(clusterID)) continue;
      const isOwn = clusterID === source.session.spec.clusterID;
      const part = { key, clusterID, name: perClusterImportName(namespace, name, clusterID) };
      const isExportedHere = isExportedBy(local, source, key);
      const outcome =
        isOwn && !isExportedHere
          ? undefined
          : await missing.doubt({ ...part, marks: true, area, clusterIDs: [clusterID] }, context);
      if (outcome === undefined) continue;
      held.add(clusterID);
      perCluster.set(clusterID, slices);
      first ??= outcome;
    }
    missing.onlyParts(key, held);
    return { remote: { ...offered, perCluster }, outcome: first };
  }
}

/** A ServiceImport needs a Service export of any cluster, the part of one cluster one of its own. */
async function isOfferedOrExported(
  session: LeaderSession,
  missing: MissingImport,
  signal: AbortSignal,
): Promise<boolean> {
  const { key, clusterID, name } = missing;
  const { namespace = '', name: service } = refOf(key);
  const isSame = ({ spec }: ResourceImportObject) => spec?.namespace === namespace && spec.name === service;
  if (await isOffered(session, { name, isSame }, signal)) return true;
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
