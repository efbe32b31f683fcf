import type { ResourceExport as ResourceExportObject } from '@isthmus/api';
import {
  Annotation,
  EndpointSlice,
  Label,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
  perClusterImportName,
  resourceExportName,
} from '@isthmus/api';
import type { Access, Outcome, Reconciler, Source, World } from '@isthmus/kube';
import { again, defineReconciler, done, from, isAlreadyExists } from '@isthmus/kube';
import { equal, keyOfObject, parseRfc3339, refOf, rfc3339 } from '@isthmus/machinery';
import type { LocalCluster } from '../../../member/local-cluster.ts';
import { ServiceExportIndex, SliceIndex } from '../../../member/local-cluster.ts';
import type { LeaderSession } from '../../../member/session/leader-session.ts';
import { exportKeys, firstExportedByLeader, sessionSource } from '../../../member/session/leader-session.ts';
import type { ServiceExportDecision, ServiceExportInput } from './decide.ts';
import type { Remote } from './remote.ts';
import { decideServiceExport, isRival } from './decide.ts';
import { isPatienceOver, patienceCheckMs } from './patience.ts';
import type { DesiredExports } from './resource-exports.ts';

/** How often an export whose name another cluster holds is tried again. */
const strangerCheckMs = 60_000;

export interface ServiceExportOptions {
  readonly local: LocalCluster;
  /** Undefined: there is no session; every ServiceExport is told `why`. */
  readonly session: LeaderSession | undefined;
  readonly why: { readonly message: string };
  readonly world: World;
}

