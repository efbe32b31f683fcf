import type { ClusterClaim, ClusterSet, Secret } from '@isthmus/api';
import { Finalizer } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { JoiningDecision, JoiningInput } from './decide-joining.ts';
import { decideJoining, releasedFinalizers } from './decide-joining.ts';

const metadata = { name: 'fleet', namespace: 'kube-system' };
const served: ClusterSet = {
  metadata,
  spec: {
    clusterID: 'west',
    namespace: 'antrea-multicluster',
    leaders: [{ clusterID: 'north', server: 'https://north.test:6443', secret: 'west-token' }],
  },
};
const secret: Secret = { metadata: { name: 'west-token' }, data: { 'ca.crt': 'a certificate', token: 'a token' } };
const deletionTimestamp = '2026-11-22T12:00:00Z';
const idClaim: ClusterClaim = { metadata: { name: 'id.k8s.io' }, value: 'west' };

const decide = (input: Partial<JoiningInput> = {}): JoiningDecision =>
  decideJoining({
    served,
    claims: [],
    secret: { kind: 'read', secret },
    connectedAs: undefined,
    decodeBase64: (text) => text,
    ...input,
  });
const decided = (input?: Partial<JoiningInput>) => {
  const decision = decide(input);
  if (decision.kind !== 'decided') throw new Error('nothing is decided');
  return decision;
};

describe('the membership of a cluster', () => {
  it('is not decided before the Secret is read', () => {
    expect(decide({ secret: { kind: 'unread' } })).toEqual({ kind: 'wait' });
  });

  it('is decided without the Secret where the ClusterSet is being deleted', () => {
    const leaving = { ...served, metadata: { ...metadata, deletionTimestamp } };
    expect(decided({ served: leaving, secret: { kind: 'unread' } })).toMatchObject({
      membership: { kind: 'leaving', spec: undefined },
      mayBegin: true,
      wanted: undefined,
    });
  });

  it('is not a member where there is no ClusterSet', () => {
    expect(decided({ served: undefined })).toEqual({
      kind: 'decided',
      membership: { kind: 'none' },
      mayBegin: true,
      wanted: undefined,
      mismatch: undefined,
    });
  });

  it('is pending where the Secret is not there', () => {
    const { membership } = decided({ secret: { kind: 'read', secret: undefined } });
    expect(membership).toMatchObject({ kind: 'pending', reason: 'SecretNotFound' });
  });
});

describe('the ClusterSet of a member', () => {
  it('begins nothing before it has its finalizer', () => {
    const { membership, mayBegin, wanted } = decided();
    expect([membership.kind, mayBegin]).toEqual(['joined', false]);
    expect(wanted?.metadata.finalizers).toEqual([Finalizer.leave]);
    expect(decided({ served: wanted }).mayBegin).toBe(true);
  });

  it('keeps the finalizers of others, and its own once', () => {
    const held = { ...served, metadata: { ...metadata, finalizers: ['a/b', Finalizer.leave] } };
    expect(decided({ served: held }).wanted?.metadata.finalizers).toEqual(['a/b', Finalizer.leave]);
    expect(releasedFinalizers(held)).toEqual(['a/b']);
  });

  it('notes the ID that the cluster joined with once the leader accepts it, and not before', () => {
    expect(decided().wanted?.metadata.annotations).toBeUndefined();
    expect(decided({ connectedAs: 'west' }).wanted?.metadata.annotations).toEqual({ 'isthmus.dev/joined-as': 'west' });
  });

  it('keeps the ID that the leader accepted, though the spec names another by then', () => {
    const { leaders = [] } = served.spec ?? {};
    const changed: ClusterSet = { ...served, spec: { ...served.spec, leaders, clusterID: 'other' } };
    const { wanted, membership } = decided({ served: changed, connectedAs: 'west' });
    expect(wanted?.metadata.annotations).toEqual({ 'isthmus.dev/joined-as': 'west' });
    expect(membership).toMatchObject({ kind: 'joined', spec: { clusterID: 'west' } });
    const noted: ClusterSet = {
      ...changed,
      metadata: { ...metadata, annotations: { 'isthmus.dev/joined-as': 'east' } },
    };
    expect(decided({ served: noted, connectedAs: 'west' }).wanted?.metadata.annotations).toEqual({
      'isthmus.dev/joined-as': 'east',
    });
  });

  it('gets the ID of a ClusterClaim into a spec that lacks it', () => {
    const without: ClusterSet = { ...served, spec: { leaders: served.spec?.leaders ?? [] } };
    expect(decided({ served: without, claims: [idClaim] }).wanted?.spec?.clusterID).toBe('west');
    expect(decided({ served: without }).wanted?.spec).toEqual(without.spec);
  });

  it('is held, though it cannot be served, so that what was imported before is removed when it goes', () => {
    const { wanted } = decided({ secret: { kind: 'read', secret: undefined } });
    expect(wanted?.metadata.finalizers).toEqual([Finalizer.leave]);
  });

  it('reports a ClusterClaim that names another one, but not while it is being deleted', () => {
    const claims: readonly ClusterClaim[] = [{ metadata: { name: 'clusterset.k8s.io' }, value: 'acme' }];
    expect(decided({ claims }).mismatch).toMatch(/^ClusterClaim names ClusterSet acme/);
    const leaving = { ...served, metadata: { ...metadata, deletionTimestamp } };
    expect(decided({ served: leaving, claims }).mismatch).toBeUndefined();
  });
});
