import type { MemberClusterAnnounce } from '@isthmus/api';
import type { ConnectionFailure } from '@isthmus/kube';
import { ApiError, ConnectionError } from '@isthmus/kube';
import { failureStatus } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { SessionSpec } from '../../own-cluster/session-spec.ts';
import { readAnswer, readFailure, readRival } from './read-beat.ts';

const spec: SessionSpec = {
  namespace: 'kube-system',
  clusterSet: 'fleet',
  clusterID: 'west',
  leaderClusterID: 'north',
  server: 'https://north.test:6443',
  leaderNamespace: 'antrea-multicluster',
  secret: 'leader-token',
  caPem: 'a certificate',
  token: 'a token',
};
const announce: MemberClusterAnnounce = {
  metadata: { name: 'member-announce-from-west' },
  clusterID: 'west',
  clusterSetID: 'fleet',
  leaderClusterID: 'north',
};

it('is not a matter of permissions while the definition of announcements is being deleted', () => {
  const message =
    'memberclusterannounces.multicluster.crd.antrea.io "member-announce-from-west" is forbidden: create not allowed while custom resource definition is terminating';
  const error = new ApiError({ verb: 'create', resource: 'x' }, failureStatus({ reason: 'Forbidden', message }));
  expect(readFailure(error, spec, 0)).toEqual({
    kind: 'failed',
    why: expect.stringMatching(
      /^Leader north lacks the custom resources of a leader\. If the leader runs Isthmus, run there: kubectl apply -f deploy\/leader-crds\.yaml \(with Helm: helm upgrade\)\. If it runs Antrea, run there, with the file of its release: kubectl apply -f antrea-multicluster-leader-global\.yml\. Error: /,
    ) as string,
  });
});

describe('an answered heartbeat', () => {
  it('counts where the announcement agrees with the ClusterSet', () => {
    expect(readAnswer(announce, spec)).toEqual({ kind: 'answered' });
  });

  it.each([
    ['clusterID', 'east', 'west'],
    ['clusterSetID', 'acme', 'fleet'],
    ['leaderClusterID', 'south', 'north'],
  ])('is a rejection where the announcement has another %s', (field, theirs, ours) => {
    expect(readAnswer({ ...announce, [field]: theirs }, spec)).toEqual({
      kind: 'refused',
      reason: 'Refused',
      why: `MemberClusterAnnounce member-announce-from-west on the leader has ${field} "${theirs}", but this cluster's ClusterSet has "${ours}". Correct the ClusterSet, or delete the announcement on the leader.`,
    });
  });

  it('is a failure that passes while the leader removes the announcement', () => {
    const metadata = { ...announce.metadata, deletionTimestamp: '2026-11-22T12:00:00Z' };
    expect(readAnswer({ ...announce, metadata, clusterID: 'east' }, spec)).toEqual({
      kind: 'failed',
      why: 'the leader is removing member-announce-from-west; it will be announced again when that is done',
    });
  });
});

describe('a failed heartbeat', () => {
  const refusal = (reason: 'Unauthorized' | 'Forbidden' | 'Conflict') =>
    new ApiError(
      { verb: 'patch', resource: 'memberclusterannounces' },
      failureStatus({ reason, message: 'the cause' }),
    );

  it.each([
    ['without a valid token', refusal('Unauthorized'), { kind: 'refused', reason: 'Unauthorized' }],
    ['without permission', refusal('Forbidden'), { kind: 'refused', reason: 'Refused' }],
    ['by a write conflict', refusal('Conflict'), { kind: 'failed' }],
    ['on a broken connection', new Error('the cause'), { kind: 'failed' }],
    ['with something that is not an error', 'the cause', { kind: 'failed' }],
  ])('%s reports the cause', (_, error, result) => {
    expect(readFailure(error, spec, 0)).toMatchObject({ ...result, why: expect.stringMatching(/the cause/) as string });
  });
});

