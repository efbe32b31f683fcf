import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DaemonSet, Node, Pod, PodTemplate } from '../kinds.ts';
import { decideDaemonSet } from './daemon-set.ts';

interface LivePod {
  readonly name: string;
  readonly node: string;
  readonly hash: string;
  readonly state: 'starting' | 'ready' | 'ending' | 'failed';
}

const since = '2026-11-21T10:00:00Z';

function podOf({ name, node, hash, state }: LivePod): Pod {
  return {
    metadata: {
      name,
      labels: { 'controller-revision-hash': hash },
      ...(state === 'ending' && { deletionTimestamp: since }),
    },
    spec: { nodeName: node, containers: [] },
    status: {
      phase: state === 'failed' ? 'Failed' : 'Running',
      conditions: [{ type: 'Ready', status: state === 'ready' ? 'True' : 'False', lastTransitionTime: since }],
    },
  };
}

interface Input {
  readonly nodes: readonly Node[];
  readonly pods: readonly LivePod[];
  readonly template?: PodTemplate;
  readonly strategy?: NonNullable<DaemonSet['spec']>['updateStrategy'];
}

function decide({ nodes, pods, template = {}, strategy }: Input) {
  const set: DaemonSet = {
    metadata: { name: 'ds', generation: 4 },
    spec: { selector: {}, template, updateStrategy: strategy },
  };
  const input = { set, pods: pods.map(podOf), nodes, hash: 'new', nowMs: Date.parse(since) };
  const decision = decideDaemonSet(input);
  return { ...decision, delete: decision.delete.map(({ metadata }) => metadata.name) };
}

const node = (name: string, labels = {}, spec: Node['spec'] = {}): Node => ({ metadata: { name, labels }, spec });
const on = (where: string, hash = 'new', state: LivePod['state'] = 'ready'): LivePod => ({
  name: `on-${where}`,
  node: where,
  hash,
  state,
});

describe('the next step of a DaemonSet', () => {
  it('makes a Pod for each Node that has none and that its selector names', () => {
    const nodes = [node('a', { disk: 'ssd' }), node('b'), node('c', { disk: 'ssd' })];
    const template = { spec: { nodeSelector: { disk: 'ssd' }, containers: [] } };
    const { create, delete: going } = decide({ nodes, template, pods: [on('a'), on('b')] });
    expect(create).toEqual(['c']);
    expect(going).toEqual(['on-b']);
  });

  it.each([
    [
      'makes a Pod for a Node that is cordoned',
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
      ['a'],
    ],
    ['makes a Pod for a Node that is not ready', { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }, ['a']],
    ['makes none for a Node with another taint', { key: 'gpu', effect: 'NoSchedule' }, []],
    ['makes a Pod for a Node that others should avoid', { key: 'gpu', effect: 'PreferNoSchedule' }, ['a']],
  ])('%s', (_, taint, create) => {
    expect(decide({ nodes: [node('a', {}, { taints: [taint] })], pods: [] }).create).toEqual(create);
  });

  it('waits until an ending Pod is gone before it makes the next', () => {
    expect(decide({ nodes: [node('a')], pods: [on('a', 'old', 'ending')] }).create).toEqual([]);
  });

  it('replaces Pods that have failed, and the second of two on one Node', () => {
    const second = { ...on('b'), name: 'second' };
    const pods = [on('a', 'new', 'failed'), on('b'), second];
    expect(decide({ nodes: [node('a'), node('b')], pods }).delete).toEqual(['on-a', 'second']);
  });

  it('replaces all old Pods that are not available, and available ones as far as the strategy lets it', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((name) => node(name));
    const pods = [on('a', 'old', 'starting'), on('b', 'old'), on('c', 'old'), on('d', 'old')];
    expect(decide({ nodes, pods }).delete).toEqual(['on-a']);
    expect(decide({ nodes, pods, strategy: { rollingUpdate: { maxUnavailable: '50%' } } }).delete).toEqual([
      'on-a',
      'on-b',
    ]);
    expect(decide({ nodes, pods, strategy: { type: 'OnDelete' } }).delete).toEqual([]);
  });

  it('reports how many Pods there are, where they should be, and how they fare', () => {
    const nodes = ['a', 'b', 'c'].map((name) => node(name));
    const pods = [on('a'), on('b', 'old', 'starting'), { ...on('x'), node: 'gone' }];
    expect(decide({ nodes, pods }).status).toEqual({
      currentNumberScheduled: 2,
      numberMisscheduled: 1,
      desiredNumberScheduled: 3,
      numberReady: 1,
      observedGeneration: 4,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 2,
    });
  });
});

describe('any DaemonSet', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const live = fc.uniqueArray(
    fc.record({
      node: fc.constantFrom(...names, 'gone'),
      hash: fc.constantFrom('old', 'new'),
      state: fc.constantFrom('starting', 'ready', 'ending', 'failed'),
    }),
    { selector: ({ node: where }) => where },
  );
  const nodes = fc.subarray(names).map((some) => some.map((name) => node(name)));

  it('keeps as many Pods available as it may, and ends with one new Pod on each Node', () => {
    fc.assert(
      fc.property(nodes, live, fc.integer({ min: 1, max: 3 }), (all, pods, maxUnavailable) => {
        const strategy = { rollingUpdate: { maxUnavailable } };
        let now: readonly LivePod[] = pods.map((one, index) => ({ ...one, name: `p${index}` }));
        const isWanted = ({ node: where }: LivePod) => all.some(({ metadata }) => metadata.name === where);
        const available = () => now.filter((one) => isWanted(one) && one.state === 'ready').length;
        for (let round = 0; round < 40; round++) {
          const before = available();
          const decision = decide({ nodes: all, pods: now, strategy });
          now = now.map((one) => (decision.delete.includes(one.name) ? { ...one, state: 'ending' as const } : one));
          expect(available()).toBeGreaterThanOrEqual(Math.min(before, all.length - maxUnavailable));
          const made = decision.create.map((where) => ({
            ...on(where, 'new', 'starting'),
            name: `r${round}-${where}`,
          }));
          now = [...now, ...made];
          const counts = new Map(now.map((one) => [one.node, now.filter((other) => other.node === one.node).length]));
          expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
          if (round % 3 === 0) now = now.map((one) => (one.state === 'starting' ? { ...one, state: 'ready' } : one));
          if (round % 3 === 1) now = now.filter(({ state }) => state !== 'ending');
        }
        expect(now.map((one) => `${one.node} ${one.hash} ${one.state}`).toSorted()).toEqual(
          all.map(({ metadata }) => `${metadata.name} new ready`),
        );
      }),
      { numRuns: sweepRuns(300, { oneIn: 8 }), seed: 1 },
    );
  });
});
