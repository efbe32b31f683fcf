import type { Gateway, ResourceExport } from '@isthmus/api';
import { parseAddress } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { OfferedGateway } from '../../../own-cluster/own-cluster.ts';
import type { ClusterInfoExportInput } from './decide.ts';
import { decideClusterInfoExport, ownNetworkConflict } from './decide.ts';

const gateway = (name: string, creationTimestamp: string, fields: Partial<Gateway> = {}): Gateway => ({
  metadata: { name, namespace: 'kube-system', creationTimestamp },
  gatewayIP: `192.0.2.${name.length}`,
  serviceCIDR: '10.96.0.0/12',
  ...fields,
});
const old = gateway('node-1', '2026-11-22T10:00:00Z');
const young = gateway('node-22', '2026-11-22T11:00:00Z');

const inputOf = (input: Partial<ClusterInfoExportInput>): ClusterInfoExportInput => ({
  gateways: [],
  config: { podCIDRs: [], serviceCIDR: undefined },
  clusterID: 'east',
  namespace: 'kube-system',
  leaderClusterID: 'north',
  leaderNamespace: 'antrea-multicluster',
  found: { kind: 'none' },
  inTheWay: undefined,
  nodes: [],
  ...input,
});
const decideOf = (input: Partial<ClusterInfoExportInput>) => decideClusterInfoExport(inputOf(input));
const decide = (gateways: readonly Gateway[], config: { podCIDRs?: string[]; serviceCIDR?: string } = {}) => {
  const decision = decideOf({ gateways, config: { podCIDRs: [], serviceCIDR: undefined, ...config } });
  return decision.kind === 'export' ? decision.object : undefined;
};

const node = (name: string, more: Partial<OfferedGateway> = {}): OfferedGateway => ({
  node: name,
  gatewayIP: undefined,
  publicKey: undefined,
  isUsable: true,
  agent: 'none',
  probes: undefined,
  ...more,
});
const networkOf = (input: Partial<ClusterInfoExportInput>) => {
  const decision = decideOf(input);
  return decision.kind === 'export' ? decision.object.spec?.clusterInfo : undefined;
};

