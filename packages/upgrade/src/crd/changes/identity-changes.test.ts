import { describe, expect, it } from 'vitest';
import { viewOf } from '../definition-view.ts';
import { widgets } from '../testing/definitions.ts';
import { identityChanges } from './identity-changes.ts';

type Parts = Parameters<typeof widgets>;
const crd = (versions: readonly string[] = ['v1'], spec: Parts[1] = {}, more: Parts[2] = {}) =>
  viewOf(
    widgets(
      versions.map((name) => ({ name })),
      spec,
      more,
    ),
  );
const said = (old: ReturnType<typeof crd>, next: ReturnType<typeof crd>) =>
  identityChanges(old, next).map(({ rule, pointer, message }) => `${rule} ${pointer}: ${message}`);
const named = (names: object) => crd(['v1'], { names: { kind: 'Widget', plural: 'widgets', ...names } });

describe('the names of a CRD', () => {
  it.each<readonly [string, object, object, readonly string[]]>([
    ['that stay', { shortNames: ['wd'] }, { shortNames: ['wd'] }, []],
    [
      'that are its identity: another rule tells that',
      {},
      { kind: 'Gizmo', listKind: 'WidgetList', singular: 'widget' },
      [],
    ],
    [
      'by which it is grouped',
      { categories: ['all'] },
      {},
      ['G21 /spec/names/categories: names.categories changes from ["all"] to none'],
    ],
    [
      'that are short, and come',
      { shortNames: ['wd'] },
      { shortNames: ['wd', 'w'] },
      ['G21 /spec/names/shortNames: names.shortNames changes from ["wd"] to ["wd","w"]'],
    ],
    [
      'that are short, and go',
      { shortNames: ['wd', 'w'] },
      { shortNames: ['w', 'x'] },
      ['F36 /spec/names/shortNames: names.shortNames changes from ["wd","w"] to ["w","x"]'],
    ],
    [
      'that are short, and all go',
      { shortNames: ['wd'] },
      {},
      ['F36 /spec/names/shortNames: names.shortNames changes from ["wd"] to none'],
    ],
    [
      'of lists',
      {},
      { listKind: 'Widgets' },
      ['F36 /spec/names/listKind: names.listKind changes from "WidgetList" to "Widgets"'],
    ],
  ])('%s', (_, old, next, expected) => {
    expect(said(named(old), named(next))).toEqual(expected);
  });
});

describe('fields of the spec', () => {
  const pruned = 'G17 /spec/preserveUnknownFields: fields that no schema lists are pruned from now on';

  it.each<readonly [string, object, object, readonly string[]]>([
    ['are pruned from now on', { preserveUnknownFields: true }, {}, [pruned]],
    [
      'are pruned from now on, in so many words',
      { preserveUnknownFields: true },
      { preserveUnknownFields: false },
      [pruned],
    ],
    ['are kept from now on: the server refuses that', {}, { preserveUnknownFields: true }, []],
    ['are kept as before', { preserveUnknownFields: true }, { preserveUnknownFields: true }, []],
  ])('%s', (_, old, next, expected) => {
    expect(said(crd(['v1'], old as Parts[1]), crd(['v1'], next as Parts[1]))).toEqual(expected);
  });

  it('that no rule knows are reported', () => {
    const odd = crd();
    const next = { ...odd, definition: { ...odd.definition, spec: { ...odd.definition.spec, odd: 1 } } };
    expect(said(odd, next)).toEqual(['F36 /spec/odd: odd changes, and no rule covers it']);
  });
});

