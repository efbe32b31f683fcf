import { cidrText } from '@isthmus/machinery';
import { expect, test } from 'vitest';
import { cidr } from '../testing/addresses.ts';
import { withoutCovered } from './own-node.ts';

test('ranges in another one are left out, in whatever order they come, and families do not cover each other', () => {
  const all = ['10.10.2.0/24', '::/0', '10.10.0.0/16', '10.9.0.0/16', '10.10.0.0/24', '10.10.0.0/16', 'fd00::/48'];
  const kept = ['10.9.0.0/16', '10.10.0.0/16', '::/0'];
  expect(withoutCovered(all.map(cidr)).map(cidrText)).toEqual(kept);
  expect(withoutCovered(all.toReversed().map(cidr)).map(cidrText)).toEqual(kept);
  expect(withoutCovered([])).toEqual([]);
});
