import { Annotation, MemberClusterAnnounce } from '@isthmus/api';
import { announcedByPolicy } from '@isthmus/wire';
import type { AdmissionRule } from '../admission-rule.ts';
import { mayExportPolicies } from '../caller.ts';

const record = (object: string) => `${object}.metadata.?annotations[?'${Annotation.announcedBy}']`;

/**
 * Makes the record of the announcer of a cluster reliable for the leader: no client can write it in
 * the name of another. An administrator may, to restore a backup. The leader's controller may not:
 * a rejection shows it that the rule is in force.
 */
export const announcedByRule: AdmissionRule = {
  name: announcedByPolicy,
  docs: `Rejects a MemberClusterAnnounce whose annotation \`${Annotation.announcedBy}\` is new or changed, and does not begin with the user name of the caller.`,
  types: [MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE'],
  judges: () =>
    `${record('object')}.hasValue() && (oldObject == null || ${record('object')} != ${record('oldObject')})`,
  requires: (namespace) => [
    {
      expression: `${record('object')}.orValue('').startsWith(request.userInfo.username + ' ') || ${mayExportPolicies(namespace)}`,
      message: `the annotation ${Annotation.announcedBy} must begin with the user name of the caller, followed by a space. Remove it, or correct it`,
    },
  ],
};
