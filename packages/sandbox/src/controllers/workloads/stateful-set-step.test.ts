import { sweepRuns } from '@isthmus/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod, StatefulSet } from '../kinds.ts';
import type { StatefulSetStep } from './stateful-set-step.ts';
import { decideStatefulSet, ordinalOf } from './stateful-set-step.ts';

interface LivePod {
  readonly ordinal: number;
  readonly revision: string;
  readonly state: 'starting' | 'ready' | 'ending' | 'failed';
}

const since = '2026-11-21T10:00:00Z';
const nowMs = Date.parse(since);

function podOf({ ordinal, revision, state }: LivePod): Pod {
  const isReady = state === 'ready';
  return {
    metadata: {
      name: `db-${ordinal}`,
      namespace: 'a',
      labels: { 'controller-revision-hash': revision },
      ...(state === 'ending' && { deletionTimestamp: since }),
    },
    status: {
      phase: state === 'failed' ? 'Failed' : 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: since }],
    },
  };
}

type Spec = Partial<NonNullable<StatefulSet['spec']>>;

function next(spec: Spec, live: readonly LivePod[]): StatefulSetStep {
  const set: StatefulSet = { metadata: { name: 'db', namespace: 'a' }, spec: { selector: {}, template: {}, ...spec } };
  return decideStatefulSet({ set, pods: live.map(podOf), current: 'v1', update: 'v2', nowMs });
}

const shown = (spec: Spec, live: readonly LivePod[]) => {
  const step = next(spec, live);
  return {
    create: step.create.map(({ ordinal, revision }) => `${ordinal} ${revision}`),
    delete: step.delete.map(ordinalOf),
  };
};

const pod = (ordinal: number, revision = 'v2', state: LivePod['state'] = 'ready'): LivePod => ({
  ordinal,
  revision,
  state,
});

