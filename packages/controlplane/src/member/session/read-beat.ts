import type { MemberClusterAnnounce } from '@isthmus/api';
import { Annotation, FixedName, memberAnnounceName } from '@isthmus/api';
import {
  ConnectionError,
  isForbidden,
  isLoopback,
  isNotFound,
  isNotServed,
  isDatabaseFull,
  isRejected,
  isUnauthorized,
} from '@isthmus/kube';
import { errorMessage, urlHost } from '@isthmus/machinery';
import { shown, suspendedMembersPolicy } from '@isthmus/wire';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import { applyOnLeader } from './apply-on-leader.ts';
import type { RivalSighting } from './announce-owner.ts';
import { takeOverAfterMs, takeOverOfLivingAfterMs } from './announce-owner.ts';
import { isOfJoinFile } from '../token/decide.ts';
import { tokenAdvice } from '../token/token-advice.ts';
import type { BeatResult } from './beat-history.ts';

/** The result of a heartbeat that the leader answered with the current announcement. */
export function readAnswer(found: MemberClusterAnnounce, spec: SessionSpec): BeatResult {
  const { name } = found.metadata;
  if (found.metadata.deletionTimestamp !== undefined) {
    return { kind: 'failed', why: `the leader is removing ${name}; it will be announced again when that is done` };
  }
  const wrong = (
    [
      ['clusterID', found.clusterID, spec.clusterID],
      ['clusterSetID', found.clusterSetID, spec.clusterSet],
      ['leaderClusterID', found.leaderClusterID, spec.leaderClusterID],
    ] as const
  ).find(([, theirs, ours]) => theirs !== ours);
  if (wrong === undefined) return { kind: 'answered' };
  const [field, theirs, ours] = wrong;
  const why = `MemberClusterAnnounce ${name} on the leader has ${field} ${shown(theirs ?? '')}, but this cluster's ClusterSet has ${shown(ours)}. Correct the ClusterSet, or delete the announcement on the leader.`;
  return { kind: 'refused', reason: 'Refused', why };
}

/** The message for a call that the server did not answer in time: only the address is known. */
export function noAnswer(server: string, seconds: number): string {
  return `no answer within ${seconds} s from ${server}. Check that the API server runs there and can be reached from this cluster: curl -k ${server}/livez`;
}

/**
 * The result of a heartbeat that failed with this error, at `nowMs` of the clock of this cluster.
 */