/** What this controller may do. */
export const serviceExportAccess: readonly Access[] = [
  { at: 'local', type: ServiceExport, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceExport, subresource: 'status', scope: 'all', verbs: ['patch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { at: 'leader', type: ResourceImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
];

/** Exports each Service that has a ServiceExport, and withdraws the rest. One key: `namespace/name`. */
export function serviceExportController({ local, session, why, world }: ServiceExportOptions): Reconciler {
  // Caches: how long each key has been waiting for the leader, and when it last answered any. Lost with the process, which costs two seconds.
  const waitingSince = new Map<string, number>();
  let answeredMs: number | undefined;
  const ifExported = (key: string) => (local.serviceExports.cache.getByKey(key) === undefined ? [] : [key]);
  const rivalsOf = ({ spec }: ResourceExportObject) =>
    local.serviceExports.cache
      .byIndex(ServiceExportIndex.base, `${spec?.namespace ?? ''}-${spec?.name ?? ''}`)
      .map(keyOfObject);
  const remoteSources =
    session === undefined
      ? []
      : [
          // First: what it notes must stand before a key is looked at.
          answers(session, () => (answeredMs = world.clock.monotonic())),
          // Another Service of this cluster may be waiting for the name.
          from(session.exports.cache, (object) => [...exportKeys(object), ...rivalsOf(object)]),
          from(session.imports.cache, (object) =>
            object.metadata.name === ownImportName(session, object.spec) ? exportKeysOf(object.spec) : [],
          ),
          // What was withdrawn while no session stood is found by what is left on the leader.
          sessionSource(session, () => [
            ...local.serviceExports.cache.list().map(keyOfObject),
            ...session.exports.cache.list().flatMap(exportKeys),
          ]),
        ];
  return defineReconciler({
    name: 'service-export',
    sources: [
      from(local.serviceExports.cache, (object) => [keyOfObject(object)]),
      from(local.services.cache, (object) => ifExported(keyOfObject(object))),
      from(local.slices.cache, (slice) => {
        const name = slice.metadata.labels?.[Label.serviceName];
        return name === undefined ? [] : ifExported(`${slice.metadata.namespace ?? ''}/${name}`);
      }),
      ...remoteSources,
    ],
    optionalSources: remoteSources,
    access: serviceExportAccess,
    async reconcile(key, { signal }) {
      const ref = refOf(key);
      const serviceExport = local.serviceExports.cache.get(ref);
      const nowMs = world.clock.monotonic();
      const since = waitingSince.get(key) ?? nowMs;
      const remote = remoteOf(key);
      const input: ServiceExportInput = {
        serviceExport,
        service: local.services.cache.get(ref),
        slices: local.slices.cache.byIndex(SliceIndex.service, key),
        endpointIPType: local.endpointIPType,
        remote,
        now: rfc3339(world.clock.now()),
        patienceOver: isPatienceOver({
          nowMs,
          sinceMs: since,
          answeredMs,
          connecting: remote.kind === 'absent' && remote.connecting,
        }),
      };
      let decision = decideServiceExport(input);
      let outcome: Outcome = done;
      const stranger = await carryOut(decision.exports).catch(async (error: unknown) => {
        waitingSince.set(key, since);
        if (input.patienceOver && session !== undefined && !signal.aborted) {
          const message = `Waiting for ${leaderOf(session)}: ${error instanceof Error ? error.message : String(error)}`;
          const told = decideServiceExport({ ...input, remote: { kind: 'absent', message, connecting: false } });
          await tell(told.conditions);
        }
        throw error;
      });
      if (stranger !== undefined && input.remote.kind === 'present') {
        decision = decideServiceExport({ ...input, remote: { ...input.remote, service: stranger } });
        // No watch of ours tells when it goes.
        outcome = again(strangerCheckMs, `${stranger.metadata.name} belongs to another cluster`);
      }
      if (decision.waiting) {
        waitingSince.set(key, since);
        outcome = again(patienceCheckMs, 'the leader has not answered yet');
      } else waitingSince.delete(key);
      await tell(decision.conditions);
      return outcome;

      async function tell(conditions: ServiceExportDecision['conditions']): Promise<void> {
        if (serviceExport === undefined || conditions === undefined) return;
        await local.serviceExports.changeStatus(serviceExport, { ...serviceExport.status, conditions }, signal);
      }

      /** Returns the object of another cluster that stands under a name of ours. */
      async function carryOut(wanted: DesiredExports | undefined): Promise<ResourceExportObject | undefined> {
        if (wanted === undefined || session === undefined) return undefined;
        const { service, endpoints } = wanted;
        // The Service decides: the leader holds endpoints back until it has it, and withdraws everything when it goes.
        const stranger = await (service === undefined ? drop('Service') : write(session, key, service, signal));
        if (stranger !== undefined) return stranger;
        // A list may just have shown that the Service export is lost. That wakes this key, and the Service goes first again.
        if (service !== undefined && ownExport(session, key, 'Service') === undefined) return undefined;
        return endpoints === undefined ? drop('Endpoints') : write(session, key, endpoints, signal);
      }

      async function drop(kind: 'Service' | 'Endpoints'): Promise<undefined> {
        const found = session === undefined ? undefined : ownExport(session, key, kind);
        if (session === undefined || found === undefined || found.metadata.deletionTimestamp !== undefined)
          return undefined;
        // Under this name another Service of this cluster may stand.
        if (exportKeys(found).includes(key)) await session.exports.delete(found, signal);
        return undefined;
      }
    },
  });

  function remoteOf(key: string): Remote {
    if (session === undefined) return { kind: 'absent', message: why.message, connecting: false };
    const { spec, state } = session;
    if (!isUsable(session)) {
      const detail = state.kind === 'connected' ? 'the connection is being set up' : (state.why ?? 'no answer yet');
      return {
        kind: 'absent',
        message: `Waiting for ${leaderOf(session)}: ${detail}`,
        connecting: state.kind !== 'disconnected',
      };
    }
    const created = parseRfc3339(local.serviceExports.cache.getByKey(key)?.metadata.creationTimestamp);
    const known = firstExportedOf(session, local, key);
    const knownMs = parseRfc3339(known);
    return {
      kind: 'present',
      clusterID: spec.clusterID,
      leaderClusterID: spec.leaderClusterID,
      leaderNamespace: spec.leaderNamespace,
      service: ownExport(session, key, 'Service'),
      endpoints: ownExport(session, key, 'Endpoints'),
      // A time before this ServiceExport was made belongs to an earlier one (architecture.md §5.2).
      firstExported: knownMs !== undefined && created !== undefined && knownMs >= created ? known : undefined,
    };
  }
}

function leaderOf({ spec }: LeaderSession): string {
  return `leader ${spec.leaderClusterID} at ${spec.server}`;
}

function ownExport(
  session: LeaderSession,
  key: string,
  kind: 'Service' | 'Endpoints',
): ResourceExportObject | undefined {
  const { namespace = '', name } = refOf(key);
  const { clusterID, leaderNamespace } = session.spec;
  return session.exports.cache.get({
    namespace: leaderNamespace,
    name: resourceExportName(clusterID, namespace, name, kind),
  });
}

/**
 * Tells when the leader is heard: its word on an export of this cluster, which is the status, or the session that stands at last. Wakes
 * nothing.
 */
function answers(session: LeaderSession, told: () => void): Source {
  return {
    synced: true,
    whenSynced: () => Promise.resolve(),
    start() {
      const stops = [
        session.exports.cache.subscribe(({ before, after }) => {
          if (after?.status !== undefined && !equal(before?.status, after.status)) told();
        }),
        session.onState(() => {
          if (isUsable(session)) told();
        }),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

function isUsable({ announced, exports, imports }: LeaderSession): boolean {
  return announced && exports.cache.synced && imports.cache.synced;
}

/**
 * When this cluster first exported the Service: the leader's stamp, or, where the leader has lost it, the copy on our own ServiceImport.
 */
function firstExportedOf(session: LeaderSession, local: LocalCluster, key: string): string | undefined {
  const copy = local.serviceImports.cache.getByKey(key)?.metadata.annotations?.[Annotation.firstExported];
  return firstExportedByLeader(session, key) ?? copy;
}

function ownImportName(
  session: LeaderSession,
  spec: { readonly namespace?: string | undefined; readonly name?: string | undefined } | undefined,
): string {
  return perClusterImportName(spec?.namespace ?? '', spec?.name ?? '', session.spec.clusterID);
}

function exportKeysOf(
  spec: { readonly namespace?: string | undefined; readonly name?: string | undefined } | undefined,
): readonly string[] {
  return [`${spec?.namespace ?? ''}/${spec?.name ?? ''}`];
}

/** Returns the object of another cluster that stands under the name: cluster IDs such as `east` and `east-1` can meet in one. */
async function write(
  session: LeaderSession,
  key: string,
  wanted: ResourceExportObject,
  signal: AbortSignal,
): Promise<ResourceExportObject | undefined> {
  const { exports } = session;
  const { namespace, name } = wanted.metadata;
  const current = exports.cache.get({ namespace, name }) ?? (await createOrFind(session, wanted, signal));
  if (current === undefined) return undefined;
  if (isRival(current, refOf(key), session.spec.clusterID)) return current;
  // The leader is still letting go of an earlier export; its disappearance wakes this key.
  if (current.metadata.deletionTimestamp !== undefined) return undefined;
  const finalizers = new Set([...(current.metadata.finalizers ?? []), ...(wanted.metadata.finalizers ?? [])]);
  const metadata = {
    ...current.metadata,
    labels: { ...current.metadata.labels, ...wanted.metadata.labels },
    annotations: { ...current.metadata.annotations, ...wanted.metadata.annotations },
    finalizers: [...finalizers],
  };
  const desired = { ...current, metadata, spec: wanted.spec };
  // The echo is for a leader that lost everything; while the export stands, its creation time says the same. Not worth a write of its own.
  const worthwhile = prunes(session, current) ? { ...desired, spec: withoutSlices(desired.spec) } : desired;
  if (!equal(withoutEcho(current), withoutEcho(worthwhile))) await exports.change(current, desired, signal);
  return undefined;
}

/**
 * Whether the leader's API server drops `endpointSlices`, as Antrea's does, and ours with older resource definitions: writing them again would
 * change nothing. A leader that keeps them has made an import with this cluster's slices by the time that they could be missing.
 */
function prunes({ imports, spec: { clusterID } }: LeaderSession, { metadata, spec }: ResourceExportObject): boolean {
  if (spec?.endpointSlices !== undefined) return false;
  const name = perClusterImportName(spec?.namespace ?? '', spec?.name ?? '', clusterID);
  const imported = imports.cache.get({ namespace: metadata.namespace, name });
  return imported?.spec?.endpointSlices === undefined;
}

function withoutSlices(spec: ResourceExportObject['spec']): ResourceExportObject['spec'] {
  return { ...spec, endpointSlices: undefined };
}

/** Creates `wanted`; where that name is taken by what the cache cannot show, for want of our label, returns it. */
async function createOrFind(
  { client, exports }: LeaderSession,
  wanted: ResourceExportObject,
  signal: AbortSignal,
): Promise<ResourceExportObject | undefined> {
  try {
    await exports.create(wanted, signal);
    return undefined;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return client.get(ResourceExport, wanted.metadata, { signal });
  }
}

function withoutEcho(object: ResourceExportObject): ResourceExportObject {
  const { [Annotation.firstExported]: _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}
