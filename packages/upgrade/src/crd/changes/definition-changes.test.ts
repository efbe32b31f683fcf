import type { JsonSchema } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import { viewOf } from '../definition-view.ts';
import { schemaWith, widgets } from '../testing/definitions.ts';
import type { VersionParts } from '../testing/definitions.ts';
import { definitionChanges } from './definition-changes.ts';

const text: JsonSchema = { type: 'string' };
/** A version that is served and, as the first one, stored; with fields of its spec by name. */
const v = (name: string, fields: readonly string[] = ['a'], more: object = {}): VersionParts => ({
  name,
  schema: schemaWith(Object.fromEntries(fields.map((field) => [field, text]))),
  ...more,
});
const off = { served: false };

interface Given {
  readonly versions: readonly VersionParts[];
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly stored?: readonly string[];
}
const crd = ({ versions, spec, stored }: Given) =>
  viewOf(widgets(versions, spec, stored === undefined ? {} : { status: { storedVersions: stored } }));
const changes = (old: Given, next: Given) => definitionChanges(crd(old), crd(next));
const said = (old: Given, next: Given, ...rules: readonly string[]) =>
  changes(old, next)
    .filter(({ rule }) => rules.length === 0 || rules.includes(rule))
    .map(({ rule, severity, version = '', message }) =>
      [rule, severity, version].filter(Boolean).join(' ').concat(`: ${message}`),
    );
const of = (...versions: readonly VersionParts[]): Given => ({ versions });

it('nothing of a CRD as it was', () => {
  expect(said(of(v('v1'), v('v2')), of(v('v1'), v('v2')))).toEqual([]);
});

describe('the versions of a CRD', () => {
  it.each<readonly [string, Given, Given, readonly string[]]>([
    [
      'one is no longer served',
      of(v('v1'), v('v2')),
      of(v('v1'), v('v2', ['a'], off)),
      ['G07 v2: v2 is no longer served: clients and manifests that use it break'],
    ],
    [
      'one is removed',
      of(v('v1'), v('v2')),
      of(v('v1')),
      ['G07 v2: v2 is removed: clients and manifests that use it break'],
    ],
    [
      'one that was not served is removed',
      of(v('v1'), v('v2', ['a'], off)),
      of(v('v1')),
      ['G21 v2: v2, which was not served, is removed'],
    ],
    ['one is new', of(v('v1')), of(v('v1'), v('v2')), ['F37 v2: v2 is now served']],
    ['one is served again', of(v('v1'), v('v2', ['a'], off)), of(v('v1'), v('v2')), ['F37 v2: v2 is now served']],
    [
      'one is new and not served',
      of(v('v1')),
      of(v('v1'), v('v2', ['a'], off)),
      ['F37 v2: v2 is new and not served yet'],
    ],
  ])('%s', (_, old, next, expected) => {
    expect(said(old, next, 'G07', 'G21', 'F37')).toEqual(expected);
  });

  it.each<readonly [string, Given, object]>([
    [
      'that stays',
      of(v('v1'), v('v2', ['a'], off)),
      {
        pointer: '/spec/versions/1/served',
        old: true,
        new: false,
        hint: 'Deprecate v2 first, and move manifests, clients and managed fields to v1.',
      },
    ],
    ['that goes', of(v('v1')), { pointer: '/spec/versions', old: 'v2' }],
    [
      'where none is served',
      of(v('v1', ['a'], off), v('v2', ['a'], off)),
      { hint: 'Deprecate v2 first, and move manifests, clients and managed fields to a served version.' },
    ],
  ])('the place of one that is no longer served: %s', (_, next, expected) => {
    const found = changes(of(v('v1'), v('v2')), next).find(({ rule, version }) => rule === 'G07' && version === 'v2');
    expect(found).toMatchObject(expected);
  });
});

