import type { Deployment, ReplicaSet } from '../kinds.ts';
import type { Bounds } from './rollout.ts';

/** Annotations by which a Deployment and its ReplicaSets know the history of its template. */
export const Revision = {
  current: 'deployment.kubernetes.io/revision',
  /** On a ReplicaSet: the revisions that it had before a rollback made it the present one again. */
  history: 'deployment.kubernetes.io/revision-history',
  desired: 'deployment.kubernetes.io/desired-replicas',
  max: 'deployment.kubernetes.io/max-replicas',
} as const;

const notCopied: ReadonlySet<string> = new Set([
  ...Object.values(Revision),
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
]);

/** The revision of a ReplicaSet; 0 if it has none. */
export function revisionOf({ metadata }: ReplicaSet): number {
  const value = Number(metadata.annotations?.[Revision.current] ?? '0');
  return Number.isSafeInteger(value) ? value : 0;
}

/**
 * A ReplicaSet with the annotations of its Deployment, and with its revision and the Deployment's
 * size.
 */
export function annotatedReplicaSet(
  set: ReplicaSet,
  deployment: Deployment,
  options: {
    readonly bounds: Bounds;
    readonly replicas: number;
    readonly revision?: number | undefined;
    /** Keeps the annotations about the size: the Deployment is not being scaled. */
    readonly keepCounts?: boolean | undefined;
  },
): ReplicaSet {
  const { bounds, replicas, revision, keepCounts = false } = options;
  const had = set.metadata.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !notCopied.has(name));
  const before = had[Revision.current];
  const changes = revision !== undefined && before !== undefined && before !== String(revision);
  const history = [had[Revision.history], before].filter((one) => one !== undefined).join(',');
  const annotations = {
    ...had,
    ...Object.fromEntries(copied),
    ...(revision !== undefined && { [Revision.current]: String(revision) }),
    ...(changes && { [Revision.history]: history }),
    ...(!keepCounts && {
      [Revision.desired]: String(replicas),
      [Revision.max]: String(replicas === 0 ? 0 : replicas + bounds.surge),
    }),
  };
  return { ...set, metadata: { ...set.metadata, annotations } };
}
