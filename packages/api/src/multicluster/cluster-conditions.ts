import { s } from '@isthmus/schema';

/**
 * Conditions as Antrea's kinds hold them: no list keys, short lists replaced as a whole. `type` and
 * `status` are required here and are written by every peer; Antrea's own schema requires nothing.
 */
export const antreaConditions = s.array(
  s.object({
    type: s.string().doc('Type of the condition.'),
    status: s.oneOf('True', 'False', 'Unknown').doc('Status of the condition: True, False, or Unknown.'),
    lastTransitionTime: s.dateTime().doc('When the status last changed from one value to another.').optional(),
    message: s.string().doc('Human-readable explanation.').optional(),
    reason: s.string().doc('Machine-readable reason, one CamelCase word.').optional(),
  }),
);

/** `clusterStatuses[]` of ClusterSet and ResourceImport. */
export const clusterStatuses = s.array(
  s.object({
    clusterID: s.string().doc('The cluster that the conditions are about.').optional(),
    conditions: antreaConditions.doc('Conditions of the cluster.').optional(),
  }),
);
