import { describe, expect, it } from 'vitest';
import type { Deployment, PodTemplate, ReplicaSet } from '../kinds.ts';
import { beyondHistory, byAge, hasTemplateOf, newReplicaSet, scalingNote } from './deployment-sets.ts';
import { templateHash, templateHashLabel } from './template.ts';

const template: PodTemplate = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } };
const deployment = (more: Partial<Deployment> = {}): Deployment => ({
  metadata: { name: 'web', namespace: 'shop', uid: 'd', annotations: { team: 'a' } },
  spec: { replicas: 4, selector: { matchLabels: { app: 'web' } }, template },
  ...more,
});

interface SetFacts {
  readonly revision?: number;
  readonly wanted?: number;
  readonly pods?: number;
  readonly created?: string;
}

function set(name: string, { revision, wanted = 0, pods = wanted, created }: SetFacts = {}): ReplicaSet {
  const annotations = revision === undefined ? {} : { 'deployment.kubernetes.io/revision': String(revision) };
  return {
    metadata: { name, annotations, ...(created !== undefined && { creationTimestamp: created }) },
    spec: { replicas: wanted, selector: {}, template: {} },
    status: { replicas: pods },
  };
}

const names = (sets: readonly ReplicaSet[]) => sets.map(({ metadata }) => metadata.name);
const hash = (salt?: number) => templateHash({ ...template, metadata: { labels: { app: 'web' } } }, salt);

describe('the ReplicaSet of a new template', () => {
  it('has the template and the selector with the hash, the size, the annotations and the owner', () => {
    const labels = { app: 'web', [templateHashLabel]: hash() };
    expect(newReplicaSet(deployment(), [])).toEqual({
      metadata: {
        name: `web-${hash()}`,
        namespace: 'shop',
        labels,
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'web',
            uid: 'd',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
        annotations: {
          team: 'a',
          'deployment.kubernetes.io/revision': '1',
          'deployment.kubernetes.io/desired-replicas': '4',
          'deployment.kubernetes.io/max-replicas': '5',
        },
      },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { ...template, metadata: { labels } },
      },
    });
  });

  it.each([
    ['no others', {}, [], hash(), '1', 4],
    ['others of revisions 2 and 7', {}, [set('a', { revision: 7 }), set('b', { revision: 2 })], hash(), '8', 4],
    ['Pods of others, within the surge', {}, [set('a', { revision: 1, wanted: 4 })], hash(), '2', 1],
    ['its name taken', {}, [set(`web-${hash()}`)], hash(1), '1', 4],
    ['a collision before', { status: { collisionCount: 2 } }, [], hash(2), '1', 4],
  ])('with %s', (_, more, others, suffix, revision, replicas) => {
    const made = newReplicaSet(deployment(more), others);
    expect([
      made.metadata.name,
      made.metadata.annotations?.['deployment.kubernetes.io/revision'],
      made.spec?.replicas,
    ]).toEqual([`web-${suffix}`, revision, replicas]);
  });
});

describe('the ReplicaSets of a Deployment', () => {
  it.each([
    ['the same template', template, true],
    [
      'the same template with its hash label',
      { ...template, metadata: { labels: { app: 'web', [templateHashLabel]: 'x' } } },
      true,
    ],
    ['another label', { ...template, metadata: { labels: { app: 'api' } } }, false],
    ['another spec', { ...template, spec: { containers: [{ name: 'a' }] } }, false],
  ])('with %s are the present one: %s', (_, theirs, isPresent) => {
    const one: ReplicaSet = { metadata: { name: 'a' }, spec: { replicas: 1, selector: {}, template: theirs } };
    expect(hasTemplateOf(deployment())(one)).toBe(isPresent);
  });

  it('are sorted by age, those of one second by name', () => {
    const sets = [
      set('b', { created: '2026-11-21T00:00:01Z' }),
      set('c', { created: '2026-11-21T00:00:00Z' }),
      set('a', { created: '2026-11-21T00:00:01Z' }),
    ];
    expect(names(sets.toSorted(byAge))).toEqual(['c', 'a', 'b']);
  });

  it.each([
    [3, []],
    [2, ['one']],
    [1, ['one', 'two']],
    [0, ['one', 'two']],
  ])('beyond a history of %i are %j: those without Pods, the oldest revisions first', (limit, beyond) => {
    const busy = set('busy', { revision: 0, wanted: 1 });
    const old = [set('two', { revision: 2 }), busy, set('one', { revision: 1 })];
    expect(names(beyondHistory(old, limit))).toEqual(beyond);
  });

  it('keep their place in the history while Pods of them are ending', () => {
    expect(beyondHistory([set('ending', { revision: 1, wanted: 0, pods: 1 })], 0)).toEqual([]);
  });

  it.each([
    [0, 3, 'Scaled up replica set web-1 from 0 to 3'],
    [3, 1, 'Scaled down replica set web-1 from 3 to 1'],
  ])('that are scaled from %i to %i are reported', (from, to, message) => {
    expect(scalingNote(set('web-1'), to, from)).toEqual({ reason: 'ScalingReplicaSet', message });
  });
});
