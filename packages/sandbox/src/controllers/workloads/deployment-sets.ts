import { equal } from '@isthmus/machinery';
import type { ReplicaSet } from '../kinds.ts';
import { Deployment } from '../kinds.ts';
import type { Note } from '../telling.ts';
import { referenceTo } from './claim.ts';
import { boundsOfDeployment, firstReplicas } from './deployment-scaling.ts';
import { annotatedReplicaSet, revisionOf } from './revision.ts';
import { wantedOf } from './rollout.ts';
import { templateHash, templateHashLabel, withoutHash } from './template.ts';

/**
 * The ReplicaSet of the present template, with the next revision. Its name is one that none of the
 * others has, which the `collisionCount` of the Deployment changes.
 */
export function newReplicaSet(deployment: Deployment, all: readonly ReplicaSet[]): ReplicaSet {
  const { replicas = 1, minReadySeconds, selector } = deployment.spec ?? {};
  const { name, namespace } = deployment.metadata;
  const template = withoutHash(deployment.spec?.template);
  const isTaken = (hash: string) => all.some((set) => set.metadata.name === `${name}-${hash}`);
  let salt = deployment.status?.collisionCount ?? 0;
  while (isTaken(templateHash(template, salt))) salt++;
  const hash = templateHash(template, salt);
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  const ownerReferences = referenceTo({ type: Deployment, object: deployment });
  const set: ReplicaSet = {
    metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences },
    spec: {
      replicas: firstReplicas(deployment, all),
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  const revision = 1 + Math.max(0, ...all.map(revisionOf));
  return annotatedReplicaSet(set, deployment, { bounds: boundsOfDeployment(deployment), replicas, revision });
}

/** Old ReplicaSets without Pods that the history has no room for, the oldest revisions first. */
export function beyondHistory(old: readonly ReplicaSet[], limit: number): readonly ReplicaSet[] {
  const empty = old.filter((set) => wantedOf(set) === 0 && (set.status?.replicas ?? 0) === 0);
  return empty.toSorted((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(0, old.length - limit));
}

/** Whether a ReplicaSet has the present template. */
export function hasTemplateOf({ spec }: Deployment): (set: ReplicaSet) => boolean {
  return (set) => equal(withoutHash(set.spec?.template), withoutHash(spec?.template));
}

/** Oldest first. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [timeA = '', timeB = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** The Event of a ReplicaSet that is scaled. */
export function scalingNote(set: ReplicaSet, to: number, from: number): Note {
  const way = to > from ? 'up' : 'down';
  return {
    reason: 'ScalingReplicaSet',
    message: `Scaled ${way} replica set ${set.metadata.name} from ${from} to ${to}`,
  };
}