describe('the export of the own network', () => {
  it('has the form of an Antrea member', () => {
    expect(decide([old], { podCIDRs: ['10.10.0.0/16'] })).toEqual({
      metadata: {
        name: 'east-clusterinfo',
        namespace: 'antrea-multicluster',
        labels: { sourceKind: 'ClusterInfo', sourceClusterID: 'east', 'app.kubernetes.io/managed-by': 'isthmus' },
        finalizers: ['resourceexport.antrea.io/finalizer'],
      },
      spec: {
        kind: 'ClusterInfo',
        clusterID: 'east',
        name: 'east',
        namespace: 'kube-system',
        clusterInfo: {
          clusterID: 'east',
          serviceCIDR: '10.96.0.0/12',
          podCIDRs: ['10.10.0.0/16'],
          gatewayInfos: [{ gatewayIP: '192.0.2.6' }],
        },
      },
    });
  });

  it('names the addresses that answer probes past the tunnels, as long as their gateway is of use', () => {
    const addresses = (...texts: readonly string[]) => texts.flatMap((text) => parseAddress(text) ?? []);
    const decision = decideOf({
      gateways: [old],
      nodes: [
        node('node-1', { directProbes: addresses('10.10.1.0', 'fd00:1::', '10.10.3.0') }),
        node('node-2', { directProbes: addresses('10.10.2.0'), isUsable: false }),
        node('node-3', { directProbes: addresses('10.10.3.0') }),
        node('node-4'),
      ],
    });
    expect(decision.kind === 'export' && decision.object.metadata.annotations).toEqual({
      'isthmus.dev/direct-probes': '10.10.1.0,fd00:1::,10.10.3.0',
    });
  });

  it('lists the Nodes that can take over behind the Gateway, in their order and with their keys, and each address once', () => {
    const info = networkOf({
      gateways: [gateway('node-1', '2026-11-22T10:00:00Z', { wireGuard: { publicKey: 'of the Gateway' } })],
      nodes: [
        node('node-0', { gatewayIP: '192.0.2.0', publicKey: 'key 0' }),
        node('node-1', { gatewayIP: '192.0.2.6', publicKey: 'of its Lease' }),
        node('node-2', { gatewayIP: '192.0.2.2' }),
        node('node-3', { gatewayIP: '192.0.2.3', isUsable: false }),
      ],
    });
    expect([info?.gatewayInfos, info?.wireGuard]).toEqual([
      [{ gatewayIP: '192.0.2.6' }, { gatewayIP: '192.0.2.0', publicKey: 'key 0' }, { gatewayIP: '192.0.2.2' }],
      { publicKey: 'of the Gateway' },
    ]);
  });

  it('has the key that an agent renews in its Lease, whatever an agent before has left in the Gateway', () => {
    const wireGuard = { publicKey: 'of Antrea' };
    const keyFor = (agent: OfferedGateway['agent']) => {
      const nodes = [node('node-1', { gatewayIP: '192.0.2.6', publicKey: 'of its Lease', agent })];
      return networkOf({ gateways: [{ ...old, wireGuard }], nodes })?.wireGuard?.publicKey;
    };
    expect([keyFor('alive'), keyFor('silent')]).toEqual(['of its Lease', 'of Antrea']);
  });

  it('has the key of the Lease until the agent has written that of the Gateway', () => {
    const nodes = [node('node-1', { gatewayIP: '192.0.2.6', publicKey: 'of its Lease' })];
    expect(networkOf({ gateways: [old], nodes })?.wireGuard).toEqual({ publicKey: 'of its Lease' });
  });

  it('passes a Gateway over whose Node is down once there is another, and not before', () => {
    const nodes = [
      node('node-1', { gatewayIP: '192.0.2.6', isUsable: false }),
      node('node-22', { gatewayIP: '192.0.2.7' }),
    ];
    const infos = (...gateways: readonly Gateway[]) => networkOf({ gateways, nodes })?.gatewayInfos;
    expect(infos(old, young)).toEqual([{ gatewayIP: '192.0.2.7' }]);
    expect(infos(old)).toEqual([{ gatewayIP: '192.0.2.6' }, { gatewayIP: '192.0.2.7' }]);
  });

  it('lists the oldest Gateway first, in whichever order they come', () => {
    const infos = (gateways: readonly Gateway[]) => decide(gateways)?.spec?.clusterInfo?.gatewayInfos;
    expect(infos([young, old])).toEqual([{ gatewayIP: '192.0.2.6' }, { gatewayIP: '192.0.2.7' }]);
    expect(infos([young, old])).toEqual(infos([old, young]));
  });

  it('has no Pod CIDRs where the configuration has none', () => {
    expect(decide([old])?.spec?.clusterInfo).toMatchObject({ podCIDRs: undefined });
    expect(decide([old], { podCIDRs: ['10.10.0.0/16'] })?.spec?.clusterInfo?.podCIDRs).toEqual(['10.10.0.0/16']);
  });

  it('has the configured Service CIDR where there is one', () => {
    expect(decide([old], { serviceCIDR: '10.112.0.0/12' })?.spec?.clusterInfo?.serviceCIDR).toBe('10.112.0.0/12');
  });

  it('has the public key of the first Gateway, and no empty one', () => {
    const keyed = gateway('node-1', '2026-11-22T10:00:00Z', { wireGuard: { publicKey: 'abc=' } });
    expect(decide([keyed])?.spec?.clusterInfo?.wireGuard).toEqual({ publicKey: 'abc=' });
    const empty = gateway('node-1', '2026-11-22T10:00:00Z', { wireGuard: { publicKey: '' } });
    expect(decide([empty])?.spec?.clusterInfo?.wireGuard).toBeUndefined();
  });

  it.each([
    ['there is no Gateway', []],
    ['the only Gateway is being deleted', [{ ...old, metadata: { ...old.metadata, deletionTimestamp: 'now' } }]],
    ['the only Gateway has no address yet', [{ ...old, gatewayIP: undefined }]],
  ])('is not wanted while %s', (_, gateways) => {
    expect(decide(gateways)).toBeUndefined();
  });
});

