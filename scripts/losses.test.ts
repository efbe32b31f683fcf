import { expect, it } from 'vitest';
import { lossTable } from './losses.ts';

const of = 30;

it('prints a line for each loss, with what was kept, for how long and how long the cure took', () => {
  const cases = [
    { title: 'a backup', status: 'passed', meta: { loss: { kept: 30, of, heldMs: 4_321, curedMs: undefined } } },
    {
      title: 'a definition is deleted',
      status: 'failed',
      meta: { loss: { kept: 29, of, heldMs: 65_000, curedMs: 900 } },
    },
    { title: 'what is held goes', status: 'passed', meta: {} },
  ];
  expect(lossTable(cases)?.split('\n')).toEqual([
    'loss                     kept      whole again  after the cure  test',
    'a backup                 30 of 30  4.3 s        none needed     passed',
    'a definition is deleted  29 of 30  65.0 s       0.9 s           failed',
  ]);
});

it('prints nothing where no case was about a loss', () => {
  expect(lossTable([{ title: 'what is held goes', status: 'passed', meta: {} }])).toBeUndefined();
});
