import type { ClusterClaim, ClusterSet, ReasonOn, Secret, memberClusterSetStatus } from '@isthmus/api';
import { SecretKey } from '@isthmus/api';
import { leaderOf, memberClusterID } from '@isthmus/wire';
import { applyAll } from '../process/apply-again.ts';
import type { SessionSpec } from '../own-cluster/session-spec.ts';
import { joiningCluster } from './token/decide.ts';
import { sessionToken } from './token/read-token.ts';
import { decodedKey, storedToken } from './token/stored-token.ts';
import { grantCommand } from './token/token-advice.ts';

/** Why the ClusterSet can't be served yet, as the condition Ready reports it. */
interface Pending {
  readonly reason: ReasonOn<typeof memberClusterSetStatus, 'Ready=False'>;
  readonly message: string;
}

/**
 * The membership of this cluster in a ClusterSet. Each kind has another effect on existing imports.
 */
export type Membership =
  /** There is no ClusterSet: none of our imports is wanted. */
  | { readonly kind: 'none' }
  /** The ClusterSet can't be served yet: existing imports stay. */
  | ({ readonly kind: 'pending' } & Pending)
  | { readonly kind: 'joined'; readonly spec: SessionSpec }
  /**
   * The ClusterSet is being deleted: no import is wanted, and the leader is notified if possible.
   */
  | { readonly kind: 'leaving'; readonly spec: SessionSpec | undefined };

export interface MembershipInput {
  readonly clusterSet: ClusterSet | undefined;
  readonly claims: readonly ClusterClaim[];
  /**
   * The Secret named in spec.leaders[0].secret, from the ClusterSet's Namespace. `denied` if the
   * controller may not read it.
   */
  readonly secret: Secret | 'denied' | undefined;
  readonly decodeBase64: (text: string) => string;
}

/** Decides the membership from API objects, never from the memory of a process. */
export function decideMembership(input: MembershipInput): Membership {
  const { clusterSet } = input;
  if (clusterSet === undefined) return { kind: 'none' };
  const session = sessionSpecOf(clusterSet, input);
  if (clusterSet.metadata.deletionTimestamp !== undefined) {
    return { kind: 'leaving', spec: 'token' in session ? session : undefined };
  }
  return 'token' in session ? { kind: 'joined', spec: session } : { kind: 'pending', ...session };
}

function sessionSpecOf(clusterSet: ClusterSet, input: MembershipInput): SessionSpec | Pending {
  const name = clusterSet.metadata.name;
  const id = memberClusterID(clusterSet, input.claims);
  if (id.kind === 'unknown') return { reason: id.reason, message: id.message };
  const leader = leaderOf(clusterSet);
  if (leader === undefined) {
    return pending(
      'InvalidLeaders',
      `ClusterSet ${name}: spec.leaders has ${clusterSet.spec?.leaders?.length ?? 0} entries; it must have exactly one.`,
    );
  }
  if ((leader.clusterID ?? '') === '') {
    return pending(
      'InvalidLeaders',
      `ClusterSet ${name}: spec.leaders[0].clusterID is not set. Set it to the leader's cluster ID.`,
    );
  }
  const server = leader.server ?? '';
  if (!isHttpsURL(server)) {
    return pending(
      'InvalidServer',
      `ClusterSet ${name}: spec.leaders[0].server ${JSON.stringify(server)} is not an https URL. Set it to the leader's API server, such as https://10.0.0.1:6443.`,
    );
  }
  const leaderNamespace = clusterSet.spec?.namespace ?? '';
  if (leaderNamespace === '') {
    return pending(
      'InvalidNamespace',
      `ClusterSet ${name}: spec.namespace is not set. Set it to the leader's Namespace.`,
    );
  }
  const credentials = credentialsOf(clusterSet, { secretName: leader.secret ?? '', clusterID: id.clusterID }, input);
  if ('reason' in credentials) return credentials;
  return {
    namespace: clusterSet.metadata.namespace ?? '',
    clusterSet: name,
    clusterID: id.clusterID,
    leaderClusterID: leader.clusterID ?? '',
    server,
    leaderNamespace,
    secret: leader.secret ?? '',
    ...credentials,
  };
}

function credentialsOf(
  clusterSet: ClusterSet,
  { secretName, clusterID }: { readonly secretName: string; readonly clusterID: string },
  input: MembershipInput,
): { readonly caPem: string; readonly token: string } | Pending {
  const { name, namespace } = clusterSet.metadata;
  if (secretName === '') {
    return pending(
      'InvalidSecret',
      `ClusterSet ${name}: spec.leaders[0].secret is not set. Name the Secret that holds the token for the leader.`,
    );
  }
  const { secret } = input;
  const where = `Secret ${namespace ?? ''}/${secretName}`;
  if (secret === 'denied') {
    return pending(
      'AccessDenied',
      `The API server of this cluster does not allow the controller to read ${where}. If its Role is limited to Secrets by name, add this name (docs/reference/rbac.md; the chart has the value tokenSecrets). Otherwise run: ${applyAll('member')}`,
    );
  }
  if (secret === undefined) {
    return pending(
      'SecretNotFound',
      `${where} does not exist. Create it from the member token that the leader cluster issued.`,
    );
  }
  const caPem = decodedKey(secret, SecretKey.caCrt, input.decodeBase64);
  const stored = storedToken(secret, input.decodeBase64);
  if (caPem === undefined)
    return pending('InvalidSecret', `${where} has no key ca.crt. Copy it from the leader's token Secret.`);
  if (stored === undefined)
    return pending('InvalidSecret', `${where} has no key token. Copy it from the leader's token Secret.`);
  const joinsAs = joiningCluster(stored.token);
  if (joinsAs !== undefined && joinsAs !== clusterID)
    return pending(
      'InvalidSecret',
      `${where} has the token of a join file for cluster ${joinsAs}, and this cluster is ${clusterID}. It was not used: apply that file in ${joinsAs}. To connect this cluster, ${grantCommand({ clusterID, leaderNamespace: clusterSet.spec?.namespace ?? '' })}.`,
    );
  return { caPem, token: stored.token };
}

function pending(reason: Pending['reason'], message: string): Pending {
  return { reason, message };
}

function isHttpsURL(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:';
}

/**
 * Whether two memberships ask for the same: then everything keeps running. A session continues with
 * the next token of its account.
 */
export function sameMembership(a: Membership, b: Membership): boolean {
  if (a.kind !== 'joined' || b.kind !== 'joined') return JSON.stringify(a) === JSON.stringify(b);
  return sameSpec(a.spec, b.spec);
}

/** Whether two specs ask for the same session, see {@link sameMembership}. */
export function sameSpec(a: SessionSpec, b: SessionSpec): boolean {
  return JSON.stringify(sessionOf(a)) === JSON.stringify(sessionOf(b));
}

function sessionOf(spec: SessionSpec): SessionSpec {
  return { ...spec, token: sessionToken(spec.token) };
}