it.each<[ConnectionFailure, RegExp]>([
  [
    'tls',
    /^Cannot make a TLS connection to leader north at https:\/\/north\.test:6443: key ca\.crt of Secret kube-system\/leader-token must be .* Error: .*the cause/,
  ],
  ['credentials', /^Cannot use key token of Secret kube-system\/leader-token\. .* Error: .*the cause/],
])('a connection that fails by its Secret (%s) names the Secret and the key', (kind, why) => {
  const error = new ConnectionError({ verb: 'get', resource: 'x' }, kind, 'the cause');
  expect(readFailure(error, spec, 0)).toEqual({ kind: 'failed', why: expect.stringMatching(why) as string });
});

describe('a connection that fails', () => {
  const failed = (server: string, kind: ConnectionFailure = 'refused') =>
    readFailure(new ConnectionError({ verb: 'get', resource: 'x' }, kind, 'the cause'), { ...spec, server }, 0);

  it.each([
    ['https://127.0.0.1:38571', '127.0.0.1'],
    ['https://localhost:6443', 'localhost'],
    ['https://[::1]:6443', '::1'],
    ['https://0.0.0.0:6443', '0.0.0.0'],
    ['https://[::]:6443', '::'],
  ])('to %s is to the Pod itself, in a Pod', (server, host) => {
    expect(failed(server)).toEqual({
      kind: 'failed',
      why: `${host} is a loopback address: in a Pod, that is the Pod itself, and not leader north. If this controller runs in a Pod, set spec.leaders[0].server of ClusterSet kube-system/fleet to an address of the leader's API server that the Pods of this cluster can reach. To see one, run on the leader: kubectl -n default get endpointslices kubernetes. Error: get x: the cause`,
    });
  });

  it.each(['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'])(
    'to %s is to the own API server, whose certificate is of another authority',
    (host) => {
      expect(failed(`https://${host}`, 'tls')).toMatchObject({
        why: expect.stringMatching(
          `^${host} is the API server of this cluster itself\\. If that is not leader north, set spec\\.leaders\\[0\\]\\.server .*: key ca\\.crt of Secret kube-system/leader-token must be .* Error: get x: the cause$`,
        ) as string,
      });
    },
  );

  it.each(['https://north.test:6443', 'https://10.0.0.1:6443', 'https://kubernetes.default.example.com'])(
    'to %s is reported as it is',
    (server) => {
      expect(failed(server)).toEqual({ kind: 'failed', why: 'get x: the cause' });
    },
  );
});

it('a token that the leader does not accept is reported with its Secret and the key', () => {
  const error = new ApiError(
    { verb: 'get', resource: 'x' },
    failureStatus({ reason: 'Unauthorized', message: 'cause' }),
  );
  expect(readFailure(error, spec, 0)).toMatchObject({
    why: expect.stringMatching(
      /put it into key token of Secret kube-system\/leader-token\. If Namespace antrea-multicluster was deleted there, .* keep this ClusterSet\. Error: .*cause/,
    ) as string,
  });
});

it.each(['Forbidden', 'Invalid'] as const)(
  'a policy of the leader rejects it as %s: the error is the reason',
  (reason) => {
    const message =
      "the policy 'antrea-multicluster-isthmus-announced-leader' denied request: leaderClusterID must be north";
    const error = new ApiError({ verb: 'create', resource: 'x' }, failureStatus({ reason, message }));
    expect(readFailure(error, spec, 0)).toMatchObject({
      kind: 'refused',
      reason: 'Refused',
      why: expect.stringMatching(
        /^Leader north does not accept the announcement of this cluster\. The error is its reason\. .*leaderClusterID must be north/,
      ) as string,
    });
  },
);

it('a member without permission is advised to check the Namespace and the Role of its token', () => {
  const error = new ApiError({ verb: 'get', resource: 'x' }, failureStatus({ reason: 'Forbidden', message: 'cause' }));
  expect(readFailure(error, spec, 0)).toMatchObject({
    why: expect.stringMatching(
      /^Leader north rejects this member\. Check that spec\.namespace "antrea-multicluster" is .* Role antrea-mc-member-cluster-role there\. .*cause/,
    ) as string,
  });
});

