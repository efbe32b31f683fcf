import type { Gateway } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { decideClusterInfoExport } from './decide.ts';

const gateway = (name: string, creationTimestamp: string, fields: Partial<Gateway> = {}): Gateway => ({
  metadata: { name, namespace: 'kube-system', creationTimestamp },
  gatewayIP: `192.0.2.${name.length}`,
  serviceCIDR: '10.96.0.0/12',
  ...fields,
});
const old = gateway('node-1', '2026-11-22T10:00:00Z');
const young = gateway('node-22', '2026-11-22T11:00:00Z');

const decide = (gateways: readonly Gateway[], config: { podCIDRs?: string[]; serviceCIDR?: string } = {}) =>
  decideClusterInfoExport({
    gateways,
    config: { podCIDRs: config.podCIDRs ?? [], serviceCIDR: config.serviceCIDR },
    clusterID: 'east',
    namespace: 'kube-system',
    leaderNamespace: 'antrea-multicluster',
  });

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

  it('lists the oldest Gateway first, in whichever order they come', () => {
    const infos = (gateways: readonly Gateway[]) => decide(gateways)?.spec?.clusterInfo?.gatewayInfos;
    expect(infos([young, old])).toEqual([{ gatewayIP: '192.0.2.6' }, { gatewayIP: '192.0.2.7' }]);
    expect(infos([young, old])).toEqual(infos([old, young]));
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
