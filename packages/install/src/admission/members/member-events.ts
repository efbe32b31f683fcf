import {
  Event,
  MemberClusterAnnounce,
  ResourceExport,
  ResourceImport,
  ServiceAccount,
  memberAnnounceName,
} from '@isthmus/api';
import { policyImportName } from '@isthmus/wire';
import type { AdmissionRule } from '../admission-rule.ts';
import { boundCluster, cannotAnnounce, isAccount, isController, mayExportPolicies } from '../caller.ts';
import { bytesOf } from './size.ts';

const text = (path: string) => `object.?${path.replaceAll('.', '.?')}.orValue('')`;
const about = (kind: string, name: string) => `(${text('involvedObject.kind')} == '${kind}' && ${name})`;
const aboutName = text('involvedObject.name');
const bound = `${boundCluster}.orValue('')`;
const ofLeader = 'isthmus-leader';
const most = 4_096;

/** Which Events a member writes, if an administrator lets it: see `memberEventObjects`. */
export const memberEventsRule: AdmissionRule = {
  name: 'member-events',
  docs: `Rejects Events by a ServiceAccount with the Role of members, except those about imports of policies and about the announcement and the exports of its own cluster, of at most 4 KiB, and not in the name of the leader. Only accounts that [may write Events](#events-of-members) are concerned.`,
  types: [Event],
  operations: ['CREATE', 'UPDATE'],
  forEach: ServiceAccount,
  judges: (namespace) =>
    `${isAccount(namespace)} && !(${isController(namespace)}) && !(${mayExportPolicies(namespace)}) && !(${cannotAnnounce(namespace)})`,
  requires: () => [
    {
      expression: [
        about(ResourceImport.kind, `${aboutName}.endsWith('${policyImportName('')}')`),
        about(MemberClusterAnnounce.kind, `${aboutName} == '${memberAnnounceName('')}' + ${bound}`),
        about(ResourceExport.kind, `${bound} != '' && ${aboutName}.startsWith(${bound} + '-')`),
      ].join(' || '),
      message: 'a member writes Events only about imports of policies, its own announcement and its own exports',
    },
    {
      expression: ['source.component', 'reportingComponent', 'reportingInstance', 'source.host']
        .map((path) => `${text(path)} != '${ofLeader}'`)
        .join(' && '),
      message: 'a member writes no Events in the name of the leader: correct source.component and reportingComponent',
    },
    {
      expression: '!has(object.metadata.finalizers) && !has(object.metadata.ownerReferences)',
      message: 'a member writes no finalizers and no ownerReferences to Events',
    },
    {
      expression: `${bytesOf('object')} <= ${most}`,
      message: `an Event of a member has at most ${most} bytes. Shorten its message, and remove annotations`,
    },
  ],
};
