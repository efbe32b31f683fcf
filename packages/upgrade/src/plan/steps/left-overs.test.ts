import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { digest, written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import type { PlanInput } from '../input/plan-input.ts';
import { plannerContext } from '../input/planner-context.ts';
import { inputOf, loadedOf, planOf } from '../testing/plan-of.ts';
import { contentReader } from './content.ts';
import { leftOverFindings, leftOvers, removalSteps, strangerFindings } from './left-overs.ts';
import type { LeftOver } from './left-overs.ts';

const made = (apiVersion: string, kind: string, name: string): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: kind === 'CustomResourceDefinition' ? { name } : { name, namespace: 'n' },
});
const claims = 'clusterclaims.example.org';
const config = made('v1', 'ConfigMap', 'config');
const old = [
  config,
  made('apiextensions.k8s.io/v1', 'CustomResourceDefinition', claims),
  made('apps/v1', 'Deployment', 'claimer'),
  made('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'hook'),
  made('v1', 'Namespace', 'n'),
];

function bundleAt(version: string, number: number, objects: readonly KubernetesObject[], more: object = {}) {
  const manifest = { name: 'manifest', kind: 'manifest', uri: 'x.yaml', digest: digest(number) };
  const component = written({ id: 'x', version: { upstream: version }, artifacts: [manifest], ...more });
  return { ...loadedOf([component], { number }), contents: new Map([[digest(number), objects]]) };
}

/** From 1.0, which brought all of `old`, to 1.1, which has the ConfigMap alone. */
function planned(input: Partial<PlanInput> = {}, cluster: object = {}) {
  const clusters = [{ name: 'c', components: [running('x', 'v1.0.0')], ...cluster }];
  const otherBundles = [bundleAt('v1.0.0', 5, old)];
  const { spec } = planOf(bundleAt('v1.1.0', 6, [config]), snapshotOf({ clusters }), { otherBundles, ...input });
  const removed = spec.steps.filter(({ kind }) => kind === 'clean-up');
  return { ...spec, removed, about: (rule: string) => spec.findings.filter((one) => one.rule === rule) };
}

describe('what the bundle does not have any more', () => {
  it('stays where its removal is not asked for, and is reported', () => {
    const { removed, about } = planned();
    expect(removed).toEqual([]);
    expect(about('plan.left-over')).toMatchObject([
      {
        severity: 'info',
        why: `the running versions contain 3 objects that the bundle does not have: Deployment n/claimer, ValidatingWebhookConfiguration n/hook, ${claims}; they are kept`,
      },
    ]);
  });

  it('does not include a CRD that is named for its removal, and that the bundle has or nobody runs: it is reported', () => {
    const { removed, about } = planned({ prune: { withObjects: [claims, 'others.example.org'] } });
    expect(removed.at(-1)?.objects).toEqual([claims]);
    expect(about('plan.prune-crd')).toMatchObject([
      {
        severity: 'warn',
        why: 'others.example.org is not removed: the bundle has it, or no cluster of this plan runs a version that contains it',
      },
    ]);
  });

  it('goes when the cluster is complete, webhooks before workloads, and CRDs without objects last', () => {
    const { removed, steps, about, pointOfNoReturn } = planned(
      { prune: { withObjects: [] } },
      { objectCounts: { [claims]: 0 } },
    );
    expect(removed.map(({ objects }) => objects)).toEqual([
      ['ValidatingWebhookConfiguration n/hook'],
      ['Deployment n/claimer'],
      [claims],
    ]);
    expect(steps.map(({ kind }) => kind)).toEqual([
      'apply-shared',
      'upgrade',
      'clean-up',
      'clean-up',
      'clean-up',
      'record',
    ]);
    expect(removed[1]?.after).toEqual([removed[0]?.id]);
    expect(removed[0]?.gates[0]?.what).toBe('Webhooks are no longer called.');
    expect(about('plan.kept')).toEqual([]);
    expect(pointOfNoReturn).toBeUndefined();
  });

  it('stays with its controller and webhooks where a CRD has objects, which need them', () => {
    const { removed, about } = planned({ prune: { withObjects: [] } }, { objectCounts: { [claims]: 3 } });
    expect(removed).toEqual([]);
    expect(about('plan.kept').map(({ severity, subject, why }) => [severity, subject.object ?? '-', why])).toEqual([
      [
        'warn',
        '-',
        expect.stringContaining('Deployment n/claimer, ValidatingWebhookConfiguration n/hook (x), and they are kept'),
      ],
      ['warn', claims, expect.stringContaining('it has 3 objects')],
    ]);
    const adviceWith = (objectCounts: Readonly<Record<string, number>>) =>
      planned({ prune: { withObjects: [] } }, { objectCounts })
        .about('plan.kept')
        .flatMap(({ subject, unblock }) => (subject.object === undefined ? [] : unblock));
    expect(adviceWith({ [claims]: 3 })).toEqual([`use --prune-crd ${claims} if its objects can be deleted`]);
    expect(adviceWith({})).toEqual([
      `take the snapshot with --object-counts, or use --prune-crd ${claims} if its objects can be deleted`,
    ]);
  });

  it('goes with the CRDs of its own release, whatever objects another one has', () => {
    const crd = (name: string) => made('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name);
    const bundleOfTwo = {
      ...loadedOf(
        ['a', 'b', 'c'].map((id, at) =>
          written({
            id,
            version: { upstream: 'v1.0.0' },
            artifacts: [{ name: 'manifest', kind: 'manifest', uri: `${id}.yaml`, digest: digest(at + 1) }],
          }),
        ),
        { number: 5 },
      ),
      contents: new Map([
        [digest(1), [crd('as.example.org'), made('apps/v1', 'Deployment', 'a')]],
        [digest(2), [crd('bs.example.org'), made('apps/v1', 'Deployment', 'b')]],
        [digest(3), [made('apps/v1', 'Deployment', 'c')]],
      ]),
    };
    const components = ['a', 'b', 'c'].map((id) => running(id, 'v1.0.0'));
    const objectCounts = { 'as.example.org': 0, 'bs.example.org': 1 };
    const { steps } = planOf(loadedOf([]), snapshotOf({ clusters: [{ name: 'k', components, objectCounts }] }), {
      otherBundles: [bundleOfTwo],
      prune: { withObjects: [] },
    }).spec;
    // The controller of b's objects may be c.
    expect(steps.filter(({ kind }) => kind === 'clean-up').flatMap(({ objects }) => objects)).toEqual([
      'Deployment n/a',
      'as.example.org',
    ]);
  });

  it('takes a CRD without objects along', () => {
    const { removed, about } = planned({ prune: { withObjects: [] } }, { objectCounts: { [claims]: 0 } });
    expect(removed.at(-1)?.objects).toEqual([claims]);
    expect(about('plan.kept')).toEqual([]);
  });

  it('takes a CRD with its objects where it is named: they are kept aside, go first, and there is no way back', () => {
    const { removed, steps, pointOfNoReturn } = planned(
      { prune: { withObjects: [claims] } },
      { objectCounts: { [claims]: 3 } },
    );
    expect(removed.map(({ objects }) => objects)).toEqual([
      [`every object of ${claims}`],
      ['ValidatingWebhookConfiguration n/hook'],
      ['Deployment n/claimer'],
      [claims],
    ]);
    expect(steps.find(({ kind }) => kind === 'backup')).toMatchObject({ objects: [claims], reversible: true });
    expect(pointOfNoReturn).toEqual({ step: removed[0]?.id, reasons: [`the objects of ${claims} are deleted`] });
  });

  it('is not known where a manifest of the target is not available', () => {
    const target = bundleAt('v1.1.0', 6, []);
    const { spec } = planOf(
      { ...target, contents: new Map() },
      snapshotOf({ clusters: [{ name: 'c', components: [running('x', 'v1.0.0')] }] }),
      {
        otherBundles: [bundleAt('v1.0.0', 5, old)],
        prune: { withObjects: [] },
      },
    );
    expect(spec.steps.map(({ kind }) => kind)).not.toContain('clean-up');
    expect(spec.notExamined).toHaveLength(1);
  });

  it('goes where a whole component is gone from the bundle, also in a cluster that has all else', () => {
    const gone = bundleAt('v1.0.0', 5, [made('apps/v1', 'Deployment', 'y')], { id: 'y' });
    const clusters = [{ name: 'c', components: [running('x', 'v1.1.0'), running('y', 'v1.0.0')] }];
    const at = (prune?: PlanInput['prune']) =>
      planOf(bundleAt('v1.1.0', 6, [config]), snapshotOf({ clusters }), { otherBundles: [gone], prune }).spec;
    expect(at()).toMatchObject({ outcome: 'up-to-date', steps: [] });
    expect(at().findings.map(({ rule, subject }) => `${rule} ${subject.component ?? ''}`.trim())).toEqual([
      'plan.left-over',
      'plan.not-in-bundle y',
    ]);
    expect(at({ withObjects: [] })).toMatchObject({
      outcome: 'ready',
      steps: [{ kind: 'clean-up', objects: ['Deployment n/y'] }],
    });
  });

  it('is left alone in clusters that are left alone, and with tools that remove what is theirs', () => {
    expect(planned({ prune: { withObjects: [] } }, { paused: true }).removed).toEqual([]);
    const helm = { method: 'helm' };
    const clusters = [{ name: 'c', components: [running('x', 'v1.0.0')] }];
    const { steps } = planOf(bundleAt('v1.1.0', 6, [config], helm), snapshotOf({ clusters }), {
      otherBundles: [bundleAt('v1.0.0', 5, old, helm)],
      prune: { withObjects: [] },
    }).spec;
    expect(steps.map(({ kind }) => kind)).not.toContain('clean-up');
  });

  it('parts of Kubernetes are not foreign to a bundle that has none', () => {
    const components = ['kube-apiserver', 'kubelet', 'kube-proxy', 'etcd'].map((id) => running(id, 'v1.34.0'));
    expect(planOf(loadedOf([]), snapshotOf({ clusters: [{ name: 'c', components }] })).spec.findings).toEqual([]);
  });
});

describe('the objects that are left over', () => {
  const later = bundleAt('v1.1.0', 6, [config]);
  const earlier = bundleAt('v1.0.0', 5, old);

  /** By cluster and unit. */
  function found(clusters: readonly object[], bundle = later, otherBundles = [earlier]) {
    const context = plannerContext(inputOf(bundle, snapshotOf({ clusters }), { otherBundles }));
    const read = contentReader([bundle, ...otherBundles], () => []);
    return leftOvers(context, read).map(({ cluster, parts }) => [
      cluster.name,
      parts.map(({ unit, objects }) => `${unit}: ${objects.map(({ metadata: { name } }) => name).join(' ')}`),
    ]);
  }
  const all = ['x: clusterclaims.example.org claimer hook'];
  const at = (version: string, more: object = {}) => ({ name: 'c', components: [running('x', version)], ...more });

  it.each<readonly [string, readonly object[], readonly unknown[]]>([
    ['in a cluster that runs the version before', [at('v1.0.0')], [['c', all]]],
    ['not where nobody has the version that runs', [at('v0.9.0')], []],
    ['not where the target runs', [at('v1.1.0')], []],
    ['not in a cluster that is left alone', [at('v1.0.0', { paused: true })], []],
    [
      'not of a component that its owner excludes',
      [{ name: 'c', components: [{ ...running('x', 'v1.0.0'), skip: 'y' }] }],
      [],
    ],
    [
      'once, where several versions run',
      [
        {
          name: 'c',
          components: [
            {
              id: 'x',
              live: [
                { version: 'v1.0.0', name: 'a' },
                { version: 'v1.0.0', name: 'b' },
              ],
            },
          ],
        },
      ],
      [['c', all]],
    ],
  ])('are found %s', (_, clusters, expected) => {
    expect(found(clusters)).toEqual(expected);
  });

  it('are found for each unit, and an object of two for the first', () => {
    const units = bundleAt('v1.0.0', 7, [made('v1', 'ConfigMap', 'one')], { id: 'y', unit: 'u' });
    const second = bundleAt('v1.0.0', 8, [made('v1', 'ConfigMap', 'one'), made('v1', 'ConfigMap', 'two')], { id: 'z' });
    const clusters = [{ name: 'c', components: [running('y', 'v1.0.0'), running('z', 'v1.0.0')] }];
    expect(found(clusters, later, [units, second])).toEqual([['c', ['u: one', 'z: two']]]);
  });
});

describe('the removal of what is left over', () => {
  const other = made('v1', 'ConfigMap', 'other');
  const claimer = made('apps/v1', 'Deployment', 'claimer');
  const definition = made('apiextensions.k8s.io/v1', 'CustomResourceDefinition', claims);

  function left(parts: LeftOver['parts'], more: object = {}): readonly LeftOver[] {
    const [cluster] = snapshotOf({ clusters: [{ name: 'c', ...more }] }).spec.clusters;
    return cluster === undefined ? [] : [{ cluster, parts }];
  }
  const release = { unit: 'x', objects: [definition, claimer] };
  const beside = { unit: 'y', objects: [other] };
  const phases = (some: readonly LeftOver[], withObjects: readonly string[]) =>
    removalSteps(some, { withObjects }).map(({ kind, objects }) => [kind, ...objects]);

  it('has no steps where nobody asks for it', () => {
    expect(removalSteps(left([release]), undefined)).toEqual([]);
  });

  it.each<readonly [string, LeftOver['parts'], object, readonly string[], readonly (readonly string[])[]]>([
    ['without CRDs', [beside], {}, [], [['clean-up', 'ConfigMap n/other']]],
    [
      'with a CRD without objects',
      [release, beside],
      { objectCounts: { [claims]: 0 } },
      [],
      [
        ['clean-up', 'Deployment n/claimer'],
        ['clean-up', 'ConfigMap n/other'],
        ['clean-up', claims],
      ],
    ],
    [
      'with a CRD with objects: nothing, as the others may clear them',
      [release, beside],
      { objectCounts: { [claims]: 2 } },
      [],
      [],
    ],
    [
      'with a CRD whose objects go too: they are saved',
      [release],
      { objectCounts: { [claims]: 2 } },
      [claims],
      [
        ['backup', claims],
        ['clean-up', `every object of ${claims}`],
        ['clean-up', 'Deployment n/claimer'],
        ['clean-up', claims],
      ],
    ],
    [
      'with a CRD that is named and has no objects: there is nothing to save',
      [release],
      { objectCounts: { [claims]: 0 } },
      [claims],
      [
        ['clean-up', 'Deployment n/claimer'],
        ['clean-up', claims],
      ],
    ],
    [
      'with a CRD that stays, beside a unit whose CRD goes',
      [
        release,
        {
          unit: 'z',
          objects: [made('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'others.example.com'), other],
        },
      ],
      { objectCounts: { [claims]: 2, 'others.example.com': 0 } },
      [],
      [
        ['clean-up', 'ConfigMap n/other'],
        ['clean-up', 'others.example.com'],
      ],
    ],
  ])('%s', (_, parts, more, withObjects, expected) => {
    expect(phases(left(parts, more), withObjects)).toEqual(expected);
  });

  it('cannot be undone from its first step on where objects go with their CRD', () => {
    const steps = removalSteps(left([release]), { withObjects: [claims] });
    expect(steps.map(({ irreversible }) => irreversible)).toEqual([
      [],
      [`the objects of ${claims} are deleted`],
      [],
      [],
    ]);
    expect(steps[1]).toMatchObject({
      title: 'Remove custom resources in c that the bundle does not have',
      gates: [{ what: 'The lists are empty: the running controller has cleared the finalizers.' }],
    });
  });

  const said = (some: readonly LeftOver[], withObjects: readonly string[]) =>
    leftOverFindings(some, { withObjects }).map(({ rule, why, unblock }) => [rule, why, unblock]);

  it('reports what stays with a CRD, and what to do', () => {
    expect(said(left([release, beside], { objectCounts: { [claims]: 2 } }), [])).toEqual([
      [
        'plan.kept',
        expect.stringContaining(`the bundle does not have ${claims}, and it is kept: `) as string,
        `use --prune-crd ${claims} if its objects can be deleted`,
      ],
      [
        'plan.kept',
        `the bundle does not have Deployment n/claimer (x), and they are kept: objects of ${claims} stay, and their controller and webhooks with them`,
        `delete these objects first, or use --prune-crd ${claims}`,
      ],
      [
        'plan.kept',
        `the bundle does not have ConfigMap n/other (y), and they are kept: objects of ${claims} stay, and their controller and webhooks with them`,
        `delete these objects first, or use --prune-crd ${claims}`,
      ],
    ]);
  });

  it('asks for a count of objects that are not counted', () => {
    expect(said(left([{ unit: 'x', objects: [definition] }]), []).map(([, , unblock]) => unblock)).toEqual([
      `take the snapshot with --object-counts, or use --prune-crd ${claims} if its objects can be deleted`,
    ]);
  });

  it.each<readonly [readonly KubernetesObject[], string]>([
    [[other], 'an object that the bundle does not have: ConfigMap n/other'],
    [[other, claimer], '2 objects that the bundle does not have: ConfigMap n/other, Deployment n/claimer'],
  ])('is offered where nobody has asked for it: %#', (objects, what) => {
    expect(
      leftOverFindings(left([{ unit: 'x', objects }]), undefined).map(({ why, unblock }) => [why, unblock]),
    ).toEqual([[`the running versions contain ${what}; they are kept`, 'use --prune to remove them']]);
  });
});

describe('components that are not in the bundle', () => {
  it.each<readonly [string, object, readonly string[]]>([
    ['of the user', { id: 'y', live: [] }, ['y: the bundle does not have y: it is not changed']],
    ['of the bundle', { id: 'x', live: [] }, []],
    ...['kube-proxy', 'kubelet', 'cloud-controller-manager', 'etcd'].map(
      (id) => [`of Kubernetes: ${id}`, { id }, []] as const,
    ),
    ['of Kubernetes by their type', { id: 'y', type: 'kubelet' }, []],
    [
      'that are named like one of Kubernetes',
      { id: 'my-kubelet' },
      ['my-kubelet: the bundle does not have my-kubelet: it is not changed'],
    ],
  ])('%s', (_, component, expected) => {
    const clusters = [{ name: 'c', components: [component] }];
    const context = plannerContext(inputOf(bundleAt('v1.1.0', 6, []), snapshotOf({ clusters })));
    expect(strangerFindings(context).map(({ subject, why }) => `${subject.component ?? ''}: ${why}`)).toEqual(expected);
  });
});
