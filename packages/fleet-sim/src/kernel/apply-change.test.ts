import type { Network, NetworkChange } from '@isthmus/dataplane';
import { diffNetworks, emptyNetwork } from '@isthmus/dataplane';
import { describe, expect, test } from 'vitest';
import { applyChange } from './apply-change.ts';

const withRoute: Network = {
  ...emptyNetwork,
  routes: new Map([['8479 10.2.0.0/16', { table: 8479, to: '10.2.0.0/16', nextHop: 7 }]]),
};
const withHop: Network = { ...emptyNetwork, nextHops: new Map([[7, { id: 7, group: [8] }]]) };

/** The reason why the kernel rejects a change, or nothing. */
function rejection(network: Network, change: NetworkChange): string {
  try {
    applyChange(network, change);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a change that the kernel rejects', () => {
  test.each<readonly [string, Network, Network, string]>([
    [
      'a route over a next hop that does not exist',
      emptyNetwork,
      withRoute,
      'route 8479 10.2.0.0/16 refers to an object that does not exist',
    ],
    [
      'a group with a next hop that does not exist',
      emptyNetwork,
      withHop,
      'next hop {"id":7,"group":[8]} refers to an object that does not exist',
    ],
  ])('%s', (_, before, after, reason) => {
    expect(rejection(before, diffNetworks(before, after))).toBe(reason);
  });

  test('the removal of an object that does not exist', () => {
    const removal = diffNetworks(withHop, emptyNetwork);
    expect(rejection(emptyNetwork, removal)).toMatch(/^cannot remove .*: it does not exist$/);
  });
});
