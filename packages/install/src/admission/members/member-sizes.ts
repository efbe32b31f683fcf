import { MemberClusterAnnounce, ResourceExport, SourceKind } from '@isthmus/api';
import type { AdmissionRule } from '../admission-rule.ts';
import { isController, isNoMember, isServiceAccount } from '../caller.ts';
import { bytesOf } from './size.ts';

const kib = 1_024;
/** The export of a Service with 64 KiB of labels and annotations is smaller. */
const ofExports = 256 * kib;
/** About 10,000 Pods of a headless Service, with their names and in both forms of the wire. */
const ofEndpoints = 1_024 * kib;
/** The largest parts are the annotations of the leader, a line for each of the clusters. */
const ofAnnouncements = 64 * kib;

const most = `(request.resource.resource != '${ResourceExport.plural}' ? ${ofAnnouncements} : object.?spec.?kind.orValue('') == '${SourceKind.endpoints}' ? ${ofEndpoints} : ${ofExports})`;

/** An API server stores up to 1.5 MB for each write, and its database fills with them. */
export const memberSizesRule: AdmissionRule = {
  name: 'member-sizes',
  docs: `Rejects ResourceExports of more than ${ofExports / kib} KiB (of kind Endpoints: ${ofEndpoints / kib} KiB) and MemberClusterAnnounces of more than ${ofAnnouncements / kib} KiB by a ServiceAccount with the Role of members. Larger ones that exist may be changed, but not grow.`,
  types: [ResourceExport, MemberClusterAnnounce],
  operations: ['CREATE', 'UPDATE'],
  judges: (namespace) => `${isServiceAccount} && !(${isController(namespace)})`,
  requires: (namespace) => [
    {
      expression: [
        // Each is computed once: three would exceed the limits of CEL for the largest objects.
        `[${bytesOf('object')}].all(size, size <= ${most} || (oldObject != null && size <= ${bytesOf('oldObject')}))`,
        isNoMember(namespace),
      ].join(' || '),
      message: `the object is too large: a member writes ResourceExports of at most ${ofExports / kib} KiB, of kind Endpoints ${ofEndpoints / kib} KiB, and a MemberClusterAnnounce of at most ${ofAnnouncements / kib} KiB. Export fewer addresses, labels or annotations`,
    },
  ],
};
