import type { ClusterInfo, ClusterInfoImport, KnownCluster, ResourceImport } from '@isthmus/api';
import { nothingNew, readGrant, withoutGrant } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { judgeImport } from './judge-import.ts';

const network: ClusterInfo = {
  clusterID: 'east',
  serviceCIDR: '10.96.0.0/12',
  // Not in canonical form, as a cluster of Antrea may write it.
  podCIDRs: ['10.10.1.0/16', '10.20.0.0/16'],
  gatewayInfos: [{ gatewayIP: '192.0.2.1' }],
};
const virtual = { 'isthmus.dev/virtual-pod-cidrs': '10.10.0.0/16=100.64.0.0/16' };
const remoteOf = (clusterinfo: ClusterInfo, annotations = {}): ResourceImport => ({
  metadata: { name: 'east-clusterinfo', annotations },
  spec: { kind: 'ClusterInfo', clusterinfo },
});
const importOf = (spec: ClusterInfo, annotations = {}): ClusterInfoImport => ({
  metadata: { name: 'east-clusterinfo', annotations },
  spec,
});
const granted = (spec: Partial<KnownCluster['spec']>) => readGrant({ spec: { clusterID: 'east', ...spec } });
const judge = (input: Partial<Parameters<typeof judgeImport>[0]>) =>
  judgeImport({
    clusterID: 'east',
    remote: remoteOf(network),
    current: undefined,
    grant: undefined,
    namespace: 'kube-system',
    ...input,
  });

describe('the network of another cluster', () => {
  it.each<[string, Parameters<typeof judge>[0]]>([
    ['without a grant', {}],
    ['where nobody granted anything, and it is usual', { grant: withoutGrant }],
    ['where all of it is granted', { grant: granted({ pods: ['10.0.0.0/8'], services: ['10.96.0.0/12'] }) }],
    ['where nothing new is used, and it is in use', { grant: nothingNew, current: importOf(network) }],
  ])('is used exactly as it is published %s', (_what, input) => {
    const { network: used, problem } = judge(input);
    expect(used).toBe(network);
    expect(problem).toBeUndefined();
  });

  it('is left to the API server where it is not well-formed', () => {
    const malformed = { ...network, podCIDRs: 'x' as unknown as readonly string[] };
    expect(judge({ remote: remoteOf(malformed), grant: withoutGrant }).network).toBe(malformed);
  });

  it.each<[string, Parameters<typeof judge>[0], string | undefined]>([
    ['the granted part', { grant: granted({ pods: ['10.20.0.0/16'] }) }, '10.20.0.0/16'],
    [
      'what is in use, where nothing else is granted',
      { grant: granted({ pods: ['10.30.0.0/16'] }), current: importOf({ ...network, podCIDRs: ['10.30.0.0/24'] }) },
      '10.30.0.0/24',
    ],
    ['nothing of a refused cluster', { grant: granted({ state: 'Refused' }), current: importOf(network) }, undefined],
    ['nothing without its Service CIDR', { grant: granted({ services: [] }) }, undefined],
    ['nothing without a gateway', { grant: granted({ gateways: [] }) }, undefined],
    ['nothing of a new cluster that is held', { grant: nothingNew }, undefined],
    [
      'the first 64 Pod CIDRs, where something decides about them',
      {
        remote: remoteOf({ ...network, podCIDRs: Array.from({ length: 70 }, (_, at) => `10.20.${at}.0/24`) }),
        grant: withoutGrant,
      },
      Array.from({ length: 64 }, (_, at) => `10.20.${at}.0/24`).join(' '),
    ],
  ])('is used with %s, and that is reported', (_what, input, pods) => {
    const { network: used, problem } = judge(input);
    expect(used?.podCIDRs?.join(' ')).toBe(pods);
    expect(problem).toMatch(/kubectl -n kube-system describe knowncluster east$/);
  });
});

describe('virtual ranges that a leader allotted', () => {
  const published = { ...network, podCIDRs: ['10.20.0.0/16', '100.64.0.0/16'] };
  const remote = remoteOf(published, virtual);

  it('need no grant: the Pod CIDRs behind them do', () => {
    const grant = granted({ pods: ['10.10.0.0/16', '10.20.0.0/16'] });
    expect(judge({ remote, grant }).network).toBe(published);
  });

  it('go with the Pod CIDRs behind them', () => {
    expect(judge({ remote, grant: granted({ pods: ['10.20.0.0/16'] }) }).network?.podCIDRs).toEqual(['10.20.0.0/16']);
    expect(judge({ remote, grant: granted({ pods: ['10.10.0.0/16'] }) }).network?.podCIDRs).toEqual(['100.64.0.0/16']);
  });

  it('stay with them where nothing new is used', () => {
    const more = remoteOf({ ...published, podCIDRs: [...(published.podCIDRs ?? []), '10.30.0.0/16'] }, virtual);
    const { network: used } = judge({ remote: more, grant: nothingNew, current: importOf(published, virtual) });
    expect(used?.podCIDRs?.toSorted()).toEqual(['10.20.0.0/16', '100.64.0.0/16']);
  });
});
