import type { Deployment, ReplicaSet } from '../kinds.ts';
import type { Bounds, Scaling } from './rollout.ts';
import { boundsOf, decideProportional, decideRecreate, decideRollingUpdate, wantedOf } from './rollout.ts';
import { Revision } from './revision.ts';

export interface DeploymentSets {
  /** The ReplicaSet of the present template; undefined while a paused Deployment has none. */
  readonly fresh: ReplicaSet | undefined;
  /** The others, oldest first. */
  readonly old: readonly ReplicaSet[];
  /** Whether Pods of the others have not ended. */
  readonly oldPodsLeft: boolean;
}

/** The bounds of a rolling update; 0 if all Pods are replaced at once. */
export function boundsOfDeployment({ spec }: Deployment): Bounds {
  const { replicas = 1, strategy } = spec ?? {};
  return strategy?.type === 'Recreate' ? { surge: 0, unavailable: 0 } : boundsOf(strategy?.rollingUpdate, replicas);
}

/**
 * The next number of Pods of each ReplicaSet of a Deployment: in proportion if it was scaled or is
 * paused, otherwise by its strategy.
 */
export function decideScaling(deployment: Deployment, { fresh, old, oldPodsLeft }: DeploymentSets): Scaling {
  const { replicas = 1, paused = false, strategy } = deployment.spec ?? {};
  const bounds = boundsOfDeployment(deployment);
  const all = fresh === undefined ? old : [...old, fresh];
  if (fresh === undefined || paused) return decideProportional(all, replicas, bounds.surge);
  if (all.some((set) => wasScaled(set, replicas))) {
    const scaling = decideProportional(all, replicas, bounds.surge);
    if (scaling.size > 0) return scaling;
  }
  const input = { replicas, bounds, fresh, old };
  return strategy?.type === 'Recreate' ? decideRecreate(input, oldPodsLeft) : decideRollingUpdate(input);
}

/** How many Pods the ReplicaSet of a new template begins with. */
export function firstReplicas(deployment: Deployment, others: readonly ReplicaSet[]): number {
  const { replicas = 1, strategy } = deployment.spec ?? {};
  const wanted = others.reduce((sum, set) => sum + wantedOf(set), 0);
  if (strategy?.type === 'Recreate') return wanted > 0 ? 0 : replicas;
  return Math.max(0, Math.min(replicas, replicas + boundsOfDeployment(deployment).surge - wanted));
}

/**
 * Whether the Deployment had another size when this ReplicaSet, which has Pods, was scaled last.
 */
function wasScaled(set: ReplicaSet, replicas: number): boolean {
  const before = set.metadata.annotations?.[Revision.desired];
  return wantedOf(set) > 0 && before !== undefined && before !== String(replicas);
}
