import { describe, expect, it } from 'vitest';
import {
  componentsFor,
  fullVersion,
  isDisabled,
  kubernetesMinors,
  kubernetesProblem,
  placedComponents,
  revisionOf,
} from './components-of.ts';
import { bundleOf, componentOf, digest, written } from './testing/bundle-of.ts';

const bundle = bundleOf({
  components: [
    written({ id: 'cilium' }),
    written({ id: 'cert-manager' }),
    written({ id: 'cloudstack', version: { upstream: 'deprecated' } }),
  ],
  perKubernetes: {
    '1.9': {},
    '1.31': { components: [written({ id: 'cilium', version: { upstream: 'v1.1.0' } }), written({ id: 'etcd' })] },
  },
});

describe('the components of a bundle', () => {
  it('are by id, and for a minor of Kubernetes those of that minor in their place or beside them', () => {
    const shown = (minor?: string) => componentsFor(bundle, minor).map((one) => `${one.id} ${fullVersion(one)}`);
    expect(shown()).toEqual(['cert-manager v1.0.0', 'cilium v1.0.0']);
    expect(shown('1.9')).toEqual(['cert-manager v1.0.0', 'cilium v1.0.0']);
    expect(shown('1.31')).toEqual(['cert-manager v1.0.0', 'cilium v1.1.0', 'etcd v1.0.0']);
    expect(shown('constructor')).toEqual(shown());
  });

  it('for a Kubernetes that the bundle does not name are rejected with its name and number', () => {
    expect(kubernetesProblem(bundle, '1.35')).toBe(
      'Kubernetes 1.35 is not in the bundle bundle-7 (number 7); it has 1.9, 1.31',
    );
    expect(kubernetesProblem(bundle, '1.31')).toBeUndefined();
    expect(kubernetesProblem(bundleOf({}), '1.35')).toBeUndefined();
    expect(kubernetesMinors(bundle)).toEqual(['1.9', '1.31']);
  });

  it('know their place in the file', () => {
    expect(placedComponents(bundle).map(({ path }) => path)).toEqual([
      'spec.components[0]',
      'spec.components[1]',
      'spec.components[2]',
      'spec.perKubernetes[1.31].components[0]',
      'spec.perKubernetes[1.31].components[1]',
    ]);
  });
});

describe('a component', () => {
  it.each([
    ['deprecated', true],
    ['<version>', true],
    ['v1.0.0', false],
  ])('of version %s is switched off: %s', (upstream, expected) => {
    expect(isDisabled(componentOf({ id: 'a', version: { upstream } }))).toBe(expected);
  });

  it('is switched off where a location is a placeholder', () => {
    const artifacts = [{ name: 'x', kind: 'image', uri: '<registry>' }];
    expect(isDisabled(componentOf({ id: 'a', artifacts }))).toBe(true);
  });

  it('has a revision of its upstream version, its build, its sequence and its digests', () => {
    const version = { upstream: 'v0.19.0-dev+build.170', build: '6a04c21', sequence: 170 };
    expect(revisionOf(componentOf({ id: 'a', version }))).toMatchObject({
      version: { text: 'v0.19.0-dev+build.170+6a04c21', build: 'build.170+6a04c21' },
      digests: { image: digest(1) },
      sequence: 170,
    });
  });
});
