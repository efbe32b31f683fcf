import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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

describe('the tables of docs/losses.md', () => {
  const textOf = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
  const tests = 'packages/controlplane/src/scenarios/losses.envtest.test.ts';
  const rows = textOf('docs/losses.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .filter((line) => !/^\| (loss|-+) /.test(line));
  const named = rows.map((row) => row.match(/\[(?:… )?([^\]]+)\]\(\.\.\/([^)]+)\) \|$/)?.slice(1) ?? [row, '']);
  const titles = textOf(tests)
    .split('\n')
    .flatMap((line) => line.match(/^ {2}(?:it|inSoak)\('(.+)', (?:async )?\(context\) =>/)?.[1] ?? []);

  it('have a test on real API servers in every row', () => {
    expect(titles.length).toBeGreaterThan(12);
    const missing = named.filter(([title = '', path]) => path !== tests || !titles.some((one) => one.includes(title)));
    expect(missing).toEqual([]);
  });

  it('have a row for every test of a loss', () => {
    expect(titles.filter((title) => !named.some(([text = '']) => title.includes(text)))).toEqual([]);
    expect(rows).toHaveLength(titles.length);
  });
});
