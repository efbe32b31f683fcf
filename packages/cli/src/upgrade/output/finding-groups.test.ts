import { expect, it } from 'vitest';
import { findingsText } from './findings.ts';
import type { ShownFinding } from './shown-finding.ts';

const finding = (rule: string, object: string, path: string, more: Partial<ShownFinding> = {}): ShownFinding => ({
  rule,
  severity: 'warn',
  subject: { object, path },
  why: `${path} changes`,
  unblock: 'look at it',
  ...more,
});
const fields = (count: number, object = 'a') =>
  Array.from({ length: count }, (_, index) => finding('F28', object, `spec.f${index}`));

it('many findings of one rule about one object are one entry with the others named, and are all counted', () => {
  const blocking = finding('F28', 'a', 'spec.x', { severity: 'block' });
  const text = findingsText([blocking, ...fields(9), finding('F28', 'b', 'spec.f0')], { isGrouped: true });
  expect(text).toMatchInlineSnapshot(`
    "block  F28    object a, spec.x
           spec.x changes
           to do: look at it
    warn   F28    object a, spec.f0, and 8 more
           spec.f0 changes
           also: spec.f1, spec.f2, spec.f3, spec.f4, spec.f5 and 3 more places (-o wide shows each)
           to do: look at it
    warn   F28    object b, spec.f0
           spec.f0 changes
           to do: look at it
    1 blocking finding, 10 warnings.
    "
  `);
});

it('three findings of one rule are shown one by one, and with -o wide each of any number', () => {
  expect(findingsText(fields(3), { isGrouped: true })).toBe(findingsText(fields(3)));
  const wide = findingsText(fields(9));
  expect(wide.match(/^warn/gm)).toHaveLength(9);
  expect(wide).not.toContain('also:');
});
