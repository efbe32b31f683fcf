import { describe, expect, it } from 'vitest';
import { mostVirtualPodCIDRs, parseVirtualPodCIDRs, virtualPodCIDRsText } from './virtual-pod-cidrs.ts';

describe('the annotation with virtual Pod CIDRs', () => {
  it('is read as it is written, in both families', () => {
    const text = '10.10.0.0/16=100.64.0.0/16,fd00:10::/48=fd00:64:1::/48';
    expect(virtualPodCIDRsText(parseVirtualPodCIDRs(text))).toBe(text);
    expect(parseVirtualPodCIDRs('')).toEqual([]);
    expect(parseVirtualPodCIDRs(undefined)).toEqual([]);
  });

  it.each([
    ['one range', '10.10.0.0/16'],
    ['no ranges', 'a=b'],
    ['two families', '10.10.0.0/16=fd00::/16'],
    ['two lengths', '10.10.0.0/16=100.64.0.0/17'],
    ['a range in itself', '10.0.0.0/8=10.0.0.0/8'],
    ['more text than it can have', `${'1'.repeat(2_000)},10.10.0.0/16=100.64.0.0/16`],
  ])('has no pair with %s', (_, text) => {
    expect(parseVirtualPodCIDRs(text)).toEqual([]);
  });

  it('gives each address once', () => {
    const twice = '10.10.0.0/16=100.64.0.0/16,10.10.1.0/24=100.65.1.0/24,10.11.0.0/16=100.64.0.0/16';
    expect(virtualPodCIDRsText(parseVirtualPodCIDRs(twice))).toBe('10.10.0.0/16=100.64.0.0/16');
  });

  it('is bounded', () => {
    const many = Array.from({ length: 12 }, (_, index) => `10.${index}.0.0/16=100.${64 + index}.0.0/16`).join(',');
    expect(parseVirtualPodCIDRs(many)).toHaveLength(mostVirtualPodCIDRs);
  });
});
