/** Condition types and reasons that peers and users see. Reasons of the MCS API as mcs-api.md §2 lists them; Antrea's as control-plane.md §3. */

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

export const Reason = {
  // ServiceExport Valid (MCS API)
  valid: 'Valid',
  noService: 'NoService',
  invalidServiceType: 'InvalidServiceType',
  /** A Service that was imported cannot be exported. Antrea's word; the MCS API has none. */
  importedService: 'ImportedService',
  // ServiceExport Ready (MCS API)
  exported: 'Exported',
  pending: 'Pending',
  failed: 'Failed',
  // ServiceImport Ready (MCS API)
  ready: 'Ready',
  ipFamilyNotSupported: 'IPFamilyNotSupported',
  // Conflict (MCS API); several are joined by commas
  noConflicts: 'NoConflicts',
  portConflict: 'PortConflict',
  typeConflict: 'TypeConflict',
  sessionAffinityConflict: 'SessionAffinityConflict',
  sessionAffinityConfigConflict: 'SessionAffinityConfigConflict',
  annotationsConflict: 'AnnotationsConflict',
  labelsConflict: 'LabelsConflict',
  internalTrafficPolicyConflict: 'InternalTrafficPolicyConflict',
  trafficDistributionConflict: 'TrafficDistributionConflict',
  ipFamilyConflict: 'IPFamilyConflict',
  // ResourceExport Failure (Antrea)
  convergeFailure: 'ConvergeFailure',
  // ClusterSet (Antrea)
  connected: 'Connected',
  disconnected: 'Disconnected',
  noReadyCluster: 'NoReadyCluster',
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
  importUpdated: 'update is successful',
} as const;
