import { describe, expect, it } from 'vitest';
import { namesAccepted } from './definition-names.ts';
import type { Definition, Names } from '../definition/definition.ts';

const none: Names = { plural: '', kind: '' };
const widgets: Names = {
  plural: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  listKind: 'WidgetList',
  shortNames: ['wd'],
};

function definition(names: Names, acceptedNames: Names = none, group = 'example.com'): Definition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, names, scope: 'Namespaced', versions: [] },
    status: { conditions: null, acceptedNames, storedVersions: null },
  };
}

const other = (names: Partial<Names>, group?: string) =>
  definition({ ...none, ...names }, { ...none, ...names }, group);
const gadgets: Names = {
  plural: 'gadgets',
  singular: 'gadget',
  kind: 'Gadget',
  listKind: 'GadgetList',
  shortNames: ['gd'],
};
const now = '2026-11-21T10:00:00Z';

describe('the names of a definition', () => {
  it.each([
    { what: 'the plural', taken: { plural: 'widgets' }, reason: 'PluralConflict', lost: { plural: '' } },
    {
      what: 'the plural, as a short name',
      taken: { shortNames: ['widgets'] },
      reason: 'PluralConflict',
      lost: { plural: '' },
    },
    { what: 'the singular', taken: { singular: 'widget' }, reason: 'SingularConflict', lost: { singular: undefined } },
    {
      what: 'a short name',
      taken: { shortNames: ['wd'] },
      reason: 'ShortNamesConflict',
      lost: { shortNames: undefined },
    },
    { what: 'the kind', taken: { kind: 'Widget' }, reason: 'KindConflict', lost: { kind: '' } },
    {
      what: 'the kind, as the kind of a list',
      taken: { listKind: 'Widget' },
      reason: 'KindConflict',
      lost: { kind: '' },
    },
    {
      what: 'the kind of the list',
      taken: { listKind: 'WidgetList' },
      reason: 'ListKindConflict',
      lost: { listKind: undefined },
    },
  ])('are accepted without $what that another one of the group has', ({ taken, reason, lost }) => {
    const wanted = definition(widgets);
    const named = namesAccepted(wanted, [wanted, other(taken)], now);
    const expected = Object.fromEntries(
      Object.entries({ ...widgets, ...lost }).filter(([, value]) => value !== undefined),
    );
    expect(named?.status.acceptedNames).toEqual(expected);
    expect(conditionsOf(named)).toEqual({ NamesAccepted: `False ${reason}`, Established: 'False NotAccepted' });
  });

  it('are all accepted where they are free, and the definition is about to be established', () => {
    const wanted = definition(widgets);
    const named = namesAccepted(wanted, [wanted, other(gadgets)], now);
    expect(named?.status.acceptedNames).toEqual(widgets);
    expect(conditionsOf(named)).toEqual({ NamesAccepted: 'True NoConflicts', Established: 'False Installing' });
  });

  it('may be those of a definition of another group', () => {
    const wanted = definition(widgets);
    const named = namesAccepted(wanted, [wanted, other(widgets, 'example.org')], now);
    expect(named?.status.acceptedNames).toEqual(widgets);
  });

  it('stay what they were where a new one is taken', () => {
    const wanted = definition({ ...widgets, singular: 'gadget', kind: 'Gadget' }, widgets);
    const named = namesAccepted(wanted, [wanted, other(gadgets)], now);
    // Only the conditions change: accepted names stay.
    expect(named?.status.acceptedNames).toEqual(widgets);
    expect(conditionsOf(named)).toMatchObject({ NamesAccepted: 'False KindConflict' });
  });

  it('are not looked at again where they are accepted already', () => {
    const wanted = definition(widgets, widgets);
    expect(namesAccepted(wanted, [wanted, other(gadgets)], now)).toBeUndefined();
  });

  it('are judged once: a second look changes nothing', () => {
    const wanted = definition(widgets);
    const named = namesAccepted(wanted, [wanted, other({ kind: 'Widget' })], now);
    expect(named).toBeDefined();
    if (named !== undefined) expect(namesAccepted(named, [named, other({ kind: 'Widget' })], now)).toBeUndefined();
  });
});

function conditionsOf(named: Definition | undefined): Readonly<Record<string, string>> {
  const conditions = named?.status.conditions ?? [];
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}
