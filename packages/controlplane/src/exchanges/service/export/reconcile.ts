import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import {
  EndpointSlice,
  Label,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  SourceKind,
  serviceExportStatus,
} from '@isthmus/api';
import type { Reconciler, Source } from '@isthmus/kube';
import { again, defineReconciler, from, onChange } from '@isthmus/kube';
import { errorMessage, isLive, keyOfObject, liveOf, presenceOf } from '@isthmus/machinery';
import { isWithdrawn, partSource, serviceExportKeys } from '@isthmus/wire';
import type { ControllerAccess } from '../../../controller-access.ts';
import { createMissingSources, missingSourcesAccess } from '../../../own-cluster/missing/missing-sources.ts';
import { onOwnAgents } from '../../../own-cluster/own-agents.ts';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import { isLastingRejection } from '../../../reporting/lasting-rejection.ts';
import type { StatusRejected } from '../../../reporting/rejected-status.ts';
import { reportingRejection } from '../../../reporting/rejected-status.ts';
import { differ, following } from '../../../reporting/following.ts';
import type { Pace } from '../../../reporting/pace.ts';
import { createPace } from '../../../reporting/pace.ts';
import { createOngoingReports } from '../../../reporting/reports.ts';
import type { LocalCluster } from '../local/services.ts';
import { ServiceExportIndex } from '../local/services.ts';
import type { LeaderAnswer, ServiceExportInput } from './decide.ts';
import { decideServiceExport } from './decide.ts';
import type { ServiceExportSources } from './gather.ts';
import { carriesPods, gatherServiceExport } from './gather.ts';
import { newFailures } from './reported-failures.ts';
import { exportNamed } from './own-names.ts';
import { writeServiceExports } from './write-service-exports.ts';

/** The access that this controller needs. */
export const serviceExportAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ServiceExport, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceExport, subresource: 'status', scope: 'all', verbs: ['patch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch'] },
  missingSourcesAccess(ServiceExport),
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/**
 * How long to wait before Pods that the leader's API server dropped are exported again: its CRDs
 * may be updated.
 */
const dropCheckMs = 600_000;

/**
 * Exports each Service that has a ServiceExport, and withdraws all others. One key:
 * `namespace/name`.
 */
export function serviceExportController(given: ServiceExportSources): Reconciler {
  const { local, session } = given;
  const { clock } = local.world;
  // When the leader's API server last dropped Pods. A restart loses it, which costs one write.
  let droppedMs: number | undefined;
  const arePodsDropped = () => droppedMs !== undefined && clock.monotonic() - droppedMs < dropCheckMs;
  const sources: ServiceExportSources = { ...given, arePodsDropped };
  // Since when each key has waited for the leader. A restart loses it, which costs two seconds.
  const waitingSince = new Map<string, number>();
  const remoteSources = session === undefined ? [] : sourcesAt(session, local);
  const missing = createMissingSources(local, ServiceExport);
  const withdrawals = createOngoingReports(local.events, serviceExportStatus, clock);
  const pace = createPace(clock);
  return defineReconciler({
    name: 'service-export',
    sources: [...sourcesIn(local), ...remoteSources, ...missing.sources, pacedBy(pace, local)],
    optionalSources: remoteSources,
    access: serviceExportAccess,
    async reconcile(key, context) {
      const { signal } = context;
      const waitMs = pace.begin(key);
      if (waitMs > 0) return again(waitMs, 'its endpoints change all the time');
      const sinceMs = waitingSince.get(key) ?? local.world.clock.monotonic();
      const input = gatherServiceExport(sources, key, sinceMs);
      if (input.serviceExport !== undefined && isLive(input.serviceExport)) missing.found(key, input.serviceExport);
      else if (input.remote.kind === 'present') {
        const doubt = await missing.doubt(key, existingExports(input), context);
        if (doubt !== undefined) return doubt;
      }
      const { exports } = decideServiceExport(input);
      const { answer, error } = await write(exports);
      const decision = decideServiceExport({ ...input, answer });
      if (decision.waiting) waitingSince.set(key, sinceMs);
      else waitingSince.delete(key);
      const rejected = signal.aborted ? undefined : await report(decision.conditions);
      withdrawals.note(key, local.served(), rejectedWithdrawal(key, input, answer));
      if (error !== undefined) throw error;
      return rejected ?? decision.outcome;

      async function write(wanted: typeof exports): Promise<{ answer: LeaderAnswer; error?: unknown }> {
        if (wanted === undefined || session === undefined) return { answer: { kind: 'none' } };
        try {
          const nowMs = local.world.clock.now();
          const answer = await writeServiceExports(session, key, wanted, { nowMs, signal });
          const kept = wanted.endpoints && exportNamed(session, wanted.endpoints.metadata.name);
          const isKept = kept === undefined || carriesPods(kept);
          if (answer.kind === 'written' && carriesPods(wanted.endpoints) && !isKept) droppedMs = clock.monotonic();
          return { answer: answer.kind === 'written' ? { kind: 'none' } : answer };
        } catch (error) {
          const message = errorMessage(error);
          return { answer: { kind: isLastingRejection(error) ? 'rejected' : 'failed', message }, error };
        }
      }

      async function report(conditions: typeof decision.conditions): Promise<StatusRejected | undefined> {
        const { serviceExport }: ServiceExportInput = input;
        if (serviceExport === undefined || conditions === undefined) return undefined;
        const status = { ...serviceExport.status, conditions };
        const write = local.serviceExports.changeStatus(serviceExport, status, signal);
        const rejected = await reportingRejection(write, (it) =>
          local.events.report(serviceExport, serviceExportStatus, it),
        );
        if (rejected !== undefined) return rejected;
        for (const failure of newFailures(serviceExport.status?.conditions ?? [], conditions)) {
          local.events.report(serviceExport, serviceExportStatus, failure);
        }
        return undefined;
      }
    },
  });
}