describe('the storage version', () => {
  const stored = 'objects are stored in v2, no longer in v1';

  it.each<readonly [string, Given, Given, readonly string[]]>([
    ['stays', of(v('v1'), v('v2')), of(v('v1'), v('v2')), []],
    ['changes', of(v('v1'), v('v2')), of(v('v2'), v('v1')), [`G08 v2: ${stored}`]],
    [
      'is removed',
      of(v('v1'), v('v2')),
      of(v('v2')),
      [
        'G06 v1: v1, in which objects are stored now, is removed: they cannot be rewritten in one step',
        `G08 v2: ${stored}`,
      ],
    ],
    [
      'becomes one that was not served',
      of(v('v1'), v('v2', ['a'], off)),
      of(v('v2'), v('v1')),
      [
        `G08 v2: ${stored}`,
        'G09 v2: objects are stored in v2, which the live CRD does not serve: once one is, the live CRD cannot be applied again',
      ],
    ],
    [
      'loses fields of the one before',
      of(v('v1', ['a', 'b']), v('v2')),
      of(v('v2'), v('v1', ['a', 'b'])),
      [
        `G08 v2: ${stored}`,
        'G10 v2: conversion from v1 to v2 changes only the apiVersion, and the next write prunes what v2 does not have: spec.b',
      ],
    ],
    [
      'loses many fields: five are named',
      of(v('v1', ['a', 'b', 'c', 'd', 'e', 'f', 'g']), v('v2')),
      of(v('v2'), v('v1', ['a', 'b', 'c', 'd', 'e', 'f', 'g'])),
      [
        `G08 v2: ${stored}`,
        'G10 v2: conversion from v1 to v2 changes only the apiVersion, and the next write prunes what v2 does not have: spec.b, spec.c, spec.d, spec.e, spec.f and 1 more',
      ],
    ],
    ['is not the only one', { versions: [v('v1'), v('v2', ['a'], { storage: true })] }, of(v('v2')), []],
  ])('%s', (_, old, next, expected) => {
    expect(said(old, next, 'G06', 'G08', 'G09', 'G10')).toEqual(expected);
  });

  const webhook = (name = 'hook') => ({
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace: 'n', name } },
        conversionReviewVersions: ['v1'],
      },
    },
  });

  it('loses nothing where a webhook converts', () => {
    const old = { versions: [v('v1', ['a', 'b']), v('v2')], spec: webhook() };
    const next = { versions: [v('v2'), v('v1', ['a', 'b'])], spec: webhook() };
    expect(said(old, next, 'G08', 'G10', 'G27')).toEqual([`G08 v2: ${stored}`]);
  });

  const pruned = (version: string, storage: string, fields: string) =>
    `G27 ${version}: objects are stored in ${storage}, and what is written at ${version} is pruned of what ${storage} does not have: ${fields}`;
  it.each<readonly [string, Given, Given, readonly string[]]>([
    ['lacks fields of a new version', of(v('v1')), of(v('v1'), v('v2', ['a', 'b'])), [pruned('v2', 'v1', 'spec.b')]],
    ['lacks no field of it', of(v('v1', ['a', 'b'])), of(v('v1', ['a', 'b']), v('v2')), []],
    ['lacked these before', of(v('v1'), v('v2', ['a', 'b'])), of(v('v1'), v('v2', ['a', 'b'])), []],
    [
      'lacked some of these before',
      of(v('v1'), v('v2', ['a', 'b'])),
      of(v('v1'), v('v2', ['a', 'b', 'c'])),
      [pruned('v2', 'v1', 'spec.c')],
    ],
    [
      'lacks fields of one that was not served before',
      of(v('v1'), v('v2', ['a', 'b'], off)),
      of(v('v1'), v('v2', ['a', 'b'])),
      [pruned('v2', 'v1', 'spec.b')],
    ],
    ['lacks fields of one that is not served', of(v('v1')), of(v('v1'), v('v2', ['a', 'b'], off)), []],
    ['is preferred to it: both are compared field by field', of(v('v2')), of(v('v2'), v('v1', ['a', 'b'])), []],
    [
      'is preferred to it, and not served',
      of(v('v2')),
      of(v('v2', ['a'], off), v('v1', ['a', 'b'])),
      [pruned('v1', 'v2', 'spec.b')],
    ],
    ['was another one: the rule of that one tells it', of(v('v2', ['a', 'b'])), of(v('v1'), v('v2', ['a', 'b'])), []],
    [
      'lacks fields that a webhook kept',
      { versions: [v('v1'), v('v2', ['a', 'b'])], spec: webhook() },
      of(v('v1'), v('v2', ['a', 'b'])),
      [pruned('v2', 'v1', 'spec.b')],
    ],
  ])('%s', (_, old, next, expected) => {
    expect(said(old, next, 'G27')).toEqual(expected);
  });

  const same =
    'objects are no longer converted by a webhook; the schemas of the served and stored versions are the same';
  const differ =
    'objects are no longer converted by a webhook, but the schemas of the served and stored versions differ';
  it.each<readonly [string, Given, Given, readonly string[]]>([
    ['none, as before', of(v('v1')), of(v('v1')), []],
    ['a webhook', of(v('v1')), { ...of(v('v1')), spec: webhook() }, ['G11: a webhook converts objects from now on']],
    [
      'another webhook',
      { ...of(v('v1')), spec: webhook() },
      { ...of(v('v1')), spec: webhook('other') },
      ['G11: the conversion webhook or the way it is called changes'],
    ],
    ['no webhook any more', { ...of(v('v1'), v('v2')), spec: webhook() }, of(v('v1'), v('v2')), [`G12 I: ${same}`]],
    [
      'no webhook between versions that differ',
      { ...of(v('v1'), v('v2', ['b'])), spec: webhook() },
      of(v('v1'), v('v2', ['b'])),
      [`G12: ${differ}`],
    ],
    [
      'no webhook, and one that differs is not served; whether it is stored is not known',
      { ...of(v('v1'), v('v2', ['b'])), spec: webhook() },
      of(v('v1'), v('v2', ['b'], off)),
      [`G12: ${differ}`],
    ],
    [
      'no webhook, and one that differs is neither served nor stored',
      { ...of(v('v1'), v('v2', ['b'])), spec: webhook(), stored: ['v1'] },
      of(v('v1'), v('v2', ['b'], off)),
      [`G12 I: ${same}`],
    ],
    [
      'no webhook, and one that differs is stored',
      { ...of(v('v1'), v('v2', ['b'])), spec: webhook(), stored: ['v1', 'v2'] },
      of(v('v1'), v('v2', ['b'], off)),
      [`G12: ${differ}`],
    ],
    [
      'no webhook, and one that differs is gone',
      { ...of(v('v1'), v('v2', ['b'])), spec: webhook() },
      of(v('v1')),
      [`G12 I: ${same}`],
    ],
  ])('is converted by %s', (_, old, next, expected) => {
    expect(said(old, next, 'G11', 'G12')).toEqual(expected);
  });
});
