import type { ClusterInfoImport as ClusterInfoImportObject, EventReason } from '@isthmus/api';
import {
  ClusterInfoImport,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  clusterInfoImportStatus,
} from '@isthmus/api';
import type { Outcome, Reconciler } from '@isthmus/kube';
import { ApiError, again, blocked, defineReconciler, done, from, isRejected, onChange } from '@isthmus/kube';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import {
  clusterInfoExchangeName,
  isOurClusterInfoImport,
  isWithdrawn,
  setVerdicts,
  withHeldTimes,
} from '@isthmus/wire';
import type { Verdicts } from '@isthmus/wire';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';
import type { ControllerAccess } from '../../../controller-access.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import { createStandingReports } from '../../../reporting/reports.ts';
import { createMissingImports } from '../../../own-cluster/missing/missing-imports.ts';
import type { ImportedConflict } from './decide.ts';
import { decideClusterInfoImport, importKeys } from './decide.ts';
import type { Reachable } from './reachable.ts';
import { decideReachable } from './reachable.ts';
import { commonAreaOf } from '../../../own-cluster/session-spec.ts';
import { isExported, isOffered } from '../../../own-cluster/missing/offered-or-exported.ts';

/** What this controller may do. */
export const clusterInfoImportAccess: readonly ControllerAccess[] = [
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  // Whether what is missing is exported, and whether its exporters are there.
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['list'] },
  { at: 'leader', type: MemberClusterAnnounce, scope: 'own', verbs: ['list'] },
  {
    at: 'local',
    type: ClusterInfoImport,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    optional: true,
  },
  { at: 'local', type: ClusterInfoImport, subresource: 'status', scope: 'own', verbs: ['patch'], optional: true },
];

/** How often a network that the API server rejects is tried again: its definition or a webhook may have been mended. */
const rejectedMs = 60_000;

/** How often times and losses of probes are written, while all else is the same. */
const measuredMs = 300_000;

