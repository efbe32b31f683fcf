import { describe, expect, it } from 'vitest';
import type { BindingInput, ClusterSeen } from './decide.ts';
import { decideBindings } from './decide.ts';

const account = (name: string, boundTo?: string) => ({ name, boundTo });
const by = (name: string | undefined, clusterID: string, isProven = true): ClusterSeen => ({
  clusterID,
  announcer: { account: name },
  isProven,
});
const unknown = (clusterID: string): ClusterSeen => ({ clusterID, announcer: undefined, isProven: false });
const decide = (input: Partial<BindingInput>) => {
  const { bind, unproven, problems } = decideBindings({ accounts: [], clusters: [], named: [], ...input });
  const text = (all: typeof bind) => all.map((one) => `${one.account}=${one.clusterID} by ${one.by}`);
  return { bind: text(bind), unproven: text(unproven), problems: [...problems] };
};
const nothing = { bind: [], unproven: [], problems: [] };

describe('an account without annotation', () => {
  it('is bound to the cluster that it announces, each account to its own', () => {
    const accounts = [account('b'), account('a')];
    const clusters = [by('a', 'east'), by('b', 'west')];
    expect(decide({ accounts, clusters })).toEqual({
      ...nothing,
      bind: ['a=east by announcement', 'b=west by announcement'],
    });
  });

  it('is not bound while it announces nothing, or is one that does not exist any more', () => {
    expect(decide({ accounts: [account('a')], clusters: [by('gone', 'east')] })).toEqual(nothing);
  });

  it('waits while its record may have been written when nothing checked it', () => {
    const found = decide({ accounts: [account('a')], clusters: [by('a', 'east', false)] });
    expect(found).toEqual({ ...nothing, unproven: ['a=east by announcement'] });
  });

  it('is not bound while it is not known by which account some cluster announces itself: it may be the same', () => {
    const accounts = [account('a'), account('c', 'west')];
    expect(decide({ accounts, clusters: [by('a', 'east'), unknown('west')] })).toEqual(nothing);
  });

  it('is bound beside a cluster that announces itself by something else than an account of the Namespace', () => {
    const found = decide({ accounts: [account('a')], clusters: [by('a', 'east'), by(undefined, 'west')] });
    expect(found.bind).toEqual(['a=east by announcement']);
  });

  it('is not bound to a cluster that has an account, and reported with that account', () => {
    const found = decide({ accounts: [account('a'), account('b', 'east')], clusters: [by('a', 'east')] });
    expect(found).toMatchObject({ bind: [], unproven: [] });
    expect(found.problems).toEqual([
      [
        'a',
        expect.stringMatching(
          /^ServiceAccount a has no annotation .* announces cluster east, to which ServiceAccount b/,
        ),
      ],
    ]);
  });

  it('of two clusters is bound to neither, and reported with both', () => {
    const found = decide({ accounts: [account('a')], clusters: [by('a', 'west'), by('a', 'east', false)] });
    expect(found).toMatchObject({ bind: [], unproven: [] });
    expect(found.problems).toEqual([
      [
        'a',
        expect.stringMatching(
          /^ServiceAccount a is used by the clusters east, west, so it is not bound to any of them/,
        ),
      ],
    ]);
  });

  it('of many clusters is reported with some, so that the message stays as it is when others join', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((clusterID) => by('x', clusterID));
    const message = (clusters: readonly ClusterSeen[]) => decide({ accounts: [account('x')], clusters }).problems;
    expect(message(many)).toEqual(message(many.slice(0, 6)));
  });
});

describe('an account that a ClusterSet of v1alpha1 names', () => {
  const named = [{ account: 'a', clusterID: 'east' }];

  it('is bound to that cluster without an announcement, and whatever else is not known', () => {
    expect(decide({ accounts: [account('a')], named, clusters: [unknown('west')] }).bind).toEqual(['a=east by name']);
  });

  it('is bound although another account has the cluster: a person decided it', () => {
    expect(decide({ accounts: [account('a'), account('b', 'east')], named }).bind).toEqual(['a=east by name']);
  });

  it('is not bound where it announces another cluster, or is named for two', () => {
    const accounts = [account('a')];
    for (const found of [
      decide({ accounts, named, clusters: [by('a', 'west', false)] }),
      decide({ accounts, named: [...named, { account: 'a', clusterID: 'west' }] }),
    ]) {
      expect(found.bind).toEqual([]);
      expect(found.problems).toEqual([['a', expect.stringContaining('the clusters east, west')]]);
    }
  });

  it('keeps its annotation, and a difference is reported', () => {
    expect(decide({ accounts: [account('a', 'east')], named })).toEqual(nothing);
    const found = decide({ accounts: [account('a', 'west')], named });
    expect(found.bind).toEqual([]);
    expect(found.problems).toEqual([['a', expect.stringContaining('names it for east. The annotation applies.')]]);
  });
});

it('an annotation stays as it is, even an empty one', () => {
  for (const boundTo of ['east', ''])
    expect(decide({ accounts: [account('a', boundTo)], clusters: [by('a', 'west')] })).toEqual(nothing);
});