describe('the next step of a StatefulSet', () => {
  it.each<readonly [string, Spec, readonly LivePod[], object]>([
    ['makes the first Pod first', { replicas: 3 }, [], { create: ['0 v2'], delete: [] }],
    ['waits for it', { replicas: 3 }, [pod(0, 'v2', 'starting')], { create: [], delete: [] }],
    ['makes the second when the first is ready', { replicas: 3 }, [pod(0)], { create: ['1 v2'], delete: [] }],
    [
      'makes all at once where the policy is Parallel',
      { replicas: 3, podManagementPolicy: 'Parallel' },
      [],
      { create: ['0 v2', '1 v2', '2 v2'], delete: [] },
    ],
    [
      'counts from where the ordinals start',
      { replicas: 2, ordinals: { start: 5 } },
      [pod(5)],
      { create: ['6 v2'], delete: [] },
    ],
    ['replaces a Pod that has failed', { replicas: 2 }, [pod(0, 'v2', 'failed'), pod(1)], { create: [], delete: [0] }],
    ['takes the last one away first', { replicas: 1 }, [pod(0), pod(1), pod(2)], { create: [], delete: [2] }],
    [
      'takes no other away while one is ending',
      { replicas: 1 },
      [pod(0), pod(1), pod(2, 'v2', 'ending')],
      { create: [], delete: [] },
    ],
    [
      'takes all away at once where the policy is Parallel',
      { replicas: 1, podManagementPolicy: 'Parallel' },
      [pod(0), pod(1), pod(2)],
      { create: [], delete: [2, 1] },
    ],
    ['updates from the last one', { replicas: 2 }, [pod(0, 'v1'), pod(1, 'v1')], { create: [], delete: [1] }],
    [
      'updates the next one when the last is ready',
      { replicas: 2 },
      [pod(0, 'v1'), pod(1)],
      { create: [], delete: [0] },
    ],
    [
      'updates no other before an updated one is ready, also where the policy is Parallel',
      { replicas: 2, podManagementPolicy: 'Parallel' },
      [pod(0, 'v1'), pod(1, 'v2', 'starting')],
      { create: [], delete: [] },
    ],
    [
      'updates no other while one is ending, also where the policy is Parallel',
      { replicas: 2, podManagementPolicy: 'Parallel' },
      [pod(0, 'v1'), pod(1, 'v1', 'ending')],
      { create: [], delete: [] },
    ],
    [
      'leaves what is below the partition, and makes it of the old template',
      { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
      [pod(0, 'v1'), pod(2)],
      { create: ['1 v1'], delete: [] },
    ],
    [
      'updates nothing by itself with OnDelete',
      { replicas: 2, updateStrategy: { type: 'OnDelete' } },
      [pod(0, 'v1'), pod(1, 'v1')],
      { create: [], delete: [] },
    ],
  ])('%s', (_, spec, live, step) => {
    expect(shown(spec, live)).toEqual(step);
  });

  it('waits until a Pod has been ready for minReadySeconds', () => {
    expect(shown({ replicas: 2, minReadySeconds: 1 }, [pod(0)])).toEqual({ create: [], delete: [] });
  });
});

describe('any StatefulSet', () => {
  const state = fc.constantFrom('starting', 'ready', 'ending', 'failed');
  const revision = fc.constantFrom('v1', 'v2');
  const pods: fc.Arbitrary<readonly LivePod[]> = fc.uniqueArray(fc.record({ ordinal: fc.nat(7), revision, state }), {
    selector: ({ ordinal }) => ordinal,
  });
  const settled = fc.uniqueArray(fc.record({ ordinal: fc.nat(7), revision, state: fc.constant('ready' as const) }), {
    selector: ({ ordinal }) => ordinal,
  });
  const spec = fc.record({
    replicas: fc.nat(6),
    podManagementPolicy: fc.constantFrom('OrderedReady', 'Parallel'),
    updateStrategy: fc.record({ rollingUpdate: fc.record({ partition: fc.nat(6) }) }),
  });

  it('has as many Pods as wanted in the end, those from the partition on of the new template', () => {
    fc.assert(
      fc.property(spec, pods, (given, live) => {
        let now: readonly LivePod[] = live;
        for (let round = 0; round < 100; round++) now = settle(carryOut(now, next(given, now)));
        const { replicas, updateStrategy } = given;
        expect(now.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: replicas }, (_, at) => at),
        );
        const updated = now.filter(({ ordinal }) => ordinal >= updateStrategy.rollingUpdate.partition);
        expect(updated.filter((one) => one.revision !== 'v2')).toEqual([]);
      }),
      { numRuns: sweepRuns(300, { oneIn: 8 }), seed: 1 },
    );
  });

  it('touches one Pod at a time where the policy is OrderedReady, and none while another is on its way', () => {
    const ordered = spec.map((given) => ({ ...given, podManagementPolicy: 'OrderedReady' }));
    fc.assert(
      fc.property(ordered, settled, (given, live) => {
        let now: readonly LivePod[] = live;
        for (let round = 0; round < 100; round++) {
          const step = next(given, now);
          expect(step.create.length + step.delete.length).toBeLessThanOrEqual(1);
          const onTheWay = now.filter((one) => one.state !== 'ready').length;
          if (onTheWay > 0) expect(step).toEqual({ create: [], delete: [] });
          // Every other round nothing moves but the controller.
          now = carryOut(now, step);
          if (round % 2 === 1) now = settle(now);
        }
      }),
      { numRuns: sweepRuns(300, { oneIn: 8 }), seed: 2 },
    );
  });

  function carryOut(live: readonly LivePod[], step: StatefulSetStep): readonly LivePod[] {
    const going = new Set(step.delete.map(ordinalOf));
    const made = step.create.map(({ ordinal, revision: of }) => pod(ordinal, of, 'starting'));
    return [...live.map((one) => (going.has(one.ordinal) ? { ...one, state: 'ending' as const } : one)), ...made];
  }
  function settle(live: readonly LivePod[]): LivePod[] {
    return live
      .filter((one) => one.state !== 'ending')
      .map((one) => (one.state === 'starting' ? { ...one, state: 'ready' } : one));
  }
});