describe('the age of a CRD', () => {
  const older = (newest: string) =>
    `G24 /spec/versions: ${newest}, the newest version of the live CRD, is missing, and no version is new: this CRD is older`;

  it.each<readonly [string, readonly string[], readonly string[], readonly string[]]>([
    ['the newest version is missing', ['v1', 'v2'], ['v1'], [older('v2')]],
    ['the newest of its stage is missing', ['v1', 'v2beta1'], ['v2beta1'], [older('v1')]],
    ['an older one is missing', ['v1', 'v2'], ['v2'], []],
    ['the newest is missing, and another is new', ['v1', 'v2'], ['v1', 'v3'], []],
    ['another order', ['v1', 'v2'], ['v2', 'v1'], ['G21 /spec/versions: the versions have another order']],
    [
      'another order of those that stay',
      ['v1', 'v2', 'v3'],
      ['v4', 'v2', 'v1', 'v3'],
      ['G21 /spec/versions: the versions have another order'],
    ],
    ['the same order of those that stay', ['v1', 'v2', 'v3'], ['v4', 'v1', 'v3'], []],
  ])('%s', (_, old, next, expected) => {
    expect(said(crd(old), crd(next))).toEqual(expected);
  });
});

describe('the owners of a live CRD', () => {
  const spec = { 'f:spec': { 'f:group': {} } };
  const managed = (...entries: readonly object[]) => ({ managedFields: entries });
  const helm = { annotations: { 'meta.helm.sh/release-name': 'antrea' } };
  const flux = { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } };
  const argo = { annotations: { 'argocd.argoproj.io/tracking-id': 'apps:x/y' } };

  it.each<readonly [string, object, string | undefined]>([
    ['none', {}, undefined],
    ['one by its mark', helm, undefined],
    ['one by a mark and as a manager', { ...helm, ...managed({ manager: 'helm', fieldsV1: spec }) }, undefined],
    ['two by their marks', { ...helm, ...flux }, 'the Flux Kustomization apps and the Helm release antrea'],
    [
      'three',
      { annotations: { ...helm.annotations, ...argo.annotations }, ...flux },
      'the Argo CD application apps and the Flux Kustomization apps and the Helm release antrea',
    ],
    [
      'one by a mark, and a manager',
      { ...helm, ...managed({ manager: 'kubectl', fieldsV1: spec }) },
      'the Helm release antrea and the field manager kubectl',
    ],
    [
      'two managers',
      managed({ manager: 'b', fieldsV1: spec }, { manager: 'a', fieldsV1: spec }, { manager: 'a', fieldsV1: spec }),
      'the field manager a and the field manager b',
    ],
    [
      'a manager of no name',
      managed({ manager: 'a', fieldsV1: spec }, { fieldsV1: spec }),
      'the field manager a and the field manager unknown',
    ],
    [
      'tools without their marks',
      managed(...['helm', 'kustomize-controller', 'argocd-controller'].map((manager) => ({ manager, fieldsV1: spec }))),
      undefined,
    ],
    [
      'a manager of the status, and one of labels',
      managed(
        { manager: 'a', fieldsV1: spec },
        { manager: 'b', fieldsV1: spec, subresource: 'status' },
        { manager: 'c', fieldsV1: { 'f:metadata': {} } },
        { manager: 'd' },
      ),
      undefined,
    ],
    [
      'a manager of the conversion alone, as those of certificates',
      managed(
        { manager: 'a', fieldsV1: spec },
        { manager: 'b', fieldsV1: { 'f:spec': { 'f:conversion': {} } } },
        { manager: 'c', fieldsV1: { 'f:spec': null } },
      ),
      undefined,
    ],
    [
      'a manager of the conversion and more',
      managed(
        { manager: 'a', fieldsV1: spec },
        { manager: 'b', fieldsV1: { 'f:spec': { 'f:conversion': {}, 'f:versions': {} } } },
      ),
      'the field manager a and the field manager b',
    ],
  ])('%s', (_, metadata, owners) => {
    const live = crd(['v1'], {}, { metadata: { name: 'widgets.example.com', ...metadata } });
    const expected = owners === undefined ? [] : [`G25 /metadata: the live CRD is written by ${owners}`];
    expect(said(live, crd())).toEqual(expected);
  });
});
