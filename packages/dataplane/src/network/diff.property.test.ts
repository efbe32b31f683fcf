import { applyChange } from '@isthmus/fleet-sim';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { desiredNetwork } from '../desired/desired-network.ts';
import { clusterNetworks } from '../testing/random-cluster.ts';
import { diffNetworks, isNoChange } from './diff.ts';
import { emptyNetwork } from './network.ts';

const networks = () => clusterNetworks().map(desiredNetwork);

describe('the difference of two networks', () => {
  test('turns the one into the other', () => {
    fc.assert(
      fc.property(networks(), networks(), (before, after) => {
        expect(applyChange(before, diffNetworks(before, after))).toEqual(after);
      }),
    );
  });

  test('is nothing for a network and itself, however it was made', () => {
    fc.assert(
      fc.property(networks(), networks(), (before, after) => {
        expect(isNoChange(diffNetworks(after, after))).toBe(true);
        expect(isNoChange(diffNetworks(applyChange(before, diffNetworks(before, after)), after))).toBe(true);
      }),
    );
  });

  test('from and to nothing builds everything and removes everything', () => {
    fc.assert(
      fc.property(networks(), (network) => {
        expect(applyChange(emptyNetwork, diffNetworks(emptyNetwork, network))).toEqual(network);
        expect(applyChange(network, diffNetworks(network, emptyNetwork))).toEqual(emptyNetwork);
      }),
    );
  });
});
