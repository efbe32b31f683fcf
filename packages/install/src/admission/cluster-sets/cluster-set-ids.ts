import { Annotation, ClusterSet, clusterIDPattern } from '@isthmus/api';
import { maxLabelLength } from '@isthmus/machinery';
import type { AdmissionRule } from '../admission-rule.ts';

const clusterID = (object: string) => `${object}.?spec.?clusterID.orValue('')`;
const leaderID = (object: string) => `${object}.?spec.?leaders[?0].?clusterID.orValue('')`;
const isKept = (id: (object: string) => string) => `${id('object')} == ${id('oldObject')}`;
const joinedAs = `object.metadata.?annotations[?'${Annotation.joinedAs}'].orValue('')`;

const types = [ClusterSet];
const operations = ['UPDATE'] as const;
const again = 'Delete the ClusterSet, and create it again';

const isValid = (id: string) => `${id}.size() <= ${maxLabelLength} && ${id}.matches('${clusterIDPattern}')`;

/**
 * The announcements of members contain the IDs of their leader. While the ClusterSet is not valid,
 * they can be corrected.
 */
export const leaderIDsRule: AdmissionRule = {
  name: 'leader-ids',
  docs: 'Rejects a change of `spec.clusterID` or `spec.leaders[0].clusterID` of a ClusterSet in which both are the same valid ID of the leader.',
  types,
  operations,
  judges: () => `${clusterID('oldObject')} == ${leaderID('oldObject')} && ${isValid(clusterID('oldObject'))}`,
  requires: () => [
    { expression: isKept(clusterID), message: `spec.clusterID of a leader's ClusterSet cannot be changed. ${again}` },
    {
      expression: isKept(leaderID),
      message: `spec.leaders[0].clusterID of a leader's ClusterSet cannot be changed. ${again}`,
    },
  ],
};

/**
 * The names of a member's exports contain its ID, and its imports belong to its leader. Without the
 * annotation it has not joined yet. An ID that was changed while no policy was in force can be
 * changed back, and the controller sets one that is missing.
 */
export const memberIDsRule: AdmissionRule = {
  name: 'member-ids',
  docs: `Rejects a change of \`spec.clusterID\` or \`spec.leaders[0].clusterID\` of a ClusterSet that the cluster has joined, as its annotation \`${Annotation.joinedAs}\` shows.`,
  types,
  operations,
  judges: () => `${joinedAs} != ''`,
  requires: () => [
    {
      expression: `${isKept(clusterID)} || ${clusterID('object')} in ['', ${joinedAs}]`,
      message: `spec.clusterID cannot be changed while the cluster is a member. ${again} to join under another ID`,
    },
    {
      expression: `${isKept(leaderID)} || ${leaderID('oldObject')} == ''`,
      message: `spec.leaders[0].clusterID cannot be changed while the cluster is a member. ${again} to join another leader`,
    },
  ],
};