export function readFailure(error: unknown, spec: SessionSpec, nowMs: number): BeatResult {
  const { leaderClusterID, leaderNamespace } = spec;
  const why = errorMessage(error);
  if (isUnauthorized(error)) {
    const rebuilt = `If Namespace ${leaderNamespace} was deleted there, set up the leader again as in docs/losses.md, and keep this ClusterSet. Error: ${why}`;
    const advice = `Leader ${leaderClusterID} does not accept the token${tokenAdvice(spec, nowMs)}. ${rebuilt}`;
    return { kind: 'refused', reason: 'Unauthorized', why: advice };
  }
  const mistaken = notTheLeader(spec);
  if (error instanceof ConnectionError && error.kind === 'tls') {
    const advice = `Cannot make a TLS connection to leader ${leaderClusterID} at ${spec.server}: key ca.crt of ${secretOf(spec)} must be the certificate authority of this API server. Copy it again from the member's token Secret on the leader.`;
    return { kind: 'failed', why: [mistaken, advice, `Error: ${why}`].filter((part) => part !== undefined).join(' ') };
  }
  if (error instanceof ConnectionError && error.kind === 'credentials') {
    const advice = `Cannot use key token of ${secretOf(spec)}. Copy it again from the member's token Secret on leader ${leaderClusterID}. Error: ${why}`;
    return { kind: 'failed', why: advice };
  }
  if (error instanceof ConnectionError && mistaken !== undefined)
    return { kind: 'failed', why: `${mistaken} Error: ${why}` };
  if (isForbidden(error) && why.includes(definitionTerminating))
    return { kind: 'failed', why: lacksKinds(leaderClusterID, why) };
  if (isForbidden(error) && isOfJoinFile(spec.token) && !why.includes(deniedByAdmission)) {
    const advice = `Leader ${leaderClusterID} does not allow the token${tokenAdvice(spec, nowMs)}. Error: ${why}`;
    return { kind: 'refused', reason: 'Unauthorized', why: advice, mayPass: true };
  }
  if (isForbidden(error)) {
    const advice = `${forbiddenAdvice(why, spec)} Error: ${why}`;
    const refused = { kind: 'refused', reason: 'Refused', why: advice } as const;
    return why.includes(deniedByAdmission) ? refused : { ...refused, mayPass: true };
  }
  if (isRejected(error)) {
    return { kind: 'refused', reason: 'Refused', why: `${notAccepted(leaderClusterID)} Error: ${why}` };
  }
  if (isDatabaseFull(error)) {
    const advice = `The database of the API server of leader ${leaderClusterID} is full, so nothing can be written there, by anyone. An administrator compacts and defragments etcd, and disarms its alarm. Existing imports are kept.`;
    return { kind: 'failed', why: `${advice} Error: ${why}` };
  }
  if (isNotServed(error)) {
    return { kind: 'failed', why: lacksKinds(leaderClusterID, why) };
  }
  if (isNotFound(error)) {
    const advice = `Namespace ${shown(leaderNamespace)} does not exist on leader ${leaderClusterID}. Set spec.namespace of ClusterSet ${spec.clusterSet} to the Namespace of the leader's controller. Error: ${why}`;
    return { kind: 'failed', why: advice };
  }
  return { kind: 'failed', why };
}

/**
 * The problem of an address that cannot be that of another cluster, from inside a Pod: kubeconfigs
 * of kind and of tunnels have a loopback address. It is right if the controller runs beside the API
 * server, so it counts only after a failure. Undefined: no problem.
 */
function notTheLeader({ namespace, clusterSet, leaderClusterID, server }: SessionSpec): string | undefined {
  const host = urlHost(new URL(server));
  const cure = `spec.leaders[0].server of ClusterSet ${namespace}/${clusterSet} to an address of the leader's API server that the Pods of this cluster can reach. To see one, run on the leader: kubectl -n default get endpointslices kubernetes.`;
  if (isUnspecified(host) || isLoopback({ host, port: 0 }))
    return `${host} is a loopback address: in a Pod, that is the Pod itself, and not leader ${leaderClusterID}. If this controller runs in a Pod, set ${cure}`;
  if (isOwnService.test(host))
    return `${host} is the API server of this cluster itself. If that is not leader ${leaderClusterID}, set ${cure}`;
  return undefined;
}

/** A connection to it goes to the same host. */
const isUnspecified = (host: string) => host === '0.0.0.0' || host === '::';
/** The Service of the API server in each cluster. */
const isOwnService = /^kubernetes(?:\.default(?:\.svc(?:\.cluster\.local)?)?)?$/;

function secretOf({ namespace, secret }: SessionSpec): string {
  return `Secret ${namespace}/${secret}`;
}

/** How an API server rejects an object whose CustomResourceDefinition is being deleted. */
const definitionTerminating = 'custom resource definition is terminating';

function notAccepted(leaderClusterID: string): string {
  return `Leader ${leaderClusterID} does not accept the announcement of this cluster. The error is its reason.`;
}

function lacksKinds(leaderClusterID: string, why: string): string {
  return `Leader ${leaderClusterID} lacks the custom resources of a leader. ${applyOnLeader('definitions', undefined)}. Error: ${why}`;
}

