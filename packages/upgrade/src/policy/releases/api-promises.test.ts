import { describe, expect, it } from 'vitest';
import { readFile } from '../../read/read-file.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { ApiHistory } from './api-history.ts';
import { apiHistory } from './api-history.ts';
import type { ApiPromiseContext } from './api-promises.ts';
import { apiBreaches, silentDeprecations } from './api-promises.ts';
import { monthsLater } from './deprecation-age.ts';
import { shippedPolicies } from '../shipped/shipped-policies.ts';
import { definition } from '../testing/definition.ts';

/** `version` of IPPool was deprecated with 2.0.0 on the day given. */
function history(version: string, at: string): ApiHistory {
  const deprecated = { version: 'v2.0.0', at };
  const spec = { component: 'antrea-controller', versions: [{ crd: 'ippools.crd.antrea.io', version, deprecated }] };
  const file = { apiVersion: 'upgrade.isthmus.dev/v1alpha1', kind: 'ApiHistory', metadata: { name: 'antrea' }, spec };
  const result = readFile(apiHistory, JSON.stringify(file), 'history.json');
  if (result.kind !== 'read') throw new Error(JSON.stringify(result.problems));
  return result.value;
}

const context = (more: Partial<ApiPromiseContext> = {}): ApiPromiseContext => ({
  policies: shippedPolicies(),
  histories: [],
  now: '2026-11-21T09:00:00Z',
  ...more,
});

const reported = (...[old, next, more]: [...Parameters<typeof ippools>, Partial<ApiPromiseContext>?]) => {
  const [before, after] = ippools(old, next);
  return apiBreaches(before, after, context(more)).map(({ finding }) => [finding.rule, finding.severity, finding.why]);
};

function ippools(old: readonly string[], next: readonly string[] | undefined) {
  return [definition('IPPool', old), next === undefined ? undefined : definition('IPPool', next)] as const;
}

describe('a version that is removed', () => {
  it('was never marked deprecated: block', () => {
    expect(reported(['v1beta1', 'v1 stored'], ['v1 stored'])).toEqual([
      [
        'P02',
        'block',
        'ippools.crd.antrea.io: v1beta1 is no longer served, but was never marked as deprecated (antrea.apis)',
      ],
    ]);
  });

  it.each([
    ['beta after nine months', 'v1beta1', '2026-02-21T09:00:00Z', []],
    ['beta a second before', 'v1beta1', '2026-02-21T09:00:01Z', ['P01']],
    ['GA after nine months', 'v1', '2026-02-21T09:00:00Z', ['P01']],
    ['GA after a year', 'v1', '2025-11-21T08:00:00Z', []],
  ])('stays for its time: %s', (_what, version, at, rules) => {
    const old = [`${version} deprecated`, 'v2 stored'];
    expect(reported(old, ['v2 stored'], { histories: [history(version, at)] }).map(([rule]) => rule)).toEqual(rules);
  });

  it('reports until when', () => {
    const [[, , why] = []] = reported(['v1beta1 deprecated', 'v1 stored'], ['v1 stored'], {
      histories: [history('v1beta1', '2026-05-31T00:00:00Z')],
    });
    expect(why).toContain(
      'it was deprecated with v2.0.0 on 2026-05-31 and must be kept for 9 months, until 2027-02-28',
    );
  });

  it('is only a warning where its age is unknown', () => {
    expect(reported(['v1beta1 deprecated', 'v1 stored'], ['v1 stored']).map((one) => one.slice(0, 2))).toEqual([
      ['P01', 'warn'],
    ]);
  });

  it('may go at once while it is alpha, by ceasing to be served or with its CRD', () => {
    expect(reported(['v1alpha1', 'v1alpha2 stored'], ['v1alpha1 unserved', 'v1alpha2 stored'])).toEqual([]);
    expect(reported(['v1alpha1'], undefined)).toEqual([]);
    expect(reported(['v1beta1'], undefined).map(([rule]) => rule)).toEqual(['P02']);
  });

  it('counts releases as well where the policy does, and GA for the whole major', () => {
    const ours = (name: string, to: string) => {
      const old = definition('ClusterSet', [`${name} deprecated`, 'v2 stored'], { group: 'multicluster.isthmus.dev' });
      const next = definition('ClusterSet', ['v2 stored'], { group: 'multicluster.isthmus.dev' });
      const versions = [
        { crd: old.metadata.name ?? '', version: name, deprecated: { version: 'v2.0.0', at: '2024-01-01T00:00:00Z' } },
      ];
      const histories = [{ ...history('v1', '2024-01-01T00:00:00Z'), spec: { component: 'x', versions } }];
      const release = { from: parseVersion('v2.1.0'), to: parseVersion(to) };
      return apiBreaches(old, next, context({ histories, release })).map(({ crd }) => crd.message);
    };
    expect(ours('v1beta1', 'v2.3.0')).toEqual([]);
    expect(ours('v1beta1', 'v2.2.0')).toEqual([
      'v1beta1 is no longer served: it was deprecated 2 minors ago, with v2.0.0, and must be kept for 3',
    ]);
    expect(ours('v1', 'v2.3.0')).toEqual(['v1 is no longer served; GA versions are kept for the whole major']);
  });
});

