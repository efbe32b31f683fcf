import { describe, expect, it } from 'vitest';
import type { ListInput } from './cluster-accounts.ts';
import { missingLists } from './cluster-accounts.ts';

const account = (name: string, boundTo?: string, listed?: string) => ({ name, boundTo, listed });
const by = (account: string | undefined, clusterID: string) => ({ clusterID, announcer: { account } });
const lists = (accounts: ListInput['accounts'], clusters: ListInput['clusters'] = []) =>
  missingLists({ accounts, clusters }).map(({ account, text }) => `${account}: ${text}`);

describe('the accounts of a cluster are listed on each of them', () => {
  it.each<[string, Parameters<typeof lists>, readonly string[]]>([
    ['once', [[account('a', 'east'), account('b', 'west', 'b')]], ['a: a']],
    ['with those that share it', [[account('b', 'east'), account('a', 'east')]], ['b: a,b', 'a: a,b']],
    ['again when one is gone', [[account('a', 'east', 'a,b')]], ['a: a']],
    ['not where no cluster is named', [[account('a'), account('b', '')]], []],
    ['while one of them announces it', [[account('a', 'east')], [by('a', 'east')]], ['a: a']],
    [
      'while it is not known who announces it',
      [[account('a', 'east')], [{ clusterID: 'east', announcer: undefined }]],
      ['a: a'],
    ],
    [
      'not for the first time while another account announces it',
      [[account('a', 'east'), account('x')], [by('x', 'east')]],
      [],
    ],
    [
      'although another account announces it, if they were listed before',
      [[account('a', 'east', 'a'), account('b', 'east'), account('x')], [by('x', 'east')]],
      ['a: a,b'],
    ],
  ])('%s', (_, input, expected) => {
    expect(lists(...input)).toEqual(expected);
  });
});
