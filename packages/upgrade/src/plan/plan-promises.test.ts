import { readFile } from '../read/read-file.ts';
import { describe, expect, it } from 'vitest';
import { digest, written } from '../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../fleet/testing/snapshot-of.ts';
import { apiHistory } from '../policy/releases/api-history.ts';
import { definition } from '../policy/testing/definition.ts';
import type { PlanInput } from './input/plan-input.ts';
import { loadedOf, planOf } from './testing/plan-of.ts';

/** A plan that removes v1beta1 of IPPool; `mark` describes the version in the live CRD. */
function planned(mark: string, input: Partial<PlanInput> = {}) {
  const manifest = { name: 'crds', kind: 'crdset', uri: 'x.yaml', digest: digest(5) };
  const component = written({ id: 'x', version: { upstream: 'v1.1.0' }, artifacts: [manifest] });
  const next = definition('IPPool', ['v1 stored']);
  const bundle = { ...loadedOf([component]), contents: new Map([[digest(5), [next]]]) };
  const live = definition('IPPool', [`v1beta1 ${mark}`, 'v1 stored'], { stored: ['v1'] });
  const cluster = { name: 'c', components: [running('x', 'v1.0.0')], definitions: [live] };
  const { spec } = planOf(bundle, snapshotOf({ clusters: [cluster] }), input);
  return { outcome: spec.outcome, promises: spec.findings.filter(({ rule }) => rule.startsWith('P')) };
}

const history = (at: string) => {
  const versions = [{ crd: 'ippools.crd.antrea.io', version: 'v1beta1', deprecated: { version: 'v1.0.0', at } }];
  const file = {
    apiVersion: 'upgrade.isthmus.dev/v1alpha1',
    kind: 'ApiHistory',
    metadata: { name: 'x' },
    spec: { component: 'x', versions },
  };
  const result = readFile(apiHistory, JSON.stringify(file), 'h.json');
  if (result.kind !== 'read') throw new Error('no history');
  return result.value;
};

describe('a plan that takes a version of a CRD away', () => {
  it('is blocked where the version was never marked deprecated', () => {
    expect(planned('')).toMatchObject({
      outcome: 'blocked',
      promises: [{ rule: 'P02', severity: 'block', subject: { cluster: 'c', object: 'ippools.crd.antrea.io' } }],
    });
  });

  it('goes by the history, at the time of the snapshot', () => {
    const by = (at: string) => planned('warned', { histories: [history(at)] }).promises.map(({ severity }) => severity);
    expect(planned('warned').promises).toMatchObject([{ rule: 'P01', severity: 'warn' }]);
    expect(by('2020-01-01T00:00:00Z')).toEqual([]);
    expect(by('2099-01-01T00:00:00Z')).toEqual(['block']);
  });
});
