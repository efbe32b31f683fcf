import { describe, expect, it } from 'vitest';
import { fieldLines } from './field-lines.ts';

const text = `# A comment first.
---
apiVersion: v1
health:

  # why
  healthProbeBindAddress: :8080
podCIDRs:
  - 10.0.0.0/8
  # another
  - name: x
    ports: [80,
      81]
webhook:
  port: 1
  host: |
    x

last: "two
  lines"
`;

describe('the line of a field', () => {
  it.each([
    ['', 1],
    ['apiVersion', 3],
    ['health', 4],
    ['health.healthProbeBindAddress', 7],
    ['podCIDRs', 8],
    ['podCIDRs[0]', 9],
    ['podCIDRs[1]', 11],
    ['podCIDRs[1].name', 11],
    ['podCIDRs[1].ports', 12],
    ['podCIDRs[1].ports[1]', 12],
    ['last', 19],
  ])('is for %j line %i', (path, line) => {
    expect(fieldLines(text)(path)).toBe(line);
  });

  it.each([
    ['health.bind', 4],
    ['podCIDRs[7]', 8],
    ['podCIDRs[1].ports[9].x', 12],
    ['missing', 1],
    ['missing.too[0]', 1],
  ])('is for %j, which is not there, that of what is around it: %i', (path, line) => {
    expect(fieldLines(text)(path)).toBe(line);
  });

  it('is that of the bracket for a field inside of brackets over several lines', () => {
    const flow = 'a: 1\nb: {\n  c: 1,\n  d: 2\n}\ne: 3\n';
    expect(['b', 'b.c', 'b.d', 'e'].map(fieldLines(flow))).toEqual([2, 2, 2, 6]);
  });

  it('is 1 for every field of JSON over several lines', () => {
    expect(fieldLines('{\n  "a": 1\n}\n')('a')).toBe(1);
  });

  it('is 1 in a text that is too long to be looked through', () => {
    const long = `${'# comment\n'.repeat(600)}a: 1\n`;
    expect(fieldLines(long)('a')).toBe(1);
  });
});
