import { conflictReasons } from './conflicts.ts';
import { defineStatus } from './define-status.ts';
import { networkConflictReasons } from './network-conflict.ts';

/** The answers of a leader to a member on each of its ResourceExports. */
export const resourceExportStatus = defineStatus({
  kind: 'ResourceExport',
  title: 'ResourceExport',
  writer: 'leader',
  conditions: {
    Succeeded: {
      meaning: 'The leader has merged the export. The message lists invalid parts that were left out.',
      wanted: 'True',
      withoutReason: ['True'],
    },
    Failure: {
      meaning: 'The leader has not merged the export; its status is False, as Antrea writes it.',
      wanted: 'absent',
    },
    Conflict: {
      meaning: 'Whether the exports of the Service from several clusters conflict; on exports of kind Service.',
      wanted: 'False',
      joined: ['True'],
    },
    ImportFailed: {
      meaning:
        'Present while a cluster reports that it cannot import the Service or the policy, or not its last change; on exports of kind Service and AntreaClusterNetworkPolicy.',
      wanted: 'absent',
    },
    NetworkConflict: {
      meaning:
        'Present while a range of this cluster is not used, or another cluster announces one that overlaps; on exports of kind ClusterInfo.',
      wanted: 'absent',
    },
  },
  reasons: {
    ConvergeFailure: {
      on: ['Failure=False'],
      severity: 'error',
      meaning:
        'The export is not published: it is not valid, or its name on the leader is taken by another Service or another object.',
      cure: 'Read the message: it names the object to correct in the exporting cluster, or the conflicting object on the leader.',
    },
    KindNotSupported: {
      on: ['Failure=False'],
      severity: 'error',
      meaning: 'This version does not merge ResourceExports of this kind, so the export is not published.',
      cure: 'Correct `spec.kind`: the message names the kinds that are merged. A policy has kind `AntreaClusterNetworkPolicy`. Otherwise delete the ResourceExport, or use a release that supports the kind.',
    },
    ImportRejected: {
      on: ['Failure=False'],
      severity: 'error',
      meaning:
        "The export is not published: the leader's API server rejects the import. Clusters that already imported the Service keep it.",
      cure: "Read the message: it contains the answer of the leader's API server. Correct the cause on the leader, such as a missing CustomResourceDefinition, a quota or an admission policy, or make the export smaller. The leader tries again every 30 seconds.",
    },
    NumbersExhausted: {
      on: ['Failure=False'],
      severity: 'error',
      meaning: 'The labels are not published: all numbers of label identities are in use.',
      cure: 'Reduce the number of different sets of Pod labels in the ClusterSet: labels that differ for each Pod, such as the labels of StatefulSets and Jobs, need one number per Pod.',
    },
    TooManyNumbers: {
      on: ['Failure=False'],
      severity: 'error',
      meaning:
        'The labels are not published for now: the exporting cluster has all numbers of label identities that the leader keeps for one cluster, those of labels that it has withdrawn within five minutes included.',
      cure: 'Reduce how often Pods get new labels in the exporting cluster. The labels get a number when others have been withdrawn for five minutes.',
    },
    NoConflicts: {
      on: ['Conflict=False'],
      severity: 'ok',
      meaning: 'All exporting clusters agree on the Service.',
    },
    ...conflictReasons,
    ...networkConflictReasons,
    NotImported: {
      on: ['ImportFailed=True'],
      severity: 'warning',
      meaning:
        'Members report that they cannot import the Service or the policy, or keep a policy as they imported it before. The message names each cluster and the cause.',
      cure: 'Correct the cause in the importing cluster. If a cluster does not need it, there is nothing to do.',
    },
  },
});
