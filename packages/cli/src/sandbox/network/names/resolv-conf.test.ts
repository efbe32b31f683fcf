import { describe, expect, test } from 'vitest';
import { resolvConfOf } from './resolv-conf.ts';

const ofCluster =
  'search shop.svc.cluster.local svc.cluster.local cluster.local\nnameserver 169.254.20.10\noptions ndots:5\n';

describe('/etc/resolv.conf of a Pod', () => {
  test.each([
    ['without a policy', {}, ofCluster],
    ['of ClusterFirst in the network of its Node', { hostNetwork: true }, undefined],
    ['of ClusterFirstWithHostNet', { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }, ofCluster],
    ['of Default', { dnsPolicy: 'Default' }, undefined],
    [
      'of None',
      { dnsPolicy: 'None', dnsConfig: { nameservers: ['10.1.2.3'], options: [{ name: 'timeout', value: '1' }] } },
      'nameserver 10.1.2.3\noptions timeout:1\n',
    ],
    [
      'with more of everything',
      {
        dnsConfig: {
          nameservers: ['10.1.2.3'],
          searches: ['svc.clusterset.local', 'cluster.local'],
          options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
        },
      },
      'search shop.svc.cluster.local svc.cluster.local cluster.local svc.clusterset.local\n' +
        'nameserver 169.254.20.10\nnameserver 10.1.2.3\noptions ndots:2 edns0\n',
    ],
  ])('%s', (_, spec, expected) => {
    expect(resolvConfOf(spec, 'shop')).toBe(expected);
  });
});
