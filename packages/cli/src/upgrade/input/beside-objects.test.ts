import type { KubernetesObject } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import {
  foreignDocument,
  formerDefinitions,
  formerLiveDefinitions,
  isFormerDefinition,
  isPartOfDefinition,
  isTemplate,
  partOfDefinition,
  repeatedKey,
  unfollowedLink,
} from './beside-objects.ts';
import type { PlacedObject } from './placed-object.ts';

const crd = (apiVersion: string, more: object = {}) =>
  ({
    apiVersion: `apiextensions.k8s.io/${apiVersion}`,
    kind: 'CustomResourceDefinition',
    metadata: { name: 'x' },
    ...more,
  }) as KubernetesObject;
const placed = (object: KubernetesObject) => ({ object, place: 'x.yaml:1' }) as PlacedObject;

describe('a document of a folder that is not an object', () => {
  it.each<readonly [string, string | undefined, string]>([
    ['x.yaml:3: no kind', 'x.yaml:3', 'no kind'],
    ['x.yaml:3:7: no kind: at all\nand more', 'x.yaml:3', 'no kind: at all\nand more'],
    ['no kind', undefined, 'no kind'],
    ['a b.yaml:3: no kind', undefined, 'a b.yaml:3: no kind'],
  ])('%j is at %s', (problem, place, why) => {
    const found = foreignDocument(problem);
    expect([found.place, found.why]).toEqual([place, `not checked, because it is not a Kubernetes object: ${why}`]);
    expect('place' in found).toBe(place !== undefined);
  });

  it.each([
    ['a: {{ .Values.a }}', true],
    ['a: { b: {} }', false],
  ])('%s is a template: %s', (text, expected) => {
    expect(isTemplate(text)).toBe(expected);
  });

  it.each<readonly ['file' | 'folder' | 'nothing', string, string]>([
    ['file', 'a file outside the folder', 'pass the file that it leads to by its own path'],
    ['folder', 'a folder outside the folder', 'pass the folder that it leads to by its own path'],
    ['nothing', 'nothing', 'correct the link, or remove it'],
  ])('may be a link to: %s', (to, where, unblock) => {
    const link = { path: 'x', to } as Parameters<typeof unfollowedLink>[0];
    expect(unfollowedLink(link)).toMatchObject({
      rule: 'file.not-checked',
      place: 'x',
      why: `not checked, because it is a link to ${where}`,
      unblock,
    });
  });

  it('may have a key twice', () => {
    expect(repeatedKey('x.yaml', 'spec', 7)).toMatchObject({
      rule: 'file.repeated-key',
      severity: 'warn',
      place: 'x.yaml:7',
    });
  });
});

describe('a part of a CRD', () => {
  it.each<readonly [string, KubernetesObject, boolean]>([
    ['has no spec', crd('v1'), true],
    ['has a spec of another form', crd('v1', { spec: 'x' }), true],
    ['has neither group nor names', crd('v1', { spec: { versions: [] } }), true],
    ['has a group', crd('v1', { spec: { group: 'example.org' } }), false],
    ['has names', crd('v1', { spec: { names: {} } }), false],
    ['is of any version', crd('v1beta1'), true],
    ['is not of another group', { ...crd('v1'), apiVersion: 'example.org/v1' }, false],
    ['is not of another kind', { ...crd('v1'), kind: 'ConfigMap' }, false],
    ['has an API version', { kind: 'CustomResourceDefinition', metadata: { name: 'x' } }, false],
  ])('%s', (_, object, expected) => {
    expect(isPartOfDefinition(object)).toBe(expected);
  });

  it('is named, with its place', () => {
    expect(partOfDefinition(crd('v1'), 'x.yaml:1')).toMatchObject({ place: 'x.yaml:1', subject: { object: 'x' } });
  });
});

describe('a CRD of the API version that Kubernetes removed', () => {
  it.each<readonly [string, KubernetesObject, boolean]>([
    ['v1beta1', crd('v1beta1'), true],
    ['v1', crd('v1'), false],
    ['another kind', { ...crd('v1beta1'), kind: 'List' }, false],
  ])('%s', (_, object, expected) => {
    expect(isFormerDefinition(placed(object))).toBe(expected);
    expect(formerDefinitions([placed(object)])).toHaveLength(expected ? 1 : 0);
    expect(formerLiveDefinitions([placed(object)])).toHaveLength(expected ? 1 : 0);
  });

  it.each<readonly [string | undefined, 'block' | 'warn', string]>([
    [undefined, 'block', ': API servers reject it'],
    ['1.21', 'warn', ''],
    ['v1.21', 'warn', ''],
    ['1.22', 'block', ': API servers reject it'],
    ['v1.30', 'block', ': API servers reject it'],
    ['2.0', 'block', ': API servers reject it'],
  ])('is given for Kubernetes %s: %s', (server, severity, rest) => {
    expect(formerDefinitions([placed(crd('v1beta1'))], server)).toMatchObject([
      {
        severity,
        place: 'x.yaml:1',
        subject: { object: 'x' },
        why: `it is a CRD of apiextensions.k8s.io/v1beta1, which Kubernetes removed in 1.22${rest}; it is not checked`,
      },
    ]);
  });

  it('is not compared where it is live', () => {
    expect(formerLiveDefinitions([placed(crd('v1beta1'))])).toMatchObject([
      { severity: 'warn', unblock: 'pass the CRD of the API server: kubectl get crd x -o yaml' },
    ]);
  });
});
