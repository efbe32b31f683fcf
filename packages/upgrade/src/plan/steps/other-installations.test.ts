import { describe, expect, it } from 'vitest';
import { digest, written } from '../../bundle/testing/bundle-of.ts';
import { snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

const deployment = (name: string, namespace = 'certs') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
});

interface Case {
  /** The workloads of each instance that runs, all in the Namespace certs. */
  readonly running: readonly (readonly string[] | undefined)[];
  readonly component?: object;
  /** The Deployments of the manifest; undefined if it is not available. */
  readonly manifest?: readonly string[] | undefined;
  /** Those of the manifest of an earlier bundle. */
  readonly earlier?: readonly string[];
}

function found({ running, component = {}, manifest, earlier = [] }: Case) {
  const artifact = (byte: number) => ({ name: 'manifest', kind: 'manifest', uri: 'x.yaml', digest: digest(byte) });
  const release = (version: string, byte: number, names: readonly string[] | undefined) => ({
    ...loadedOf([written({ id: 'x', version: { upstream: version }, artifacts: [artifact(byte)], ...component })]),
    contents: new Map(names === undefined ? [] : [[digest(byte), names.map((name) => deployment(name)) as never]]),
  });
  const live = running.map((workloads, at) => ({
    version: 'v1.0.0',
    namespace: 'certs',
    name: `instance-${at}`,
    workloads,
  }));
  const { spec } = planOf(
    release('v1.1.0', 5, manifest),
    snapshotOf({ clusters: [{ name: 'a', components: [{ id: 'x', live }] }] }),
    earlier.length === 0 ? {} : { otherBundles: [release('v1.0.0', 6, earlier)] },
  );
  const about = spec.findings.filter(({ rule }) => rule === 'plan.other-installation');
  return { outcome: spec.outcome, found: about.map(({ why }) => why) };
}

describe('a component with workloads that the bundle does not have, in the Namespace of the bundle', () => {
  it('blocks if others of its workloads are in the bundle: a second installation would stay at its version', () => {
    const why =
      'in Namespace certs, x also runs as second, second-webhook, which the bundle does not have: this installation would not be upgraded, and both would share the CRDs of the bundle';
    expect(found({ running: [['x'], ['second'], ['second-webhook']], manifest: ['x'] })).toEqual({
      outcome: 'blocked',
      found: [why],
    });
    expect(found({ running: [['second', 'second-webhook', 'x']], manifest: ['x'] }).found).toEqual([why]);
  });

  it('blocks if none of its workloads is in the bundle: it would be installed a second time', () => {
    expect(found({ running: [['second']], manifest: ['x'] })).toEqual({
      outcome: 'blocked',
      found: [
        'in Namespace certs, x runs as second, but the bundle has it as x: it would be installed a second time, and the running installation would not be upgraded',
      ],
    });
  });

  it('is upgraded if an earlier bundle has them: they are left over, and reported as such', () => {
    expect(found({ running: [['x', 'former']], manifest: ['x'], earlier: ['x', 'former'] }).found).toEqual([]);
  });

  it('is upgraded if the names are the same, if either side does not know them, and by a tool that finds its installation itself', () => {
    expect(found({ running: [['x']], manifest: ['x', 'new'] })).toEqual({ outcome: 'ready', found: [] });
    expect(found({ running: [undefined], manifest: ['x'] }).found).toEqual([]);
    expect(found({ running: [['second']] }).found).toEqual([]);
    expect(found({ running: [['second']], manifest: [] }).found).toEqual([]);
    expect(found({ running: [['second']], manifest: ['x'], component: { method: 'helm' } }).found).toEqual([]);
  });
});
