import { addressText, parseAddress } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { directProbesText, mostDirectProbes, parseDirectProbes } from './direct-probes.ts';

const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => parseAddress(`10.10.${index}.0`)).flatMap((one) => one ?? []);

describe('the addresses of a cluster that answer probes past the tunnels', () => {
  it('are read as they were written, each once', () => {
    const text = directProbesText([
      ...addresses(2),
      ...addresses(1),
      ...[parseAddress('fd00::')].flatMap((one) => one ?? []),
    ]);
    expect(text).toBe('10.10.0.0,10.10.1.0,fd00::');
    expect(parseDirectProbes(text).map(addressText).join(',')).toBe(text);
    expect(parseDirectProbes(directProbesText([]))).toEqual([]);
  });

  it('are eight at most, and everything else is left out', () => {
    expect(parseDirectProbes(directProbesText(addresses(20)))).toHaveLength(mostDirectProbes);
    expect(parseDirectProbes('10.10.0.0,x,,10.10.1.0/24').map(addressText)).toEqual(['10.10.0.0']);
    expect(parseDirectProbes('10.10.0.0,'.repeat(1000))).toEqual([]);
    expect(parseDirectProbes(undefined)).toEqual([]);
  });
});
