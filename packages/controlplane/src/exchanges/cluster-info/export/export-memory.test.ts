import type { Gateway, ResourceExport } from '@isthmus/api';
import { done } from '@isthmus/kube';
import { describe, expect, it } from 'vitest';
import type { ExchangeConfig } from '../../../own-cluster/own-cluster.ts';
import { keptKeys, newProblems, nothingExported, whetherPublished, wrote } from './export-memory.ts';

const config: ExchangeConfig = {
  enableStretchedNetworkPolicy: false,
  endpointIPType: 'ClusterIP',
  gatewayIPPrecedence: 'private',
  hardened: false,
  podCIDRs: [],
  serviceCIDR: '10.96.0.0/12',
  importExcludedNamespaces: [],
};
const gateway = (gatewayIP: string): Gateway => ({ metadata: { name: 'node-1', uid: 'u1' }, gatewayIP });

describe('the problem of a Gateway', () => {
  it('is reported once, and again if it changes or comes back', () => {
    const first = newProblems(nothingExported, [gateway('nowhere')], config);
    expect(first.found).toMatchObject([{ reason: 'InvalidGatewayIP' }]);
    const second = newProblems(first.memory, [gateway('nowhere')], config);
    expect(second.found).toEqual([]);
    expect(newProblems(second.memory, [gateway('elsewhere')], config).found).toHaveLength(1);
    const corrected = newProblems(second.memory, [gateway('172.18.0.2')], config);
    expect(corrected.found).toEqual([]);
    expect(newProblems(corrected.memory, [gateway('nowhere')], config).found).toHaveLength(1);
  });

  it('is the Service CIDR if that is not known', () => {
    const { found } = newProblems(nothingExported, [gateway('172.18.0.2')], { ...config, serviceCIDR: undefined });
    expect(found).toMatchObject([{ reason: 'ServiceCIDRUnknown' }]);
  });
});

describe('keys of an export that the leader may not know', () => {
  const bare: ResourceExport = {
    metadata: { name: 'east-clusterinfo' },
    spec: { clusterInfo: { clusterID: 'east', gatewayInfos: [{ gatewayIP: '172.18.0.2' }] } },
  };
  const full: ResourceExport = {
    ...bare,
    spec: { clusterInfo: { clusterID: 'east', gatewayInfos: [{ gatewayIP: '172.18.0.2', publicKey: 'k' }] } },
  };
  const podCIDRs = { ...full, spec: { clusterInfo: { ...full.spec?.clusterInfo, podCIDRs: ['10.10.0.0/16'] } } };
  it.each([
    ['are written at first', nothingExported, full, full],
    ['are written again while the leader keeps them', wrote(nothingExported, full, full), full, full],
    ['are left out once the leader has dropped them', wrote(nothingExported, full, bare), full, bare],
    ['are tried again with another export', wrote(nothingExported, full, bare), podCIDRs, podCIDRs],
  ])('%s', (_, memory, object, written) => {
    expect(keptKeys(memory, object)).toEqual(written);
  });
});

describe('the network of this cluster', () => {
  const look = (sinceMs: number | undefined, nowMs: number, isUnpublished = true) =>
    whetherPublished(
      { ...nothingExported, unpublishedMs: sinceMs },
      { isUnpublished, nowMs, leaderClusterID: 'north', leaderNamespace: 'isthmus', name: 'east-clusterinfo' },
    );

  it('is waited for, for a minute', () => {
    const { memory, outcome } = look(undefined, 5_000);
    expect(memory.unpublishedMs).toBe(5_000);
    expect(outcome).toMatchObject({ kind: 'again', afterMs: 60_000 });
    expect(look(5_000, 64_999).outcome).toMatchObject({ kind: 'again', afterMs: 1 });
  });

  it('is reported as not published after a minute', () => {
    expect(look(5_000, 65_000).outcome).toMatchObject({ kind: 'blocked', reason: 'NotExported' });
  });

  it('is waited for again after it was published', () => {
    expect(look(5_000, 65_000, false)).toEqual({ memory: nothingExported, outcome: done });
  });
});
