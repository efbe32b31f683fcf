import type { ClusterSet, Secret } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { Membership, MembershipInput } from './membership.ts';
import { decideMembership, sameMembership } from './membership.ts';

type Spec = NonNullable<ClusterSet['spec']>;
const leader = { clusterID: 'north', server: 'https://10.0.0.1:6443', secret: 'leader-token' };
const spec: Spec = { clusterID: 'west', leaders: [leader], namespace: 'antrea-multicluster' };
const metadata = { name: 'fleet', namespace: 'kube-system' };
const secret: Secret = {
  metadata: { name: 'leader-token', namespace: 'kube-system' },
  data: { 'ca.crt': btoa('a certificate\n'), token: btoa('a token\n'), namespace: btoa('antrea-multicluster') },
};

const decide = (input: Partial<MembershipInput> = {}) =>
  decideMembership({ clusterSet: { metadata, spec }, claims: [], secret, decodeBase64: atob, ...input });
const withSpec = (change: Partial<Spec>): ClusterSet => ({ metadata, spec: { ...spec, ...change } });
const withLeader = (change: Partial<typeof leader>): ClusterSet => withSpec({ leaders: [{ ...leader, ...change }] });

describe('the membership of a cluster', () => {
  it('does not exist without a ClusterSet', () => {
    expect(decide({ clusterSet: undefined })).toEqual({ kind: 'none' });
  });

  it('is joined with all that a session needs; white space around the credentials does not count', () => {
    expect(decide()).toEqual({
      kind: 'joined',
      spec: {
        namespace: 'kube-system',
        clusterSet: 'fleet',
        clusterID: 'west',
        leaderClusterID: 'north',
        server: 'https://10.0.0.1:6443',
        leaderNamespace: 'antrea-multicluster',
        secret: 'leader-token',
        caPem: 'a certificate',
        token: 'a token',
      },
    });
  });

  it('takes the cluster ID from the ClusterClaim', () => {
    const input = {
      clusterSet: withSpec({ clusterID: undefined }),
      claims: [{ metadata: { name: 'id.k8s.io' }, value: 'east' }],
    };
    expect(decide(input)).toMatchObject({ kind: 'joined', spec: { clusterID: 'east' } });
  });

  it.each([
    [
      'no cluster ID',
      { clusterSet: withSpec({ clusterID: undefined }) },
      'ClusterIDNotSet',
      'ClusterSet fleet: spec.clusterID is not set. Set it to the ID of this cluster.',
    ],
    [
      'no leader',
      { clusterSet: withSpec({ leaders: [] }) },
      'InvalidLeaders',
      /has 0 entries; it must have exactly one/,
    ],
    [
      'two leaders',
      { clusterSet: withSpec({ leaders: [leader, { ...leader, clusterID: 'south' }] }) },
      'InvalidLeaders',
      /has 2 entries; it must have exactly one/,
    ],
    ['no spec', { clusterSet: { metadata } }, 'ClusterIDNotSet', /not set/],
    [
      'a leader without ID',
      { clusterSet: withLeader({ clusterID: '' }) },
      'InvalidLeaders',
      "ClusterSet fleet: spec.leaders[0].clusterID is not set. Set it to the leader's cluster ID.",
    ],
    [
      'no server',
      { clusterSet: withLeader({ server: '' }) },
      'InvalidServer',
      'ClusterSet fleet: spec.leaders[0].server "" is not an https URL. Set it to the leader\'s API server, such as https://10.0.0.1:6443.',
    ],
    [
      'a server does not use TLS',
      { clusterSet: withLeader({ server: 'http://10.0.0.1' }) },
      'InvalidServer',
      /is not an https URL/,
    ],
    [
      'a server that is not a valid URL',
      { clusterSet: withLeader({ server: '10.0.0.1:6443' }) },
      'InvalidServer',
      /is not an https URL/,
    ],
    [
      'no Namespace of the leader',
      { clusterSet: withSpec({ namespace: undefined }) },
      'InvalidNamespace',
      "ClusterSet fleet: spec.namespace is not set. Set it to the leader's Namespace.",
    ],
    [
      'no name of a Secret',
      { clusterSet: withLeader({ secret: '' }) },
      'InvalidSecret',
      'ClusterSet fleet: spec.leaders[0].secret is not set. Name the Secret that holds the token for the leader.',
    ],
    [
      'no Secret',
      { secret: undefined },
      'SecretNotFound',
      'Secret kube-system/leader-token does not exist. Create it from the member token that the leader cluster issued.',
    ],
    [
      'an empty Secret',
      { secret: { metadata: secret.metadata } },
      'InvalidSecret',
      "Secret kube-system/leader-token has no key ca.crt. Copy it from the leader's token Secret.",
    ],
    [
      'a Secret with an empty token',
      { secret: { ...secret, data: { ...secret.data, token: btoa('\n') } } },
      'InvalidSecret',
      "Secret kube-system/leader-token has no key token. Copy it from the leader's token Secret.",
    ],
  ] satisfies readonly (readonly [string, Partial<MembershipInput>, string, string | RegExp])[])(
    'is pending with %s, and reports what to do',
    (_, input, reason, message) => {
      expect(decide(input)).toEqual({
        kind: 'pending',
        reason,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      });
    },
  );

  it('is pending with a Secret without ca.crt, and names the key', () => {
    const { 'ca.crt': _, ...data } = secret.data ?? {};
    expect(decide({ secret: { ...secret, data } })).toEqual({
      kind: 'pending',
      reason: 'InvalidSecret',
      message: "Secret kube-system/leader-token has no key ca.crt. Copy it from the leader's token Secret.",
    });
  });

  it('is pending with a Secret without token, and names the key', () => {
    const { token: _, ...data } = secret.data ?? {};
    expect(decide({ secret: { ...secret, data } })).toEqual({
      kind: 'pending',
      reason: 'InvalidSecret',
      message: "Secret kube-system/leader-token has no key token. Copy it from the leader's token Secret.",
    });
  });

  it('never shows what is in the Secret', () => {
    const said = JSON.stringify(decide({ secret: { ...secret, data: { token: btoa('hush') } } }));
    expect(said).not.toContain('hush');
  });

  it('is leaving while the ClusterSet is being deleted, with the session where there can be one', () => {
    const deleted = { ...metadata, deletionTimestamp: '2026-11-21T12:00:00Z' };
    expect(decide({ clusterSet: { metadata: deleted, spec } })).toMatchObject({
      kind: 'leaving',
      spec: { clusterID: 'west' },
    });
    expect(decide({ clusterSet: { metadata: deleted, spec }, secret: undefined })).toEqual({
      kind: 'leaving',
      spec: undefined,
    });
  });
});

