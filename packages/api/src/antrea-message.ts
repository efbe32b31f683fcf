/**
 * Message texts that Antrea's users and tests know. A message of ours may go on after one: with the
 * object and what to do next.
 */
export const AntreaMessage = {
  exported: 'The Service is exported successfully',
  noService: 'Service does not exist',
  externalName: 'Service of ExternalName type is not supported',
  memberConnected: 'Member Connected',
  leaderAdded: 'Leader cluster added',
  leaderDisconnected: 'Disconnected from leader',
  leaderNotConnected: 'Leader not yet connected',
} as const;