const exported: ResourceExport = {
  metadata: { name: 'east-clusterinfo', namespace: 'antrea-multicluster' },
  spec: { kind: 'ClusterInfo', clusterID: 'east' },
};
const foreign: ResourceExport = { ...exported, spec: { kind: 'Endpoints', clusterID: 'east' } };
const deleted: ResourceExport = { ...exported, metadata: { ...exported.metadata, deletionTimestamp: 'now' } };
const answered = (status: 'True' | 'False', message?: string): ResourceExport => ({
  ...exported,
  status: { conditions: [{ type: 'Succeeded', status, reason: 'ConvergeFailure', message }] },
});
const found = (object: ResourceExport) => ({ kind: 'found', object }) as const;
const notExported = (message: string, more: object = {}) => ({
  kind: 'blocked',
  reason: 'NotExported',
  message,
  ...more,
});

describe('what becomes of the own network', () => {
  it.each([
    ['nothing was exported', { kind: 'none' }, 'leave', { kind: 'done' }],
    ['the export is there', found(exported), 'withdraw', { kind: 'done' }],
    ['the export is going already', found(deleted), 'leave', { kind: 'done' }],
    ['something else has its name', found(foreign), 'leave', { kind: 'done' }],
    [
      'the leader cannot be asked',
      { kind: 'unknown' },
      'leave',
      { kind: 'again', afterMs: 60_000, why: 'cannot read the exports of this cluster on the leader' },
    ],
  ] as const)('without a Gateway, where %s', (_, state, kind, outcome) => {
    expect(decideOf({ found: state })).toMatchObject({ kind, outcome });
  });

  it.each([
    ['the leader has not answered', { found: found(exported) }, { kind: 'done' }],
    ['the leader publishes it', { found: found(answered('True')) }, { kind: 'done' }],
    [
      'the leader does not publish it',
      { found: found(answered('False', 'it is in the way')) },
      notExported('The leader does not publish the network of this cluster: it is in the way'),
    ],
    [
      'the leader gives a reason alone',
      { found: found(answered('False')) },
      notExported('The leader does not publish the network of this cluster: ConvergeFailure'),
    ],
    [
      'something else has its name',
      { found: { kind: 'none' }, inTheWay: foreign },
      notExported(
        'ResourceExport east-clusterinfo on leader north is not an export of cluster information. Delete it there.',
        { lookAgainMs: 60_000 },
      ),
    ],
  ] as const)('with a Gateway, where %s', (_, state, outcome) => {
    expect(decideOf({ gateways: [old], ...state })).toEqual({ kind: 'export', object: decide([old]), outcome });
  });
});

describe('what the leader found about the own ranges', () => {
  const conflict = {
    type: 'NetworkConflict',
    status: 'True',
    reason: 'RangeOverlaps',
    message: 'west has it too',
  } as const;
  const withConditions = (...conditions: NonNullable<NonNullable<ResourceExport['status']>['conditions']>) =>
    found({ ...exported, status: { conditions } });
  const failure = { type: 'Failure', status: 'False', reason: 'ConvergeFailure', message: 'not published' } as const;

  it('is the condition of the ClusterSet, and is not reported on the Gateway', () => {
    const input = { gateways: [old], found: withConditions(failure, conflict) };
    const { type: _, ...verdict } = conflict;
    expect(ownNetworkConflict(inputOf(input))).toEqual(verdict);
    expect(decideOf(input).outcome).toEqual({ kind: 'done' });
  });

  it.each<[string, Partial<ClusterInfoExportInput>, 'absent' | undefined]>([
    ['nothing', { gateways: [old], found: withConditions({ type: 'Succeeded', status: 'True' }) }, 'absent'],
    ['nothing without a Gateway', { found: withConditions(conflict) }, 'absent'],
    ['not known while the leader has no export', { gateways: [old] }, undefined],
    ['not known while something else has the name', { gateways: [old], found: found(foreign) }, undefined],
  ])('is %s', (_, input, expected) => {
    expect(ownNetworkConflict(inputOf(input))).toBe(expected);
  });
});