/** Keeps a ClusterInfoImport for each other cluster that publishes its network. One key: its name. */
export function clusterInfoImportController(local: OwnCluster, source: ImportSource): Reconciler {
  const { namespace } = local;
  const remoteOf = (name: string) =>
    source.kind === 'none'
      ? undefined
      : source.session.imports.cache.byIndex(clusterInfoExchangeName, name).find((object) => !isWithdrawn(object));
  const missing = createMissingImports(local, source, {
    exchange: clusterInfoExchangeName,
    what: 'ClusterInfoImports',
    keys: importKeys,
    resource: local.clusterInfoImports,
    importOf: (name) => local.clusterInfoImports.cache.get({ namespace, name }),
    imported: () =>
      local.clusterInfoImports.cache
        .list()
        .filter(isOurClusterInfoImport)
        .map(({ metadata }) => metadata.name),
    isOffered: (name) => remoteOf(name) !== undefined,
    isOfferedOrExported: async (session, lost, signal) =>
      (await isOffered(
        session,
        { name: lost.name, isSame: (object) => importKeys(object).includes(lost.name) },
        signal,
      )) || (await isExported(session, { fieldSelector: `metadata.name=${lost.name}` }, lost, signal)),
  });
  // When conditions were written last, by name. Lost with the process, which costs a write more.
  const writtenMs = new Map<string, number>();
  const reports = createStandingReports(local.events, clusterInfoImportStatus, local.world.clock);
  return defineReconciler<EventReason<typeof clusterInfoImportStatus>>({
    name: 'cluster-info-import',
    sources: [
      from(local.clusterInfoImports.cache, ({ metadata }) => [metadata.name]),
      ...(source.kind === 'none' ? [] : [from(source.session.imports.cache, importKeys)]),
      ...missing.sources,
      onChange(local.gatewayNodes.onChange, () =>
        local.clusterInfoImports.cache
          .list()
          .filter(isOurClusterInfoImport)
          .map(({ metadata }) => metadata.name),
      ),
    ],
    access: clusterInfoImportAccess,
    async reconcile(name, context) {
      const { signal } = context;
      const remote = remoteOf(name);
      const current = local.clusterInfoImports.cache.get({ namespace, name });
      const clusterID = source.kind === 'none' ? undefined : source.session.spec.clusterID;
      const area = source.kind === 'none' ? undefined : commonAreaOf(source.session.spec);
      const decision = decideClusterInfoImport({ remote, current, clusterID, area, namespace });
      if (remote !== undefined) missing.clear({ key: name });
      switch (decision.kind) {
        case 'nothing':
          if (remote === undefined) missing.gone(name);
          return done;
        case 'withdraw': {
          const exporter = decision.object.spec?.clusterID;
          const clusterIDs = exporter === undefined ? [] : [exporter];
          // While it is held, agents send packets to that cluster.
          await setConditions(decision.object, { Reachable: reachable(decision.object) }, signal);
          const lost = { key: name, name, clusterIDs, isOffered: remote !== undefined };
          return missing.withdraw(decision.object, lost, context);
        }
        case 'import':
          return write(current, withHeldTimes(decision.object, undefined), { conflict: decision.conflict, signal });
        case 'foreign': {
          const message = `ClusterInfoImport ${namespace}/${name} was not created by Isthmus and is not changed. Delete it to import the network of that cluster.`;
          return blocked('ForeignClusterInfoImport', message);
        }
      }
    },
    /** On the ClusterInfoImport; where there is none, on the ClusterSet. */
    async report(name, problem) {
      const object = local.clusterInfoImports.cache.get({ namespace, name }) ?? local.served();
      reports.note(name, object, problem);
    },
  });

  async function write(
    current: ClusterInfoImportObject | undefined,
    wanted: ClusterInfoImportObject,
    { conflict, signal }: { readonly conflict: ImportedConflict; readonly signal: AbortSignal },
  ): Promise<Outcome<'ClusterInfoRejected'>> {
    try {
      const written =
        current === undefined
          ? await local.clusterInfoImports.create(wanted, signal)
          : await local.clusterInfoImports.change(current, wanted, signal);
      const verdicts = { NetworkConflict: conflict, Reachable: reachable(written) };
      const waitMs = onlyMeasuresDiffer(written, verdicts) ? untilWritableMs(wanted.metadata.name) : 0;
      if (waitMs > 0) {
        await setConditions(written, { NetworkConflict: conflict }, signal);
        return again(waitMs, 'times of probes are written every five minutes at most');
      }
      await setConditions(written, verdicts, signal);
      return done;
    } catch (error) {
      if (!(error instanceof ApiError && isRejected(error))) throw error;
      const message = `The network of a cluster is not imported. The API server rejects ClusterInfoImport ${namespace}/${wanted.metadata.name}: ${error.message.slice(0, 500)}`;
      return blocked('ClusterInfoRejected', message, { lookAgainMs: rejectedMs });
    }
  }

  /** What agents say about that cluster; undefined while their Leases are being read. */
  function reachable({ spec }: ClusterInfoImportObject): Reachable | 'absent' | undefined {
    const { gatewayNodes } = local;
    return gatewayNodes.isKnown ? decideReachable(spec?.clusterID ?? '', gatewayNodes.list()) : undefined;
  }

  async function setConditions(
    object: ClusterInfoImportObject,
    verdicts: Verdicts<typeof clusterInfoImportStatus>,
    signal: AbortSignal,
  ): Promise<void> {
    const before = object.status?.conditions ?? [];
    const { clock } = local.world;
    const conditions = setVerdicts(clusterInfoImportStatus, before, verdicts, { now: rfc3339(clock.now()) });
    // Antrea writes no status at all.
    if (conditions === before) return;
    await local.clusterInfoImports.changeStatus(object, { ...object.status, conditions }, signal);
    writtenMs.set(object.metadata.name, clock.monotonic());
  }

  function untilWritableMs(name: string): number {
    const lastMs = writtenMs.get(name);
    return lastMs === undefined ? 0 : lastMs + measuredMs - local.world.clock.monotonic();
  }
}

/** Whether other limits of times and losses are all that is new about the gateways. */
function onlyMeasuresDiffer(
  { status }: ClusterInfoImportObject,
  { Reachable: verdict }: { readonly Reachable: Reachable | 'absent' | undefined },
): boolean {
  const before = conditionOf(status?.conditions, 'Reachable');
  return (
    before !== undefined &&
    verdict !== undefined &&
    verdict !== 'absent' &&
    before.status === verdict.status &&
    before.reason === verdict.reason &&
    before.message !== verdict.message &&
    withoutMeasures(before.message) === withoutMeasures(verdict.message)
  );
}

const withoutMeasures = (message: string | undefined) => message?.replaceAll(/at most \d+/g, '');
