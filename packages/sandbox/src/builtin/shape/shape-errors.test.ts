import { describe, expect, it } from 'vitest';
import { podSpecErrors } from '../pods/pod-spec-validation.ts';
import { builtInType } from '../types/load.ts';
import { shapeErrors } from './shape-errors.ts';

const good = {
  containers: [
    { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always', ports: [], volumeMounts: [] },
  ],
};

/** The errors of a Pod's spec: type and path. */
function errorsOf(spec: object): readonly string[] {
  return podSpecErrors('spec', { ...good, ...spec }, true).map(({ type, path }) => `${type} ${path}`);
}

describe('the shape of a part', () => {
  it.each<readonly [string, object, readonly string[]]>([
    ['accepts what is complete', {}, []],
    [
      'rejects an empty required text, in a source of volumes that no rule names',
      { volumes: [{ name: 'v', nfs: { server: '', path: '/x' } }] },
      ['Required spec.volumes[0].nfs.server'],
    ],
    [
      'rejects an empty required list',
      {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      },
      ['Required spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms'],
    ],
    ['rejects a text that is not supported', { os: { name: '' } }, ['Required spec.os.name']],
    [
      'takes an empty text for none where the field is no pointer',
      { tolerations: [{ key: 'a', operator: 'Exists', effect: '' }] },
      [],
    ],
    [
      'rejects an empty text where the field is a pointer',
      { preemptionPolicy: '' },
      ['NotSupported spec.preemptionPolicy'],
    ],
    [
      'asks the rule of a part wherever it occurs',
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'z',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { 'a b': 'c' } },
          },
        ],
      },
      ['Invalid spec.topologySpreadConstraints[0].labelSelector.matchLabels'],
    ],
    [
      'leaves an empty value of a header alone',
      {
        containers: [
          {
            ...good.containers[0],
            livenessProbe: { successThreshold: 1, httpGet: { port: 80, httpHeaders: [{ name: 'A', value: '' }] } },
          },
        ],
      },
      [],
    ],
  ])('%s', (_title, spec, errors) => {
    expect(errorsOf(spec)).toEqual(errors);
  });

  it('judges any built-in kind without a rule', () => {
    const { spec } = builtInType('apps/v1', 'StatefulSet').fields;
    if (spec?.type.kind !== 'struct') throw new Error('no struct');
    const errors = shapeErrors({}, { unchecked: new Set(), order: {} })('spec', spec.type, {
      updateStrategy: { type: 'Sideways' },
      template: { spec: { containers: [] } },
    });
    expect(errors.map(({ type, path }) => `${type} ${path}`)).toEqual([
      'Required spec.template.spec.containers',
      'NotSupported spec.updateStrategy.type',
    ]);
  });
});