describe('a version that is deprecated', () => {
  it('is beta, has another schema and no conversion: block', () => {
    const state = ['v1beta1 deprecated other', 'v1 stored'];
    expect(reported(['v1beta1 other', 'v1 stored'], state)).toEqual([
      [
        'P03',
        'block',
        'ippools.crd.antrea.io: v1beta1 is deprecated, has another schema than v1, which is stored, and there is no conversion between them (antrea.apis)',
      ],
    ]);
    const converted = definition('IPPool', state, { webhook: true });
    expect(apiBreaches(converted, converted, context())).toEqual([]);
    expect(reported(['v1alpha1 deprecated other', 'v1 stored'], ['v1alpha1 deprecated other', 'v1 stored'])).toEqual(
      [],
    );
    expect(reported(['v1beta1 deprecated', 'v1 stored'], ['v1beta1 deprecated', 'v1 stored'])).toEqual([]);
  });

  it('was so before, and is only noted: without the upgrade it would be the same', () => {
    const state = ['v1beta1 deprecated other', 'v1 stored'];
    expect(reported(state, state)).toEqual([
      ['P03', 'info', expect.stringContaining('there is no conversion between them; this was so before')],
    ]);
    const [, fresh] = ippools(state, state);
    expect(apiBreaches(undefined, fresh, context())).toMatchObject([{ finding: { rule: 'P03', severity: 'block' } }]);
  });

  it('leaves something as stable to its users', () => {
    expect(reported(['v1 stored'], ['v1 deprecated stored', 'v2beta1'])).toMatchObject([
      ['P05', 'block', 'ippools.crd.antrea.io: v1 is deprecated in favour of the less stable v2beta1 (antrea.apis)'],
    ]);
    expect(reported(['v1 stored'], ['v1 deprecated stored', 'v2'])).toEqual([]);
    expect(reported(['v1 deprecated stored', 'v2beta1'], ['v1 deprecated stored', 'v2beta1'])).toEqual([]);
  });

  it('reports to its users what to use instead', () => {
    expect(silentDeprecations(definition('IPPool', ['v1beta1 deprecated', 'v1 stored']))).toMatchObject([
      { rule: 'D7', severity: 'warn', subject: { object: 'ippools.crd.antrea.io', path: 'v1beta1' } },
    ]);
    expect(silentDeprecations(definition('IPPool', ['v1beta1 warned', 'v1 stored']))).toEqual([]);
  });

  it('is not promised in a group that no policy names', () => {
    const old = definition('Thing', ['v1', 'v2 stored'], { group: 'example.com' });
    expect(apiBreaches(old, undefined, context())).toEqual([]);
  });
});

describe('months', () => {
  it.each([
    ['2026-01-31T00:00:00Z', 1, '2026-02-28T00:00:00.000Z'],
    ['2027-11-30T12:00:00+02:00', 3, '2028-02-29T10:00:00.000Z'],
    ['2026-05-31T00:00:00Z', 9, '2027-02-28T00:00:00.000Z'],
  ])('%s and %i more end on the last day that the month has', (at, months, end) => {
    expect(new Date(monthsLater(at, months) ?? 0).toISOString()).toBe(end);
  });
});