describe('two memberships', () => {
  const joined = decide();
  const changed = (clusterSet: ClusterSet, other?: Secret): Membership =>
    decide({ clusterSet, secret: other ?? secret });

  it('are the same where a session would be', () => {
    expect(sameMembership(joined, decide())).toBe(true);
  });

  it.each([
    ['another token', changed({ metadata, spec }, { ...secret, data: { ...secret.data, token: btoa('new') } })],
    [
      'another certificate',
      changed({ metadata, spec }, { ...secret, data: { ...secret.data, 'ca.crt': btoa('new') } }),
    ],
    ['another server', changed(withLeader({ server: 'https://10.0.0.2:6443' }))],
    ['another leader', changed(withLeader({ clusterID: 'south' }))],
    ['another Namespace', changed(withSpec({ namespace: 'other' }))],
    ['another cluster ID', changed(withSpec({ clusterID: 'east' }))],
    ['another ClusterSet', changed({ metadata: { ...metadata, name: 'other' }, spec })],
    ['none', { kind: 'none' } as const],
  ])('are different with %s', (_, other) => {
    expect(sameMembership(joined, other)).toBe(false);
  });
});

describe('a token that the member has renewed', () => {
  const tokenOf = (jti: string, name = 'member-west') => {
    const about = { namespace: 'area', serviceaccount: { name, uid: `uid-${name}` } };
    const claims = { jti, sub: `system:serviceaccount:area:${name}`, iat: 1, exp: 3_601, 'kubernetes.io': about };
    return `e30.${btoa(JSON.stringify(claims))}.c2ln`;
  };
  const withTokens = (given: string, renewed: string, from = given) =>
    decide({
      secret: {
        ...secret,
        data: { ...secret.data, token: btoa(given), 'renewed-token': btoa(renewed), 'renewed-from': btoa(from) },
      },
    });

  it('is used instead of the one from which it came', () => {
    expect(withTokens('given', 'renewed')).toMatchObject({ spec: { token: 'renewed' } });
    expect(withTokens('given', 'renewed', 'older')).toMatchObject({ spec: { token: 'given' } });
  });

  it('continues the membership, and that of another account begins another one', () => {
    const joined = withTokens('given', tokenOf('1'));
    expect(sameMembership(joined, withTokens('given', tokenOf('2')))).toBe(true);
    expect(sameMembership(joined, withTokens('given', tokenOf('2', 'member-east')))).toBe(false);
  });
});
