import { describe, expect, it } from 'vitest';
import type { Resources } from './pod-spec.ts';
import { qosClassOf } from './quality-of-service.ts';

const full = { cpu: '1', memory: '1Gi' };

describe('the quality of service of a Pod', () => {
  it.each<[string, string, readonly Resources[]]>([
    ['BestEffort', 'nothing is asked for', [{}]],
    ['BestEffort', 'what is asked for is neither CPU nor memory', [{ limits: { 'example.com/gpu': '1' } }]],
    ['Guaranteed', 'all that is asked for is limited as much', [{ limits: full, requests: full }]],
    ['Burstable', 'one container asks for nothing', [{ limits: full, requests: full }, {}]],
    ['Burstable', 'the limit is more than the request', [{ limits: full, requests: { cpu: '500m', memory: '1Gi' } }]],
    ['Burstable', 'only CPU is limited', [{ limits: { cpu: '1' }, requests: { cpu: '1' } }]],
  ])('is %s where %s', (expected, _, each) => {
    expect(qosClassOf({ containers: each.map((resources, index) => ({ name: `c${index}`, resources })) })).toBe(
      expected,
    );
  });
});
