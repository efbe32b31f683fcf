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
    expect(of('a', 'b', 'c', 'd', '192.0.2.1')[1]).toMatch(/"c" is not an IP address; 1 more are not valid$/);
    const [used = '', leftOut] = of(...Array.from({ length: 70 }, (_, index) => `192.0.2.${index}`));
    expect([used.split(' ').length, leftOut]).toEqual([64, 'only the first 64 gateways are used']);
  });

  it('are read no further than they are used', () => {
    const many = Array.from({ length: 70 }, (_, index) => ({ gatewayIP: index < 64 ? 'none' : '192.0.2.1' }));
    expect(usableGateways({ gatewayInfos: many })).toMatchObject({
      gatewayInfos: [],
      leftOut: expect.stringMatching(/; 61 more are not valid; only the first 64 gateways are used$/),
    });
  });

  it('may be absent', () => {
    expect(usableGateways({})).toEqual({ gatewayInfos: undefined, wireGuard: undefined, leftOut: undefined });
  });

  it('have a key each, that of the first where Antrea has it; a key that is not valid is left out alone', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const two = { gatewayIP: '192.0.2.2', publicKey: key };
    const wireGuard = { publicKey: Buffer.alloc(32, 1).toString('base64') };
    expect(usableGateways({ gatewayInfos: [{ gatewayIP: '192.0.2.1' }, two], wireGuard })).toEqual({
      gatewayInfos: [{ gatewayIP: '192.0.2.1' }, two],
      wireGuard,
      leftOut: undefined,
    });
    const wrong = [{ gatewayIP: '192.0.2.1' }, { gatewayIP: '192.0.2.2', publicKey: 'x' }];
    expect(usableGateways({ gatewayInfos: wrong, wireGuard })).toMatchObject({
      gatewayInfos: [{ gatewayIP: '192.0.2.1' }, { gatewayIP: '192.0.2.2' }],
      leftOut: 'gatewayInfos[1].publicKey is not a WireGuard public key (32 bytes in base64)',
    });
  });

  it('go without the key of the first one where it is not valid, whatever its length', () => {
    const two = [{ gatewayIP: '192.0.2.1' }, { gatewayIP: '192.0.2.2' }];
    const leftOut = 'wireGuard.publicKey is not a WireGuard public key (32 bytes in base64)';
    const wireGuard = { publicKey: 'x'.repeat(100_000) };
    expect(usableGateways({ gatewayInfos: two, wireGuard })).toEqual({
      gatewayInfos: two,
      wireGuard: undefined,
      leftOut,
    });
    expect(usableGateways({ wireGuard })).toEqual({ gatewayInfos: undefined, wireGuard: undefined, leftOut });
    expect(usableGateways({ gatewayInfos: two, wireGuard: { publicKey: '' } }).leftOut).toBeUndefined();
  });

  it('have the key of the one that is first now where the announced first one is left out', () => {
    const key = Buffer.alloc(32, 7).toString('base64');
    const wireGuard = { publicKey: Buffer.alloc(32, 1).toString('base64') };
    const found = (publicKey: string | undefined) =>
      usableGateways({ gatewayInfos: [{ gatewayIP: 'x' }, { gatewayIP: '192.0.2.2', publicKey }], wireGuard });
    expect(found(key)).toMatchObject({ gatewayInfos: [{ gatewayIP: '192.0.2.2' }], wireGuard: { publicKey: key } });
    expect(found(undefined).wireGuard).toBeUndefined();
  });
});
