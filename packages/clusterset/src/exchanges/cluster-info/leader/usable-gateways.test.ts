import { describe, expect, it } from 'vitest';
import { usableGateways } from './usable-gateways.ts';

const of = (...ips: readonly (string | undefined)[]) => {
  const found = usableGateways({ gatewayInfos: ips.map((gatewayIP) => ({ gatewayIP })) });
  return [found.gatewayInfos?.map(({ gatewayIP }) => gatewayIP).join(' '), found.leftOut];
};

describe('the gateways of a network', () => {
  it('stay in their order', () => {
    expect(of('192.0.2.2', '192.0.2.1', 'fd00::1')).toEqual(['192.0.2.2 192.0.2.1 fd00::1', undefined]);
  });

  it('are left out where their address is not valid, and are named', () => {
    expect(of('none', '192.0.2.1', undefined, '127.0.0.1')).toEqual([
      '192.0.2.1',
      'gatewayInfos[0].gatewayIP "none" is not an IP address; gatewayInfos[2].gatewayIP "" is not an IP address; gatewayInfos[3].gatewayIP "127.0.0.1" is a loopback address',
    ]);
  });

  it('are named three at most, and used 64 at most', () => {
    expect(of('a', 'b', 'c', 'd', '192.0.2.1')[1]).toMatch(/"c" is not an IP address; 1 more have no usable address$/);
    const [used = '', leftOut] = of(...Array.from({ length: 70 }, (_, index) => `192.0.2.${index}`));
    expect([used.split(' ').length, leftOut]).toEqual([64, 'only 64 gateways are used']);
  });

  it('may be absent', () => {
    expect(usableGateways({})).toEqual({ gatewayInfos: undefined, leftOut: undefined });
  });
});
