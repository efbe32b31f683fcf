import type { ResourceExport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { parseRfc3339, refOf, rfc3339 } from '@isthmus/machinery';
import type { LeaderSession } from '../../../own-cluster/leader-session.ts';
import type { NoSession } from '../../../member-exchange.ts';
import { announcedServiceCIDR, hasOwnAgents } from '../../../own-cluster/own-agents.ts';
import { isUsable } from '../../../own-cluster/leader-session.ts';
import type { LocalCluster } from '../local/services.ts';
import { SliceIndex } from '../local/services.ts';
import { firstExportedByLeader, isPublishedAlone } from '../local/leader-objects.ts';
import type { ServiceExportInput } from './decide.ts';
import { isPatienceOver, overdueMs } from './patience.ts';
import { ownExportsOf } from './own-names.ts';
import type { Remote } from './remote.ts';

export interface ServiceExportSources {
  readonly local: LocalCluster;
  /** Undefined: there is no session. Every ServiceExport reports the reason `why`. */
  readonly session: LeaderSession | undefined;
  readonly why: NoSession;
  /** Whether the leader's API server drops the Pods behind ClusterIPs. Default: it does not. */
  readonly arePodsDropped?: (() => boolean) | undefined;
}

/**
 * Everything known about the Service `key` (`namespace/name`), whose export has waited for the
 * leader since `sinceMs`.
 */
export function gatherServiceExport(sources: ServiceExportSources, key: string, sinceMs: number): ServiceExportInput {
  const { local, session } = sources;
  const { clock } = local.world;
  const ref = refOf(key);
  const remote = remoteOf(sources, key, sinceMs);
  // Until it is known what carries the packets, the exported Pods stay.
  const hasPods = hasOwnAgents(local) ?? (remote.kind === 'present' && carriesPods(remote.endpoints));
  return {
    serviceExport: local.serviceExports.cache.get(ref),
    service: local.services.cache.get(ref),
    slices: local.slices.cache.byIndex(SliceIndex.service, key),
    endpointIPType: local.config.endpointIPType,
    serviceCIDR: announcedServiceCIDR(local),
    pods: hasPods ? { podCIDRs: local.config.podCIDRs, isDropped: sources.arePodsDropped?.() } : undefined,
    remote,
    answer: { kind: 'none' },
    now: rfc3339(clock.now()),
    patienceOver: isPatienceOver({
      nowMs: clock.monotonic(),
      sinceMs,
      answeredMs: session?.answeredMs,
      connecting: remote.kind === 'absent' && remote.connecting,
    }),
  };
}

/** Whether an export of endpoints includes the Pods behind a ClusterIP. */
export function carriesPods(endpoints: ResourceExport | undefined): boolean {
  return (endpoints?.spec?.endpointSlices ?? []).some(({ pods }) => pods !== undefined);
}

/** The leader's name in messages. */
function leaderOf({ spec }: LeaderSession): string {
  return `leader ${spec.leaderClusterID} at ${spec.server}`;
}

const stillImported =
  'Other clusters keep their imports. Changes are exported later; after 24 hours without a heartbeat, the leader removes the export.';

/**
 * The message of an export that the leader had accepted before it stopped answering. Undefined: the
 * leader answers.
 */
function silenceOf({ session }: ServiceExportSources): string | undefined {
  if (session === undefined) return undefined;
  const { silence, spec, state } = session;
  const problem = state.kind === 'connected' ? state.problem : undefined;
  if (silence === undefined) return problem?.reason === 'LeaderControllerSilent' ? problem.why : undefined;
  const { since, reason } = silence;
  const what = reason === 'Disconnected' ? 'answered' : 'accepted';
  return `Leader ${spec.leaderClusterID} at ${spec.server} has not ${what} a heartbeat of this cluster since ${since}. ${stillImported} To see why, run: kubectl -n ${spec.namespace} describe clusterset ${spec.clusterSet}`;
}

function remoteOf(sources: ServiceExportSources, key: string, sinceMs: number): Remote {
  const { local, session, why } = sources;
  if (session === undefined) {
    const silence = why.isMember === true ? `${why.message} ${stillImported}` : undefined;
    return { kind: 'absent', message: why.message, connecting: false, silence };
  }
  const { spec, state } = session;
  if (!isUsable(session)) {
    const detail =
      state.kind === 'connected'
        ? (state.problem?.why ?? 'the connection is being set up')
        : (state.why ?? 'no answer yet');
    return {
      kind: 'absent',
      message: `Waiting for ${leaderOf(session)}: ${detail}`,
      connecting: state.kind !== 'disconnected',
      mayAnswer: state.kind !== 'connected' && session.silence === undefined,
      silence: silenceOf(sources),
    };
  }
  const created = parseRfc3339(local.serviceExports.cache.getByKey(key)?.metadata.creationTimestamp);
  const known = firstExportedOf(session, local, key);
  const knownMs = parseRfc3339(known);
  return {
    kind: 'present',
    silence: silenceOf(sources),
    problem: state.kind === 'connected' ? state.problem?.why : undefined,
    clusterID: spec.clusterID,
    leader: leaderOf(session),
    leaderClusterID: spec.leaderClusterID,
    leaderNamespace: spec.leaderNamespace,
    ...ownExportsOf(session, key),
    acceptsDottedNames: session.acceptsDottedNames,
    publishedAlone: isPublishedAlone(session, key),
    overdueInMs:
      session.answers === false ? Math.max(0, sinceMs + overdueMs - local.world.clock.monotonic()) : undefined,
    // A time before this ServiceExport was created belongs to an earlier one (docs/spec/wire.md
    // §9).
    firstExported: knownMs !== undefined && created !== undefined && knownMs >= created ? known : undefined,
  };
}

/**
 * When this cluster first exported the Service: the leader's timestamp or, if the leader has lost
 * it, the copy on our own ServiceImport.
 */
function firstExportedOf(session: LeaderSession, local: LocalCluster, key: string): string | undefined {
  const copy = local.serviceImports.cache.getByKey(key)?.metadata.annotations?.[Annotation.firstExported];
  return firstExportedByLeader(session, key) ?? copy;
}
