/** Condition types that peers and users see. What each means, and its reasons, is in `reasons/`. */

export const ConditionType = {
  /** ClusterSet, its clusterStatuses, ServiceExport, ServiceImport. */
  ready: 'Ready',
  /** ClusterSet of a member: whether the cluster that it speaks to is the leader. */
  isLeader: 'IsLeader',
  /** clusterStatuses of a ClusterSet: whether the cluster is heard from. */
  clusterConnected: 'ClusterConnected',
  /** ServiceExport: whether there is something that can be exported. */
  valid: 'Valid',
  /** ServiceExport and ResourceExport: whether exporters disagree. */
  conflict: 'Conflict',
  /** ResourceExport, ResourceImport. */
  succeeded: 'Succeeded',
  /** ResourceExport; carries status `False`, as Antrea writes it. */
  failure: 'Failure',
} as const;

/** Message texts that Antrea's users and tests know. A message of ours may go on after one: with the object and what to do next. */
export const AntreaMessage = {
  exported: 'The Service is exported successfully',
  noService: 'Service does not exist',
  externalName: 'Service of ExternalName type is not supported',
  memberConnected: 'Member Connected',
  leaderAdded: 'Leader cluster added',
  leaderDisconnected: 'Disconnected from leader',
  leaderNotConnected: 'Leader not yet connected',
} as const;
