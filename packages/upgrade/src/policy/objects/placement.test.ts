import { describe, expect, it } from 'vitest';
import type { PlacementContext } from './placement.ts';
import { placementFindings } from './placement.ts';
import { shippedPolicies } from '../shipped/shipped-policies.ts';
import { definition } from '../testing/definition.ts';

const policies = shippedPolicies();
const x = definition('X', ['v1alpha1']);
const y = definition('Y', ['v1alpha2']);

function reported(definitions: Parameters<typeof placementFindings>[0], more: Partial<PlacementContext> = {}) {
  const existing = new Set(['xs.crd.antrea.io', 'ys.crd.antrea.io']);
  return placementFindings(definitions, { policies, existing, ...more }).map(({ severity, why }) => [severity, why]);
}

describe('the version of a new CRD', () => {
  it('v1alpha1 with a type of v1alpha2 is an error, v1alpha2 is accepted', () => {
    const dependsOn = 'v1alpha1/X, v1alpha2/Y';
    expect(reported([x, y, definition('New', ['v1alpha1'], { dependsOn })])).toEqual([
      ['block', 'news.crd.antrea.io is in v1alpha1 and refers to Y, which is in the higher v1alpha2'],
    ]);
    expect(reported([x, y, definition('New', ['v1alpha2'], { dependsOn })])).toEqual([]);
  });

  it.each([
    ['v1alpha3', 'info'],
    ['v1beta1', 'info'],
    ['v1', 'info'],
  ])('may be higher than need be, %s, and is reported', (version, severity) => {
    expect(reported([x, y, definition('New', [version], { dependsOn: 'v1alpha2/Y' })])).toMatchObject([
      [severity, expect.any(String)],
    ]);
  });

  it('counts v1alpha10 above v1alpha9, and beta above any alpha', () => {
    const ten = definition('Y', ['v1alpha10']);
    const beta = definition('X', ['v1beta1']);
    expect(reported([ten, definition('New', ['v1alpha9'], { dependsOn: 'v1alpha10/Y' })])[0]?.[0]).toBe('block');
    expect(reported([beta, definition('New', ['v1alpha10'], { dependsOn: 'v1beta1/X' })])[0]?.[0]).toBe('block');
  });

  it('is v1alpha1 or v1beta1 without dependencies', () => {
    expect(reported([definition('New', ['v1alpha1'])])).toEqual([]);
    expect(reported([definition('New', ['v1beta1'])])).toEqual([]);
    expect(reported([definition('New', ['v1'])])).toEqual([
      ['warn', 'news.crd.antrea.io refers to no type of its group and is in v1; usually that is v1alpha1 or v1beta1'],
    ]);
  });

  it('takes dependencies from a file as well, and leaves other groups alone', () => {
    const next = definition('New', ['v1alpha1']);
    expect(reported([y, next], { dependsOn: { 'news.crd.antrea.io': ['crd.antrea.io/v1alpha2/Y'] } })[0]?.[0]).toBe(
      'block',
    );
    expect(reported([next], { dependsOn: { 'news.crd.antrea.io': ['example.com/v9/Z'] } })).toEqual([]);
    expect(reported([definition('New', ['v9'], { group: 'example.com' })])).toEqual([]);
  });

  it('names dependencies that cannot be read, and types that are not there', () => {
    expect(reported([definition('New', ['v1alpha2'], { dependsOn: 'Y, v1alpha2/Z' })])).toEqual([
      ['block', 'news.crd.antrea.io names "Y", which is not version/Kind or group/version/Kind'],
      ['warn', 'news.crd.antrea.io refers to v1alpha2/Z, which is not among these definitions'],
    ]);
  });

  it('is drawn where types refer to each other in a circle', () => {
    const a = definition('A', ['v1alpha1'], { dependsOn: 'v1alpha1/B' });
    const b = definition('B', ['v1alpha1'], { dependsOn: 'v1alpha1/C,v1alpha1/B' });
    const c = definition('C', ['v1alpha1'], { dependsOn: 'v1alpha1/A' });
    expect(reported([a, b, c])).toEqual([['block', 'types have circular references: A → B → C → A']]);
  });
});