describe('a member that the leader forbids to write its announcement', () => {
  const user = 'User "system:serviceaccount:antrea-multicluster:member-west"';
  const refusal = `memberclusterannounces.multicluster.crd.antrea.io "member-announce-from-west" is forbidden: ${user} cannot patch resource "memberclusterannounces" in API group "multicluster.crd.antrea.io" in the namespace "antrea-multicluster"`;

  it.each([
    [
      'is advised to bind its ServiceAccount where no RoleBinding names it',
      refusal,
      /^ServiceAccount .*create rolebinding/,
    ],
    [
      'is advised to apply the manifest where the Role of its RoleBinding does not exist',
      `${refusal}: RBAC: role.rbac.authorization.k8s.io "antrea-mc-member-cluster-role" not found`,
      /^Role antrea-mc-member-cluster-role does not exist in Namespace antrea-multicluster on leader north\. If the leader runs Isthmus, run there: kubectl apply -f deploy\/leader\.yaml, with the settings that you changed in it \(with Helm: helm upgrade\)\. If it runs Antrea, run there, with the file of its release: kubectl apply -f antrea-multicluster-leader-namespaced\.yml\. Error: /,
    ],
    [
      'is advised to correct its RoleBinding where that names another Role',
      `${refusal}: RBAC: role.rbac.authorization.k8s.io "another" not found`,
      /^ServiceAccount .*create rolebinding/,
    ],
    [
      'is advised to correct the address of the leader where that has a path',
      `forbidden: ${user} cannot get path "/leader/apis/multicluster.crd.antrea.io/v1alpha1"`,
      /^Leader north does not serve the path in spec\.leaders\[0\]\.server "https:\/\/north\.test:6443" of ClusterSet fleet\. Set it to the address of the leader's API server without a path, such as https:\/\/10\.0\.0\.1:6443\. Error: /,
    ],
  ])('%s', (_, message, why) => {
    const error = new ApiError({ verb: 'patch', resource: 'x' }, failureStatus({ reason: 'Forbidden', message }));
    expect(readFailure(error, spec, 0)).toMatchObject({ reason: 'Refused', why: expect.stringMatching(why) as string });
  });
});

describe('a cluster that finds another one under its ID is rejected', () => {
  it.each([
    ['with the time when it may take the place of one that is silent', false, /35 s of silence$/],
    [
      'with what removes one that was seen alive',
      true,
      /If it is gone for good and its exports are to be removed, .*: kubectl -n \S+ delete memberclusterannounce member-announce-from-west\. .* 24 h of silence$/,
    ],
  ])('%s', (_, isAlive, how) => {
    const found = readRival(spec, { uid: 'uid-7', touchTs: '', atMs: 0, isAlive });
    expect(found).toMatchObject({ kind: 'refused', reason: 'Refused', why: expect.stringMatching(how) as string });
    expect(found).toMatchObject({
      why: expect.stringMatching(/^another cluster \(kube-system uid uid-7\) .* north as west: /) as string,
    });
  });
});

it.each([
  [
    'Forbidden',
    "ValidatingAdmissionPolicy 'x-isthmus-suspended-members' with binding 'x' denied request: this member is suspended: it wrote 130 MB. An administrator of the leader lets it write again: kubectl -n x annotate serviceaccount member-west isthmus.dev/suspended-",
    'refused',
    /^Leader north has suspended this cluster, because it wrote far more than its quota.*Error: .*annotate serviceaccount member-west isthmus\.dev\/suspended-/,
  ],
  [
    'InternalError',
    'etcdserver: mvcc: database space exceeded',
    'failed',
    /^The database of the API server of leader north is full, so nothing can be written there, by anyone\..*database space exceeded/,
  ],
] as const)('names what is wrong at the leader: %s %s', (reason, message, kind, why) => {
  const error = new ApiError({ verb: 'patch', resource: 'x' }, failureStatus({ reason, message }));
  expect(readFailure(error, spec, 0)).toEqual({
    kind,
    why: expect.stringMatching(why) as string,
    ...(kind === 'refused' && { reason: 'Refused' }),
  });
});
