import { parseVirtualPodCIDRs, virtualPodCIDRsText } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { OwnVirtualInput } from './own-virtual-pod-cidrs.ts';
import { forgottenAfterMs, ownVirtualPodCIDRs } from './own-virtual-pod-cidrs.ts';

const pair = (virtual: string) => parseVirtualPodCIDRs(`10.10.0.0/16=${virtual}`);
const own = (input: Partial<OwnVirtualInput>) => {
  const { pairs, announced, isUnconfirmed } = ownVirtualPodCIDRs({
    hasAgents: true,
    podCIDRs: ['10.10.0.0/16'],
    allotted: [],
    known: [],
    unconfirmedMs: 0,
    ...input,
  });
  const text = (found: typeof pairs) =>
    found === undefined ? '-' : virtualPodCIDRsText(found).replaceAll('10.10.0.0/16=', '');
  return `${text(pairs)} ${text(announced)}${isUnconfirmed ? ' unconfirmed' : ''}`;
};
const first = pair('100.64.0.0/16');
const second = pair('100.65.0.0/16');

describe('the virtual ranges of the own cluster', () => {
  it.each<[string, Partial<OwnVirtualInput>, string]>([
    ['with agents and without a range', {}, ' '],
    ['allotted, and not noted for the agents yet', { allotted: first }, '100.64.0.0/16 '],
    ['allotted and noted', { allotted: first, known: first }, '100.64.0.0/16 100.64.0.0/16'],
    ['another than before', { allotted: second, known: first }, '100.65.0.0/16 '],
    ['lost by the leader', { known: first }, '100.64.0.0/16 100.64.0.0/16 unconfirmed'],
    ['not confirmed for a minute', { known: first, unconfirmedMs: forgottenAfterMs }, ' '],
    ['of a range that is not announced', { allotted: first, known: first, podCIDRs: ['10.11.0.0/16'] }, ' '],
    ['without agents', { allotted: first, known: first, hasAgents: false }, ' -'],
    ['without Pod CIDRs', { podCIDRs: [] }, ' -'],
    ['while it is not known whether there are agents', { known: first, hasAgents: undefined }, '- -'],
  ])('are used and announced: %s', (_, input, expected) => {
    expect(own(input)).toBe(expected);
  });
});
