import type { ServiceAccount } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import type { ObjectRef } from '@isthmus/machinery';
import { dns1123LabelErrors, dns1123SubdomainErrors } from '@isthmus/machinery';
import type { SessionSpec } from '../../exchange/member/session-spec.ts';
import type { TokenVerdict } from '../../exchange/member/session-state.ts';
import { recordOf, shown } from '../../exchange/untrusted.ts';

/** The ServiceAccount of a token by the token's own claims; undefined where it is not a token of a ServiceAccount. */
export function accountOfToken(token: string): Required<ObjectRef> | undefined {
  const [, namespace = '', name = ''] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(subjectOf(token) ?? '') ?? [];
  const isName = dns1123LabelErrors(namespace).length === 0 && dns1123SubdomainErrors(name).length === 0;
  return isName ? { namespace, name } : undefined;
}

function subjectOf(token: string): string | undefined {
  const [, payload = ''] = token.split('.');
  try {
    // Names of objects are ASCII, whatever the other claims are.
    const sub = recordOf(JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))))?.['sub'];
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** Judges the ServiceAccount as Antrea 2.7 does when a member announces itself (docs/spec/wire.md §10). */
export function decideTokenBinding(
  { metadata: { namespace = '', name, annotations } }: ServiceAccount,
  { clusterID }: Pick<SessionSpec, 'clusterID'>,
): TokenVerdict {
  const bound = annotations?.[Annotation.clusterID] ?? '';
  if (bound === clusterID) return 'absent';
  const whose = `The token of this cluster belongs to ServiceAccount ${namespace}/${name} at the leader`;
  const consequence = 'A leader of Isthmus accepts it, a leader of Antrea rejects this member.';
  const lacks = `${whose}, which has no annotation ${Annotation.clusterID}. ${consequence} At the leader, run: kubectl -n ${namespace} annotate serviceaccount ${name} ${Annotation.clusterID}=${clusterID}`;
  const other = `${whose}, whose annotation ${Annotation.clusterID} names ${shown(bound)}. ${consequence} Issue a token of a ServiceAccount with ${Annotation.clusterID}: ${clusterID}, and put it into the Secret of the ClusterSet.`;
  return { status: 'True', reason: 'NotBoundToCluster', message: bound === '' ? lacks : other };
}
