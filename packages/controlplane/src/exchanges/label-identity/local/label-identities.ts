import { LabelIdentity, Pod } from '@isthmus/api';
import type { Resource } from '@isthmus/kube';
import { metadataOf } from '@isthmus/kube';
import { carriesOurLabel, isClaimed, labelProblem } from '@isthmus/wire';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';

/** The objects of the own cluster that the exchange of label identities uses. */
export interface LocalLabelIdentities extends OwnCluster {
  readonly labelIdentities: Resource<LabelIdentity>;
  /** The Pods with their metadata alone; undefined if the exchange is off. */
  readonly pods: Resource<Pod> | undefined;
}

/** The index of label identities by their numbers. */
export const numberIndex = 'number';

export function openLocalLabelIdentities(own: OwnCluster): LocalLabelIdentities {
  const optional = { scope: 'all', optional: true } as const;
  return {
    ...own,
    labelIdentities: own.open(LabelIdentity, {
      ...optional,
      name: 'labelIdentities',
      indexes: { [numberIndex]: ({ spec }) => (spec?.id === undefined ? [] : [String(spec.id)]) },
    }),
    pods: own.config.enableStretchedNetworkPolicy
      ? own.open<Pod>(metadataOf(Pod), { ...optional, name: 'pods' })
      : undefined,
  };
}

/**
 * Whether the member may change or delete it. It may if the object carries our label, or has the
 * form of Antrea's controller, which derives the name from the labels.
 */
export function isOurLabelIdentity(object: LabelIdentity): boolean {
  return (
    carriesOurLabel(object) ||
    (!isClaimed(object) && labelProblem(object.spec?.label, object.metadata.name) === undefined)
  );
}
