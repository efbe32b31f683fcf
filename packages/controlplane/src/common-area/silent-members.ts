import type { ResourceExport, ResourceImport } from '@isthmus/api';
import type { Source } from '@isthmus/kube';
import { equal, rfc3339 } from '@isthmus/machinery';
import type { ReportedProblem } from '@isthmus/wire';
import { conditionOf, disconnectedAfterMs } from '@isthmus/wire';
import type { Exchange } from '../define-exchange.ts';
import { following } from '../reporting/following.ts';
import type { CommonArea } from './common-area.ts';

/** The members that send no heartbeats, by what the leader has written on its ClusterSet. */
export interface SilentMembers {
  /** Wakes what was published while a member was silent, when that begins and when it ends. */
  readonly source: Source;
  /** The members that were silent before these imports were first published, without exporters. */
  waitingFor(imports: readonly ResourceImport[], exports: readonly ResourceExport[]): readonly ReportedProblem[];
}

type Area = Pick<CommonArea, 'clusterSets' | 'imports' | 'served' | 'unannounced'>;

export function createSilentMembers({ leader }: Exchange, area: Area): SilentMembers {
  const remembered = { silent: new Map<string, number>() as ReadonlyMap<string, number> };
  const createdMs = (object: ResourceImport) => Date.parse(object.metadata.creationTimestamp ?? '');
  /** The keys of what was published since then. */
  const publishedSince = (sinceMs: number): ReadonlySet<string> =>
    new Set(
      area.imports.cache
        .list()
        .filter((object) => createdMs(object) >= sinceMs)
        .flatMap(leader.importKeys),
    );
  return {
    source: {
      ...following(),
      start(wake) {
        remembered.silent = silentSince(area);
        return area.clusterSets.cache.subscribe(() => {
          const [before, now] = [remembered.silent, silentSince(area)];
          remembered.silent = now;
          if (equal([...before], [...now])) return;
          const changed = [...new Map([...before, ...now])].filter(([id]) => before.get(id) !== now.get(id));
          for (const key of publishedSince(Math.min(...changed.map(([, sinceMs]) => sinceMs)))) wake(key);
        });
      },
    },
    waitingFor(imports, exports) {
      if (imports.length === 0) return [];
      const exporters = new Set(exports.map(({ spec }) => spec?.clusterID));
      const firstMs = Math.min(...imports.map(createdMs));
      return [...remembered.silent]
        .filter(([clusterID, sinceMs]) => firstMs >= sinceMs && !exporters.has(clusterID))
        .map(([clusterID, sinceMs]) => ({
          clusterID,
          reason: 'ControllerSilent',
          message: `The leader has had no heartbeat of cluster ${clusterID} since ${rfc3339(sinceMs)}. Check there that the controller runs and reaches the leader: kubectl get pods -A -l component=antrea-mc-controller`,
        }));
    },
  };
}

/**
 * When the leader had the last heartbeat of each member that is silent, in epoch milliseconds. A
 * cluster that exports without an announcement is one: a member that lives announces itself again.
 */
export function silentSince({
  served,
  unannounced,
}: Pick<CommonArea, 'served' | 'unannounced'>): ReadonlyMap<string, number> {
  const members = served()?.status?.clusterStatuses ?? [];
  return new Map([
    ...unannounced.look().sinceMs,
    ...members.flatMap(({ clusterID = '', conditions }) => {
      const { status, reason, lastTransitionTime = '' } = conditionOf(conditions, 'ClusterConnected') ?? {};
      if (status !== 'False' || reason !== 'Disconnected') return [];
      const sinceMs = Date.parse(lastTransitionTime) - disconnectedAfterMs;
      return Number.isFinite(sinceMs) ? [[clusterID, sinceMs] as const] : [];
    }),
  ]);
}
