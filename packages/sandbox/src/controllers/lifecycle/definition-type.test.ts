import { describe, expect, it } from 'vitest';
import type { Definition } from './definition-type.ts';
import { typeOfDefinition } from './definition-type.ts';

const version = (name: string, served: boolean, storage: boolean) => ({ name, served, storage });
const established = { conditions: [{ type: 'Established', status: 'True' }] };
const definition = (versions: Definition['spec']['versions'], more: Partial<Definition> = {}): Definition => ({
  metadata: { name: 'things.example.io' },
  spec: { group: 'example.io', scope: 'Namespaced', names: { kind: 'Thing', plural: 'things' }, versions },
  status: established,
  ...more,
});

describe('the resource of a CRD', () => {
  it('is its kind in the version that is stored', () => {
    expect(typeOfDefinition(definition([version('v1', true, false), version('v2', true, true)]))).toEqual({
      group: 'example.io',
      version: 'v2',
      kind: 'Thing',
      plural: 'things',
      namespaced: true,
    });
  });

  it.each([
    ['the first served version, if the stored one is not served', ['v2', false, true], {}, 'v1'],
    ['nothing, if no version is served', ['v2', false, true], { only: true }, undefined],
    ['nothing before it is established', ['v2', true, true], { status: {} }, undefined],
    [
      'nothing if its names conflict',
      ['v2', true, true],
      { status: { conditions: [{ type: 'Established', status: 'False' }] } },
      undefined,
    ],
    [
      'nothing while it is deleted',
      ['v2', true, true],
      { metadata: { name: 'things.example.io', deletionTimestamp: '2026-11-21T00:00:00Z' } },
      undefined,
    ],
  ] as const)(
    'is %s',
    (_, [name, served, storage], { only, ...more }: { only?: boolean } & Partial<Definition>, is) => {
      const versions = [...(only === true ? [] : [version('v1', true, false)]), version(name, served, storage)];
      expect(typeOfDefinition(definition(versions, more))?.version).toBe(is);
    },
  );

  it('is not namespaced if its scope is the cluster', () => {
    const { spec } = definition([version('v1', true, true)]);
    expect(typeOfDefinition(definition([], { spec: { ...spec, scope: 'Cluster' } }))?.namespaced).toBe(false);
  });
});