/** Reports a rejected withdrawal if no ServiceExport is left that could report it. */
function rejectedWithdrawal(key: string, { serviceExport, remote }: ServiceExportInput, answer: LeaderAnswer) {
  const isReported = serviceExport !== undefined && isLive(serviceExport);
  if (isReported || answer.kind !== 'rejected' || remote.kind !== 'present') return undefined;
  const message = `Service ${key} has no ServiceExport any more, but is still exported: the API server of leader ${remote.leaderClusterID} rejects the withdrawal: ${answer.message}. Correct the admission policy or the role there; the withdrawal is tried again.`;
  return { reason: 'WithdrawalRejected', message } as const;
}

/** The exports of this cluster on the leader under the key that it has not withdrawn. */
function existingExports({ remote }: ServiceExportInput): readonly ResourceExportObject[] {
  if (remote.kind !== 'present') return [];
  return [remote.service, remote.endpoints].flatMap((object) =>
    object === undefined || !isLive(object) || isWithdrawn(object) || object.spec?.clusterID !== remote.clusterID
      ? []
      : [object],
  );
}

/** The sources in the own cluster that wake a key. */
function sourcesIn(local: LocalCluster): readonly Source[] {
  const ifExported = (key: string) =>
    presenceOf(local.serviceExports.cache.getByKey(key)).state === 'absent' ? [] : [key];
  return [
    from(local.serviceExports.cache, (object) => [keyOfObject(object)]),
    from(local.services.cache, (object) => ifExported(keyOfObject(object))),
    from(local.slices.cache, (slice) => {
      const name = slice.metadata.labels?.[Label.serviceName];
      return name === undefined ? [] : ifExported(`${slice.metadata.namespace ?? ''}/${name}`);
    }),
    onChange(
      (listener: () => void) => onOwnAgents(local, listener),
      () => local.serviceExports.cache.list().map(keyOfObject),
    ),
  ];
}

/**
 * Counts the changes of endpoints. A leader may write what changes all the time at growing
 * intervals, so a rollout of many Pods is exported once a second.
 */
function pacedBy(pace: Pace, { serviceExports, services, slices }: LocalCluster): Source {
  const note = (key: string) => {
    if (liveOf(serviceExports.cache.getByKey(key)) !== undefined) pace.changed(key, '', Number.POSITIVE_INFINITY);
  };
  return following(
    () =>
      slices.cache.subscribe(({ before, after }) => {
        const { metadata } = after ?? before ?? {};
        note(`${metadata?.namespace ?? ''}/${metadata?.labels?.[Label.serviceName] ?? ''}`);
      }),
    // A tenant may change these as often as it likes.
    () =>
      services.cache.subscribe(({ before, after }) => {
        if (before !== undefined && after !== undefined) note(keyOfObject(after));
      }),
    () =>
      serviceExports.cache.subscribe(({ before, after }) => {
        if (before !== undefined && after !== undefined && differ(before, after)) note(keyOfObject(after));
      }),
  );
}

/** The sources at the leader that wake a key. */
function sourcesAt(session: LeaderSession, local: LocalCluster): readonly Source[] {
  // Another Service of this cluster may be waiting for the name.
  const sameBase = ({ spec }: ResourceExportObject) =>
    local.serviceExports.cache
      .byIndex(ServiceExportIndex.base, `${spec?.namespace ?? ''}-${spec?.name ?? ''}`)
      .map(keyOfObject);
  return [
    from(session.exports.cache, (object) => [...serviceExportKeys(object), ...sameBase(object)]),
    // The import with our endpoints, and the object that the leader publishes last.
    from(session.imports.cache, (object) => {
      const { kind, namespace = '', name = '' } = object.spec ?? {};
      const isOwn = partSource(object) === session.spec.clusterID;
      const key = `${namespace}/${name}`;
      const isLast =
        kind === SourceKind.serviceImport && liveOf(local.serviceExports.cache.getByKey(key)) !== undefined;
      return isOwn || isLast ? [key] : [];
    }),
    // An export whose withdrawal was decided without a session is found by the objects left on the
    // leader.
    onChange(session.onState, () => [
      ...local.serviceExports.cache.list().map(keyOfObject),
      ...session.exports.cache.list().flatMap(serviceExportKeys),
    ]),
  ];
}
