import { describe, expect, it } from 'vitest';
import type { SuspensionInput } from './decide.ts';
import { decideSuspensions } from './decide.ts';

const now = '2026-11-30T13:00:00Z';
const account = (name: string, boundTo?: string, suspended?: string) => ({ name, boundTo, suspended });
const decide = (input: Partial<SuspensionInput>) => {
  const { suspend, suspended, unknown } = decideSuspensions({
    namespace: 'area',
    over: [],
    accounts: [account('member-east', 'east'), account('member-west', 'west'), account('shared')],
    announcers: new Map(),
    now,
    ...input,
  });
  return { suspend, suspended: [...suspended], unknown: [...unknown] };
};
const over = (clusterID: string) => [{ clusterID, excess: 'it wrote much' }];

describe('a cluster that is above its quota', () => {
  it('has its account suspended, and no other one', () => {
    expect(decide({ over: over('east') })).toEqual({
      suspend: [{ account: 'member-east', text: `${now} it wrote much` }],
      suspended: [],
      unknown: [],
    });
  });

  it('has all of its accounts suspended', () => {
    const accounts = [account('old', 'east'), account('new', 'east', 'yesterday'), account('third', 'east')];
    expect(decide({ over: over('east'), accounts }).suspend.map((one) => one.account)).toEqual(['old', 'third']);
  });

  it('has the account suspended that announces it, if none is bound to it', () => {
    const announcers = new Map([
      ['south', 'shared'],
      ['east', 'shared'],
    ]);
    expect(decide({ over: over('south'), announcers }).suspend).toMatchObject([{ account: 'shared' }]);
    expect(decide({ over: over('east'), announcers }).suspend).toMatchObject([{ account: 'member-east' }]);
  });

  it.each([
    ['south', 'cluster south'],
    ['', 'a member without a valid cluster ID'],
  ])('is reported if no account is known: %j', (clusterID, named) => {
    const { suspend, unknown } = decide({ over: over(clusterID), accounts: [account('empty', '')] });
    expect(suspend).toEqual([]);
    expect(unknown).toEqual([[clusterID, expect.stringContaining(`The objects of ${named} are written too often`)]]);
  });
});

it('a suspended account is reported with its annotation, and how to let it write again', () => {
  const accounts = [account('member-east', 'east', `${now} it wrote much`), account('other', undefined, 'true')];
  expect(decide({ accounts }).suspended).toEqual([
    [
      'member-east',
      `ServiceAccount member-east of cluster "east" is suspended and can write nothing: "${now} it wrote much". When you have found the cause, let it write again: kubectl -n area annotate serviceaccount member-east isthmus.dev/suspended-`,
    ],
    ['other', expect.stringContaining('ServiceAccount other is suspended and can write nothing: "true".')],
  ]);
});
