import type { Client, Reconciler, Resource } from '@isthmus/kube';
import {
  again,
  defineReconciler,
  done,
  eventAccess,
  from,
  isAlreadyExists,
  isNamespaceTerminating,
} from '@isthmus/kube';
import { controllerOf, equal, keyOfObject, refOfObject } from '@isthmus/machinery';
import { Deployment, Pod, ReplicaSet } from '../kinds.ts';
import { isFinished } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import type { TellingWorld } from '../telling.ts';
import { Index } from '../shared-caches.ts';
import { claim, workloadsOf } from './claim.ts';
import { boundsOfDeployment, decideScaling } from './deployment-scaling.ts';
import { beyondHistory, byAge, hasTemplateOf, newReplicaSet, scalingNote } from './deployment-sets.ts';
import { deploymentStatus, untilDeadlineMs } from './deployment-status.ts';
import { Revision, annotatedReplicaSet, revisionOf } from './revision.ts';
import { wantedOf } from './rollout.ts';

const historyLimit = 10;

/**
 * Keeps one ReplicaSet for each template that a Deployment has had, and moves the Pods to that of
 * the present one.
 */
export function deploymentController(client: Client, caches: SharedCaches, { clock, tell }: TellingWorld): Reconciler {
  const deployments = caches.of(Deployment);
  const sets = caches.of(ReplicaSet);
  const pods = caches.of(Pod);
  const keepRevision = revisionKeeper(client, caches, sets);
  const tellScaled: TellScaled = (deployment, set, to, from) =>
    tell({ type: Deployment, object: deployment }, scalingNote(set, to, from));
  const createFresh = freshSetCreator({ client, deployments, sets, tellScaled });
  return defineReconciler({
    name: 'deployment',
    sources: [
      from(deployments.cache, (deployment) => [keyOfObject(deployment)]),
      from(sets.cache, workloadsOf(deployments)),
      // Recreate waits for the Pods of old ReplicaSets.
      from(pods.cache, (pod) => {
        const { namespace } = pod.metadata;
        const set = sets.cache.get({ namespace, name: controllerOf(pod)?.name ?? '' });
        const name = (set && controllerOf(set)?.name) ?? '';
        const deployment = deployments.cache.get({ namespace, name });
        return deployment?.spec?.strategy?.type === 'Recreate' ? [keyOfObject(deployment)] : [];
      }),
    ],
    access: [
      { at: 'local', type: Deployment, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Deployment, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: ReplicaSet, scope: 'all', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch'] },
      ...eventAccess('all'),
    ],
    async reconcile(key, { signal }) {
      const deployment = deployments.cache.getByKey(key);
      if (deployment?.spec === undefined) return done;
      const { selector } = deployment.spec;
      const claimed = await claim({ type: Deployment, object: deployment, selector }, sets, signal);
      try {
        const isGoing = deployment.metadata.deletionTimestamp !== undefined;
        const all = isGoing ? claimed : await rollOut(deployment, claimed.toSorted(byAge), signal);
        const written = await writeStatus(deployments.cache.getByKey(key) ?? deployment, all, signal);
        const deadline = untilDeadlineMs(written, clock.now());
        return deadline === undefined ? done : again(Math.max(1, deadline), 'the rollout may get stuck');
      } catch (error) {
        if (isNamespaceTerminating(error)) return done;
        throw error;
      }
    },
  });

  /** Takes the next step, and returns all ReplicaSets, a new one included. */
  async function rollOut(
    deployment: Deployment,
    all: readonly ReplicaSet[],
    signal: AbortSignal,
  ): Promise<readonly ReplicaSet[]> {
    const { replicas = 1, paused = false, revisionHistoryLimit = historyLimit } = deployment.spec ?? {};
    const known = all.find(hasTemplateOf(deployment));
    const old = all.filter((set) => set !== known);
    const fresh = known ?? (paused ? undefined : await createFresh(deployment, all, signal));
    if (fresh !== undefined && !paused) await keepRevision(deployment, { fresh, old }, signal);
    const oldPods = old.flatMap((set) => pods.cache.byIndex(Index.controller, set.metadata.uid ?? ''));
    const scaling = decideScaling(deployment, { fresh, old, oldPodsLeft: oldPods.some((pod) => !isFinished(pod)) });
    const bounds = boundsOfDeployment(deployment);
    for (const [set, count] of scaling) {
      const current = sets.cache.getByKey(keyOfObject(set)) ?? set;
      const scaled = { ...current, spec: current.spec && { ...current.spec, replicas: count } };
      await sets.change(current, annotatedReplicaSet(scaled, deployment, { bounds, replicas }), signal);
      tellScaled(deployment, current, count, wantedOf(current));
    }
    if (scaling.size === 0 && !paused && (fresh?.status?.availableReplicas ?? 0) === replicas) {
      for (const set of beyondHistory(old, revisionHistoryLimit)) await sets.delete(set, signal);
    }
    return fresh === undefined ? old : [...old, fresh];
  }

  function writeStatus(deployment: Deployment, seen: readonly ReplicaSet[], signal: AbortSignal): Promise<Deployment> {
    const all = seen.flatMap((set) => sets.cache.getByKey(keyOfObject(set)) ?? []);
    const status = deploymentStatus({
      deployment,
      replicas: deployment.spec?.replicas ?? 1,
      bounds: boundsOfDeployment(deployment),
      fresh: all.find(hasTemplateOf(deployment)),
      all,
      nowMs: clock.now(),
    });
    return deployments.changeStatus(deployment, status, signal);
  }
}

interface Present {
  readonly fresh: ReplicaSet;
  readonly old: readonly ReplicaSet[];
}

/**
 * Gives the current ReplicaSet the highest revision, and writes it to the Deployment's annotation.
 */
function revisionKeeper(client: Client, caches: SharedCaches, sets: Resource<ReplicaSet>) {
  return async (deployment: Deployment, { fresh, old }: Present, signal: AbortSignal): Promise<void> => {
    const highest = Math.max(0, ...old.map(revisionOf));
    const revision = revisionOf(fresh) > highest ? revisionOf(fresh) : highest + 1;
    const size = { bounds: boundsOfDeployment(deployment), replicas: deployment.spec?.replicas ?? 1 };
    await sets.change(fresh, annotatedReplicaSet(fresh, deployment, { ...size, revision, keepCounts: true }), signal);
    const annotations = { ...deployment.metadata.annotations, [Revision.current]: String(revision) };
    if (equal(annotations, deployment.metadata.annotations)) return;
    // The patch is one of the status: there a change of annotations does not change the generation.
    const patch = { type: 'merge', body: { metadata: { annotations } } } as const;
    const options = { signal, subresource: 'status' } as const;
    caches.wrote(Deployment, await client.patch(Deployment, refOfObject(deployment), patch, options));
  };
}

type TellScaled = (deployment: Deployment, set: ReplicaSet, to: number, from: number) => void;

interface FreshSetCreatorOptions {
  readonly client: Client;
  readonly deployments: Resource<Deployment>;
  readonly sets: Resource<ReplicaSet>;
  readonly tellScaled: TellScaled;
}

/**
 * Creates the current ReplicaSet. If another owner has the name, the next attempt uses a new one,
 * which `collisionCount` changes.
 */
function freshSetCreator({ client, deployments, sets, tellScaled }: FreshSetCreatorOptions) {
  return async (deployment: Deployment, all: readonly ReplicaSet[], signal: AbortSignal): Promise<ReplicaSet> => {
    const wanted = newReplicaSet(deployment, all);
    try {
      const created = await sets.create(wanted, signal);
      if (wantedOf(created) > 0) tellScaled(deployment, created, wantedOf(created), 0);
      return created;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const found = await client.get(ReplicaSet, refOfObject(wanted), { signal });
      if (controllerOf(found)?.uid === deployment.metadata.uid && hasTemplateOf(deployment)(found)) return found;
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      await deployments.changeStatus(deployment, { ...deployment.status, collisionCount }, signal);
      throw error;
    }
  };
}
