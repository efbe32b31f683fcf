import type { World } from '@isthmus/kube';
import { memoryLog, noMetrics } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { seededRandom } from '@isthmus/machinery';
import type { FleetParts } from './control-planes.ts';
import { leaderOf, memberOf } from './control-planes.ts';
import type { MemberSettings, VirtualCluster } from './fleet.ts';
import type { PlannedCluster } from './fleet-plan.ts';
import { seedsOf } from './fleet-plan.ts';

/** The controllers of one cluster: the running ones, and the configuration of the next start. */
interface ControllerState {
  readonly running: Map<ControllerRole, AbortController>;
  starts: number;
  settings: Partial<MemberSettings>;
}

type ControllerRole = 'leader' | 'member';

/** A cluster of a fleet; no controller of Isthmus runs yet. */
export function createVirtualCluster(parts: FleetParts, cluster: PlannedCluster): VirtualCluster {
  const { name } = cluster;
  const { options } = parts.plan;
  const log = memoryLog();
  const state: ControllerState = {
    running: new Map(),
    starts: 0,
    settings: {
      endpointIPType: options.endpointIPType ?? 'ClusterIP',
      enableStretchedNetworkPolicy: options.stretched ?? false,
    },
  };

  function startOne(role: ControllerRole): void {
    const end = new AbortController();
    state.running.set(role, end);
    const world: World = {
      clock: wrongBy(options.clockErrorsMs?.[name], parts.clock),
      random: seededRandom(seedsOf(parts.plan, cluster).start(state.starts++)),
      log: log.with({ cluster: name, role }),
      metrics: noMetrics,
    };
    const process = { name, world, signal: end.signal };
    const plane = role === 'leader' ? leaderOf(parts, process) : memberOf(parts, process, state.settings);
    void plane.run(end.signal);
  }

  return {
    name,
    server: parts.serverOf(name),
    log,
    running: (role) => state.running.has(role),
    start(only, changed) {
      state.settings = { ...state.settings, ...changed };
      for (const role of rolesOf(cluster, only)) if (!state.running.has(role)) startOne(role);
    },
    kill(only) {
      for (const role of rolesOf(cluster, only)) {
        state.running.get(role)?.abort(new Error('killed'));
        state.running.delete(role);
      }
    },
  };
}

/** The roles of a cluster, or the given one if the cluster has it. */
function rolesOf({ role }: PlannedCluster, only: ControllerRole | undefined): readonly ControllerRole[] {
  return (['leader', 'member'] as const).filter((one) => role.includes(one) && (only ?? one) === one);
}

function wrongBy(errorMs: number | undefined, clock: Clock): Clock {
  return errorMs === undefined ? clock : { ...clock, now: () => clock.now() + errorMs };
}
