import type { Stored } from '../store/stored.ts';

/** The counts of an object, and its selector as text; empty if it has none. */
interface Scaled {
  readonly replicas: number;
  readonly current: number;
  readonly selector: string;
}

/** The Scale of an object. */
export function scaleObject({ metadata }: Stored, { replicas, current, selector }: Scaled): Stored {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: current, ...(selector !== '' && { selector }) },
  };
}