/** The text in which an API server names the ServiceAccount of a forbidden request. */
const forbiddenAccount = /User "system:serviceaccount:([a-z0-9-]{1,63}):([a-z0-9.-]{1,253})"/;
/** The answer to a request whose path is not that of a resource: the address has its own path. */
const forbiddenPath = /cannot [a-z]+ path "\//;
/** The text in which a policy or a webhook rejects a request that the Role allows. */
const deniedByAdmission = 'denied request';
/**
 * The text by which it adds that the RoleBinding of the account names a Role that does not exist.
 */
const missingRole = `RBAC: role.rbac.authorization.k8s.io "${FixedName.memberRole}" not found`;

/**
 * What to do about a 403. Its text shows whether the address, the Common Area, the Role or the
 * RoleBinding is wrong or missing.
 */
function forbiddenAdvice(why: string, spec: SessionSpec): string {
  const { leaderClusterID, leaderNamespace, clusterSet } = spec;
  const [, namespace, name] = forbiddenAccount.exec(why) ?? [];
  const role = FixedName.memberRole;
  if (forbiddenPath.test(why)) {
    return `Leader ${leaderClusterID} does not serve the path in spec.leaders[0].server ${shown(spec.server)} of ClusterSet ${clusterSet}. Set it to the address of the leader's API server without a path, such as https://10.0.0.1:6443.`;
  }
  if (why.includes(suspendedMembersPolicy)) {
    return `Leader ${leaderClusterID} has suspended this cluster, because it wrote far more than its quota: nothing that changes here reaches other clusters. Find out what changes its exports so often; the error names the command that ends the suspension.`;
  }
  if (why.includes(deniedByAdmission)) {
    return notAccepted(leaderClusterID);
  }
  if (namespace === undefined || name === undefined) {
    return `Leader ${leaderClusterID} rejects this member. Check that spec.namespace ${shown(leaderNamespace)} is the Namespace of the leader's controller, and that the token's ServiceAccount is bound to Role ${role} there.`;
  }
  if (namespace !== leaderNamespace) {
    return `The token belongs to ServiceAccount ${namespace}/${name} on leader ${leaderClusterID}, which does not have permissions in Namespace ${shown(leaderNamespace)}. If ${namespace} is the Namespace of the leader's controller, run here: kubectl -n ${spec.namespace} patch clusterset ${clusterSet} --type merge -p '{"spec":{"namespace":"${namespace}"}}'.`;
  }
  if (why.includes(missingRole)) {
    return `Role ${role} does not exist in Namespace ${namespace} on leader ${leaderClusterID}. ${applyOnLeader('role', undefined)}.`;
  }
  return `ServiceAccount ${namespace}/${name} on leader ${leaderClusterID} is not bound to Role ${role}, or the Role is missing. Run on the leader: kubectl -n ${namespace} create rolebinding ${name} --role=${role} --serviceaccount=${namespace}:${name}.`;
}

/** The result if another cluster announces itself under our ID. */
export function readRival(
  { clusterID, leaderClusterID, leaderNamespace }: SessionSpec,
  { uid, isAlive }: RivalSighting,
): BeatResult {
  const what = `another cluster (kube-system uid ${uid.slice(0, 64)}) announces itself to leader ${leaderClusterID} as ${clusterID}: a cluster ID must be unique in the ClusterSet. Delete the ClusterSet here, and create it again with another clusterID and without the annotation ${Annotation.joinedAs}`;
  const ifGone = isAlive
    ? `That cluster was seen alive. If it is gone for good and its exports are to be removed, delete its announcement on the leader: kubectl -n ${leaderNamespace} delete memberclusterannounce ${memberAnnounceName(clusterID)}. Otherwise this cluster takes its place after ${takeOverOfLivingAfterMs / 3_600_000} h of silence`
    : `If that cluster is gone, this cluster takes its place after ${takeOverAfterMs / 1000} s of silence`;
  return { kind: 'refused', reason: 'Refused', why: `${what}. ${ifGone}` };
}
