import type { ClusterInfoImport as ClusterInfoImportObject, EventReason } from '@isthmus/api';
import { ClusterInfoImport, clusterInfoImportStatus, clusterInfoName } from '@isthmus/api';
import type { Outcome, Reconciler, Source } from '@isthmus/kube';
import {
  ApiError,
  again,
  blocked,
  defineReconciler,
  done,
  from,
  isRejected,
  onChange,
  onChangeOf,
} from '@isthmus/kube';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import {
  clusterInfoExchangeName,
  gatewayThings,
  isOurClusterInfoImport,
  setVerdicts,
  withHeldTimes,
} from '@isthmus/wire';
import type { Verdicts } from '@isthmus/wire';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';
import type { ControllerAccess } from '../../../controller-access.ts';
import { grantForImport } from '../../../known-clusters/import-grant.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { ImportSource } from '../../../own-cluster/import-source.ts';
import { createOngoingReports } from '../../../reporting/reports.ts';
import type { ImportedKind, KindImports } from '../../../own-cluster/missing/imported-kind.ts';
import { createKindImports, importAccess } from '../../../own-cluster/missing/imported-kind.ts';
import type { ImportedConflict, LeftOut } from './decide.ts';
import { decideClusterInfoImport, importKeys } from './decide.ts';
import { withLocalToNodes } from './local-to-nodes.ts';
import type { Reachable } from './reachable.ts';
import { decideReachable } from './reachable.ts';
import { isExported } from '../../../own-cluster/missing/offered-or-exported.ts';

/** The access that this controller needs. */
export const clusterInfoImportAccess: readonly ControllerAccess[] = [
  ...importAccess,
  {
    at: 'local',
    type: ClusterInfoImport,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    optional: true,
  },
  { at: 'local', type: ClusterInfoImport, subresource: 'status', scope: 'own', verbs: ['patch'], optional: true },
];

/**
 * How often to retry a network that the API server rejects: its CRD or a webhook may have been
 * fixed.
 */
const rejectedMs = 60_000;

/** How often to write times and losses of probes while everything else is unchanged. */
const measuredMs = 300_000;

/** The networks of other clusters that this cluster stores. */
interface Networks {
  readonly local: OwnCluster;
  readonly imports: KindImports<ClusterInfoImportObject>;
  /** When conditions were last written, by name. A restart loses it, which costs one more write. */
  readonly writtenMs: Map<string, number>;
}

const networksOf = ({
  clusterInfoImports: resource,
  namespace,
}: OwnCluster): ImportedKind<ClusterInfoImportObject> => ({
  exchange: clusterInfoExchangeName,
  what: 'ClusterInfoImports',
  keys: importKeys,
  resource,
  refOf: (name) => ({ namespace, name }),
  importedKeys: (object) => (isOurClusterInfoImport(object) ? [object.metadata.name] : []),
  isExported: (session, lost, signal) =>
    isExported(session, { fieldSelector: `metadata.name=${lost.name}` }, lost, signal),
});

/**
 * Keeps a ClusterInfoImport for each other cluster that publishes its network. One key: its name.
 */
export function clusterInfoImportController(local: OwnCluster, source: ImportSource): Reconciler {
  const { namespace } = local;
  const imports = createKindImports(local, source, networksOf(local));
  const { session, missing } = imports;
  const networks: Networks = { local, imports, writtenMs: new Map() };
  const reports = createOngoingReports(local.events, clusterInfoImportStatus, local.world.clock);
  return defineReconciler<EventReason<typeof clusterInfoImportStatus>>({
    name: 'cluster-info-import',
    sources: [
      from(local.clusterInfoImports.cache, ({ metadata }) => [metadata.name]),
      onGateways(local, session),
      ...imports.sources,
      onChange(local.gatewayNodes.onChange, imports.imported),
      local.grants.source(
        (spec) => spec,
        (clusterID) => [clusterInfoName(clusterID)],
        () => [...imports.imported(), ...(session?.imports.cache.list() ?? []).flatMap(importKeys)],
      ),
    ],
    access: clusterInfoImportAccess,
    async reconcile(name, context) {
      const { signal } = context;
      const remote = imports.remoteOf(name);
      const held = imports.whileHeld(name);
      if (held !== undefined) return blocked('BeingDeleted', held);
      const current = imports.currentOf(name);
      const clusterID = session?.spec.clusterID;
      const grant = remote && grantForImport(local.grants, remote, current);
      const others = importedOf(local).filter(({ metadata }) => metadata.name !== name);
      const decision = decideClusterInfoImport({
        remote,
        current,
        clusterID,
        area: imports.area,
        namespace,
        grant,
        grantOf: local.grants.of,
        others,
      });
      if (remote !== undefined) missing.clear({ key: name });
      switch (decision.kind) {
        case 'nothing':
          if (remote === undefined) missing.gone(name);
          return decision.problem === undefined ? done : blocked(decision.problem.reason, decision.problem.message);
        case 'withdraw': {
          if (decision.problem !== undefined) reportFirst(local, decision.object, decision.problem);
          const exporter = decision.object.spec?.clusterID;
          const clusterIDs = exporter === undefined ? [] : [exporter];
          // While it is held, agents still send packets to that cluster.
          await setConditions(networks, decision.object, { Reachable: reachable(local, decision.object) }, signal);
          const lost = { key: name, name, clusterIDs, isOffered: remote !== undefined };
          return missing.withdraw(decision.object, lost, context);
        }
        case 'import': {
          if (current !== undefined && decision.shrinks !== undefined) reportFirst(local, current, decision.shrinks);
          const wanted = withHeldTimes(decision.object, undefined);
          return write(networks, current, wanted, { conflict: decision.conflict, signal });
        }
        case 'foreign': {
          const message = `ClusterInfoImport ${namespace}/${name} was not created by Isthmus and is not changed. Delete it to import the network of that cluster.`;
          return blocked('ForeignClusterInfoImport', message);
        }
      }
    },
    /** Reported on the ClusterInfoImport; if there is none, on the ClusterSet. */
    async report(name, problem) {
      reports.note(name, imports.existing(name).object ?? local.served(), problem);
    },
  });
}

