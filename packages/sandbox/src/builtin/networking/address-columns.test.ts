import { describe, expect, it } from 'vitest';
import type { Stored } from '../../store/stored.ts';
import { ipAddress } from './ip-address.ts';
import { serviceCidr } from './service-cidr.ts';

const now = Date.parse('2026-11-21T00:05:00Z');
const stored = (spec?: object) =>
  ({ metadata: { name: 'x', creationTimestamp: '2026-11-21T00:00:00Z' }, spec }) as unknown as Stored;

describe('the row of an IPAddress', () => {
  it.each([
    ['a Service', { resource: 'services', namespace: 'shop', name: 'web' }, 'services/shop/web'],
    ['a cluster-wide object', { resource: 'nodes', name: 'n1' }, 'nodes/n1'],
    [
      'an object of a group',
      { group: 'shop.test', resource: 'Carts', namespace: 'a', name: 'B' },
      'carts.shop.test/a/B',
    ],
    ['a cluster-wide object of a group', { group: 'shop.test', resource: 'carts', name: 'b' }, 'carts.shop.test/b'],
  ])('shows that it belongs to %s', (_what, parentRef, text) => {
    expect(ipAddress.columns.cells(stored({ parentRef }), now)).toEqual(['x', text, '5m']);
  });

  it.each([undefined, {}])('shows that it belongs to nothing: %j', (spec) => {
    expect(ipAddress.columns.cells(stored(spec), now)).toEqual(['x', '<none>', '5m']);
  });
});

describe('the row of a ServiceCIDR', () => {
  it.each([
    [{ cidrs: ['10.96.0.0/16'] }, '10.96.0.0/16'],
    [{ cidrs: ['10.96.0.0/16', 'fd00::/108'] }, '10.96.0.0/16,fd00::/108'],
    [undefined, ''],
  ])('shows its networks: %j', (spec, text) => {
    expect(serviceCidr.columns.cells(stored(spec), now)).toEqual(['x', text, '5m']);
  });
});
