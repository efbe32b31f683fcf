import { describe, expect, it } from 'vitest';
import { defaultClusters, leaderProblem, parseClusterList } from './cluster-list.ts';

const leader = { isLeader: true, isMember: false };
const member = { isLeader: false, isMember: true };

describe('the list of clusters', () => {
  it.each([
    [defaultClusters, { north: leader, east: member, west: member }],
    ['north:leader', { north: leader }],
    ['a:member,b:leader', { a: member, b: leader }],
    ['north:leader+member,east', { north: { isLeader: true, isMember: true }, east: member }],
    ['north:member+leader', { north: { isLeader: true, isMember: true } }],
    ['north:leader, east', { north: leader, east: member }],
    ['constructor:leader,__proto__x', undefined],
  ])('%s is read as it is written', (text, expected) => {
    const read = () => Object.fromEntries(parseClusterList(text).map(({ name, ...roles }) => [name, roles]));
    if (expected === undefined) expect(read).toThrow('"__proto__x" is not a valid cluster name');
    else expect(read()).toEqual(expected);
  });

  it.each([
    ['', '"" is not a valid cluster name: it is empty.'],
    ['north:leader,', '"" is not a valid cluster name: it is empty.'],
    ['north:leader,east,east', 'Cluster east is named twice.'],
    ['north:leader,North', '"North" is not a valid cluster name: '],
    ['north:leader,a.b', '"a.b" is not a valid cluster name: '],
    [`north:leader,${'a'.repeat(51)}`, 'must be no more than 50 characters.'],
    ['north:boss', 'Cluster north cannot be "boss": the role must be leader, member or leader+member.'],
    ['north:', 'Cluster north cannot be "": the role must be leader, member or leader+member.'],
    ['north:leader:6443', 'Cluster north cannot be "leader:6443": the role must be'],
    ['north:toString', 'Cluster north cannot be "toString": the role must be'],
    [
      `north:leader,${Array.from({ length: 100 }, (_, i) => `m${i}`).join(',')}`,
      'It names 101 clusters; the maximum is 100.',
    ],
  ])('rejects %s with the reason', (text, why) => {
    expect(() => parseClusterList(text)).toThrow(why);
  });

  it.each([
    ['east,west', 'One cluster must be the leader, as in north:leader,east,west.'],
    ['north:leader,south:leader+member', 'Only one cluster can be the leader, not north and south.'],
    ['north:leader+member,east', undefined],
  ])('%s as one ClusterSet: %s', (text, problem) => {
    expect(leaderProblem(parseClusterList(text))).toBe(problem);
  });
});
