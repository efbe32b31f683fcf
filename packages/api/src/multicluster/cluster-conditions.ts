import { s } from '@isthmus/schema';

/**
 * Conditions as Antrea's kinds hold them: no list keys, short lists replaced as a whole. `type` and `status` are required here and are
 * written by every peer; Antrea's own schema requires nothing.
 */
export const antreaConditions = s.array(
  s.object({
    type: s.string().doc('What the condition is about.'),
    status: s.oneOf('True', 'False', 'Unknown').doc('Whether it holds: True, False, or Unknown.'),
    lastTransitionTime: s.dateTime().doc('When the status last changed from one value to another.').optional(),
    message: s.string().doc('Why, for people.').optional(),
    reason: s.string().doc('Why, as one word for programs.').optional(),
  }),
);

/** `clusterStatuses[]` of ClusterSet and ResourceImport. */
export const clusterStatuses = s.array(
  s.object({
    clusterID: s.string().doc('The cluster that the conditions are about.').optional(),
    conditions: antreaConditions.doc('What is known about the cluster.').optional(),
  }),
);
