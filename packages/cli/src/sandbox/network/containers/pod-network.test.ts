import type { RuntimePod } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { podScript, removePodScript } from '../layout.ts';
import { podNetworkOf } from './pod-network.ts';

const place = { node: 'north-1', podIP: '10.1.1.2' };
const networkOf = (spec: RuntimePod['spec']) =>
  podNetworkOf({ metadata: { name: 'web', namespace: 'shop' }, spec }, place, 'pod7');

describe('the network of a Pod', () => {
  it('is its own, with a file of name servers', () => {
    const { name, resolvConf, make, remove } = networkOf({ containers: [] });
    expect([name, resolvConf]).toEqual(['pod7', '/run/resolv/pod7']);
    expect(make[0]).toBe(podScript({ network: 'pod7', node: 'north-1', address: '10.1.1.2' }));
    expect(make[1]).toMatch(/^printf %s 'search shop\.svc\.cluster\.local .*' > \/run\/resolv\/pod7$/s);
    expect(remove).toEqual([removePodScript({ network: 'pod7', node: 'north-1' }), 'rm -f /run/resolv/pod7']);
  });

  it('has the file of the machine with the policy Default', () => {
    const { resolvConf, make, remove } = networkOf({ containers: [], dnsPolicy: 'Default' });
    expect(resolvConf).toBe('/etc/resolv.conf');
    expect([make.length, remove.length]).toEqual([1, 1]);
  });

  it('is that of its Node with hostNetwork, and nothing is made or removed', () => {
    expect(networkOf({ containers: [], hostNetwork: true })).toEqual({
      name: 'north-1',
      resolvConf: '/etc/resolv.conf',
      make: [],
      remove: [],
    });
  });

  it('is that of its Node with hostNetwork, and its file has the name of no other Pod', () => {
    const { name, resolvConf, make, remove } = networkOf({
      containers: [],
      hostNetwork: true,
      dnsPolicy: 'ClusterFirstWithHostNet',
    });
    expect([name, resolvConf, remove]).toEqual(['north-1', '/run/resolv/pod7', ['rm -f /run/resolv/pod7']]);
    expect(make).toHaveLength(1);
  });
});