/** What is in use is removed: an Event comes before connections end. */
function reportFirst({ events }: OwnCluster, object: ClusterInfoImportObject, problem: LeftOut): void {
  events.report(object, clusterInfoImportStatus, problem);
}

function importedOf({ clusterInfoImports }: OwnCluster): readonly ClusterInfoImportObject[] {
  return clusterInfoImports.cache.list().filter(isOurClusterInfoImport);
}

/**
 * Wakes the networks that are published with something that an import had of its gateways: it may
 * be free for them.
 */
function onGateways({ clusterInfoImports }: OwnCluster, session: LeaderSession | undefined): Source {
  return onChangeOf<ReadonlySet<string>>(
    (listener) =>
      clusterInfoImports.cache.subscribe(({ before, after }) => {
        const kept = new Set(gatewayThings(after?.spec ?? {}));
        const lost = gatewayThings(before?.spec ?? {}).filter((thing) => !kept.has(thing));
        if (lost.length > 0) listener(new Set(lost));
      }),
    (free) =>
      (session?.imports.cache.list() ?? [])
        .filter(({ spec }) => gatewayThings(spec?.clusterinfo ?? {}).some((thing) => free.has(thing)))
        .flatMap(importKeys),
  );
}

async function write(
  networks: Networks,
  current: ClusterInfoImportObject | undefined,
  wanted: ClusterInfoImportObject,
  { conflict, signal }: { readonly conflict: ImportedConflict; readonly signal: AbortSignal },
): Promise<Outcome<'ClusterInfoRejected'>> {
  const { local, imports, writtenMs } = networks;
  const { name } = wanted.metadata;
  try {
    const written = await imports.write(current, wanted, signal);
    const found = conflictAt(local, written, conflict);
    const verdicts = { NetworkConflict: found, Reachable: reachable(local, written) };
    const lastMs = writtenMs.get(name) ?? Number.NEGATIVE_INFINITY;
    const waitMs = onlyMeasuresDiffer(written, verdicts) ? lastMs + measuredMs - local.world.clock.monotonic() : 0;
    if (waitMs > 0) {
      await setConditions(networks, written, { NetworkConflict: found }, signal);
      return again(waitMs, 'times of probes are written every five minutes at most');
    }
    await setConditions(networks, written, verdicts, signal);
    return done;
  } catch (error) {
    if (!(error instanceof ApiError && isRejected(error))) throw error;
    const message = `The network of a cluster is not imported. The API server rejects ClusterInfoImport ${local.namespace}/${name}: ${error.message.slice(0, 500)}`;
    return blocked('ClusterInfoRejected', message, { lookAgainMs: rejectedMs });
  }
}

/** The agents' reports about that cluster. Undefined while their Leases are being read. */
function reachable({ gatewayNodes }: OwnCluster, { spec }: ClusterInfoImportObject): Reachable | 'absent' | undefined {
  return gatewayNodes.isKnown ? decideReachable(spec?.clusterID ?? '', gatewayNodes.list()) : undefined;
}

/** Undefined: it stays until the Leases have been read. */
function conflictAt(
  { gatewayNodes, config }: OwnCluster,
  object: ClusterInfoImportObject,
  conflict: ImportedConflict,
): ImportedConflict | undefined {
  if (!gatewayNodes.isKnown) return conflict === 'absent' ? undefined : conflict;
  return withLocalToNodes({ conflict, object, gateways: gatewayNodes.list(), config });
}

async function setConditions(
  { local, writtenMs }: Networks,
  object: ClusterInfoImportObject,
  verdicts: Verdicts<typeof clusterInfoImportStatus>,
  signal: AbortSignal,
): Promise<void> {
  const before = object.status?.conditions ?? [];
  const { clock } = local.world;
  const conditions = setVerdicts(clusterInfoImportStatus, before, verdicts, { now: rfc3339(clock.now()) });
  // Antrea writes no status here.
  if (conditions === before) return;
  await local.clusterInfoImports.changeStatus(object, { ...object.status, conditions }, signal);
  writtenMs.set(object.metadata.name, clock.monotonic());
}

/** Whether the measured times and losses are the only change of the gateways. */
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
