import { expect, it } from 'vitest';
import { textOf } from '../../render/paint.ts';
import { styledFindings } from './findings.ts';

it('the severities that need attention are styled, and nothing within a finding is', () => {
  const text = 'block  a.rule  component x\n       block  in a name\nwarn   b.rule\ninfo   c.rule\nblocked\n';
  const pieces = styledFindings(text);
  expect(pieces.filter((piece) => typeof piece !== 'string')).toEqual([
    { style: 'bad', text: 'block' },
    { style: 'warning', text: 'warn' },
  ]);
  expect(textOf(pieces, false)).toBe(text);
});
