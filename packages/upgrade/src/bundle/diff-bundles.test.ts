import { describe, expect, it } from 'vitest';
import { diffBundles } from './diff-bundles.ts';
import { bundleOf, digest, written } from './testing/bundle-of.ts';

const at = (id: string, upstream: string, digit = 1) => {
  const artifacts = [{ name: 'image', kind: 'image', uri: `r/${id}`, digest: digest(digit) }];
  return written({ id, version: { upstream }, artifacts });
};
const short = (from: object, to: object) =>
  diffBundles(bundleOf(from), bundleOf(to)).map(({ component, kubernetes, relation, from: before, to: after }) =>
    [component, kubernetes?.join('+') ?? 'all', relation, before ?? '-', after ?? '-'].join(' '),
  );

describe('the difference of two bundles', () => {
  it('is by component, and leaves out what is the same', () => {
    const from = {
      components: [at('gone', 'v1.0.0'), at('flux', 'v2.3.0'), at('same', 'v1.0.0'), at('drift', 'v1.0.0')],
    };
    const to = {
      components: [at('same', 'v1.0.0'), at('new', 'v1.0.0'), at('flux', 'v2.4.0', 2), at('drift', 'v1.0.0', 2)],
    };
    expect(short(from, to)).toEqual([
      'drift all content-drift v1.0.0 v1.0.0',
      'flux all minor v2.3.0 v2.4.0',
      'gone all removed v1.0.0 -',
      'new all added - v1.0.0',
    ]);
  });

  it('distinguishes what is switched off from what is missing', () => {
    const [on, off] = ['v1.0.0', 'deprecated'].map((version) => bundleOf({ components: [at('cloudstack', version)] }));
    const reasons = (from = on, to = off) => from && to && diffBundles(from, to).map(({ reason }) => reason);
    expect(reasons(on, off)).toEqual(['cloudstack v1.0.0 is switched off']);
    expect(reasons(off, on)).toEqual(['cloudstack v1.0.0 was switched off']);
    expect(reasons(on, bundleOf({ components: [] }))).toEqual(['cloudstack v1.0.0 was removed']);
  });

  it('has one row for each of two parts of one product', () => {
    const [from, to] = ['v1.6.1', 'v1.6.2'].map((version) => ({
      components: [at('capi-kubeadm-bootstrap', version), at('capi-kubeadm-control-plane', version)],
    }));
    expect(short(from ?? {}, to ?? {})).toEqual([
      'capi-kubeadm-bootstrap all patch v1.6.1 v1.6.2',
      'capi-kubeadm-control-plane all patch v1.6.1 v1.6.2',
    ]);
  });

  it('reports for which Kubernetes, where it is not the same for all', () => {
    const from = {
      components: [at('flux', 'v2.3.0')],
      perKubernetes: { '1.31': { components: [at('cilium', 'v1.1.0')] }, '1.32': {} },
    };
    const to = {
      components: [at('flux', 'v2.3.1')],
      perKubernetes: {
        '1.31': { components: [at('cilium', 'v1.2.0')] },
        '1.32': { components: [at('cilium', 'v1.2.0')] },
      },
    };
    expect(short(from, to)).toEqual([
      'cilium 1.31 minor v1.1.0 v1.2.0',
      'cilium 1.32 added - v1.2.0',
      'flux all patch v2.3.0 v2.3.1',
    ]);
  });

  it('reports the digests that differ, and artifacts that came or went', () => {
    const image = (name: string, digit: number) => ({ name, kind: 'image', uri: 'r', digest: digest(digit) });
    const flux = (...artifacts: readonly object[]) => bundleOf({ components: [written({ id: 'flux', artifacts })] });
    expect(diffBundles(flux(image('a', 1), image('b', 1)), flux(image('b', 1), image('c', 1)))).toEqual([
      {
        component: 'flux',
        relation: 'content-drift',
        order: 'equal',
        from: 'v1.0.0',
        to: 'v1.0.0',
        reason: 'the version is v1.0.0 on both sides, but only one side has a, c',
        artifacts: [
          { name: 'a', change: 'removed', from: digest(1) },
          { name: 'c', change: 'added', to: digest(1) },
        ],
      },
    ]);
    expect(diffBundles(flux(image('a', 1)), flux(image('a', 2)))[0]?.artifacts).toEqual([
      { name: 'a', change: 'changed', from: digest(1), to: digest(2) },
    ]);
  });

  it('of equal bundles is empty', () => {
    const spec = { components: [at('flux', 'v2.3.0')], perKubernetes: { '1.31': {} } };
    expect(diffBundles(bundleOf(spec), bundleOf({ ...spec, number: 8 }))).toEqual([]);
  });
});
