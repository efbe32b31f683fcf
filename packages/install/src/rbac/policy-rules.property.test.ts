import type { PolicyRule } from '@isthmus/api';
import type { Access, Verb } from '@isthmus/kube';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allProcesses } from '../roles/roles.ts';
import type { GrantedRules } from './policy-rules.ts';
import { rbacOf } from './policy-rules.ts';
import type { ResourceRequest } from './testing/rbac-authorizer.ts';
import { isAllowedBy } from './testing/rbac-authorizer.ts';

const verbs: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
/** Request names; the empty one is that of requests without a single object. */
const names = ['', 'a', 'b', 'isthmus-leader', 'isthmus-member'];

const types = [
  { group: '', plural: 'services', namespaced: true },
  { group: '', plural: 'secrets', namespaced: true },
  { group: '', plural: 'namespaces', namespaced: false },
  { group: 'x.example', plural: 'services', namespaced: true },
];

/** Entries over few kinds and names, so that they overlap. */
const entries: fc.Arbitrary<Access> = fc
  .record({
    type: fc.constantFrom(...types),
    subresource: fc.constantFrom(undefined, undefined, 'status'),
    scope: fc.constantFrom('own', 'all'),
    verbs: fc.uniqueArray(fc.constantFrom(...verbs), { maxLength: 4 }),
    resourceNames: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }), { nil: undefined }),
  })
  .map((drawn) => ({
    ...drawn,
    at: 'local',
    scope: drawn.type.namespaced ? drawn.scope : 'all',
    verbs: drawn.verbs.filter(
      (verb) => verb !== 'create' || drawn.resourceNames === undefined || drawn.subresource !== undefined,
    ),
  }));

interface Request extends ResourceRequest {
  readonly inOwnNamespace: boolean;
}

/**
 * Every request that could matter for these accesses: each kind and subresource with each verb and
 * name, inside and outside the Namespace.
 */
function requestsAbout(access: readonly Access[]): readonly Request[] {
  const resources = new Map(
    access
      .flatMap(({ type }) => [undefined, 'status'].map((subresource) => ({ type, subresource })))
      .map(({ type, subresource }) => [
        `${type.group}/${type.plural}/${subresource ?? ''}`,
        { group: type.group, resource: subresource === undefined ? type.plural : `${type.plural}/${subresource}` },
      ]),
  );
  return [...resources.values()].flatMap((resource) =>
    verbs.flatMap((verb) =>
      names
        .filter((name) => verb !== 'create' || name === '' || resource.resource.includes('/'))
        .flatMap((name) => [true, false].map((inOwnNamespace) => ({ ...resource, verb, name, inOwnNamespace }))),
    ),
  );
}

/** The declaration itself, read literally. */
function isDeclared(access: readonly Access[], request: Request): boolean {
  return access.some(
    ({ type, subresource, scope, verbs, resourceNames }) =>
      type.group === request.group &&
      (subresource === undefined ? type.plural : `${type.plural}/${subresource}`) === request.resource &&
      verbs.some((verb) => verb === request.verb) &&
      (scope === 'all' || request.inOwnNamespace) &&
      (resourceNames === undefined || resourceNames.includes(request.name)),
  );
}

const isGranted = ({ own, all }: GrantedRules, request: Request) =>
  isAllowedBy(all, request) || (request.inOwnNamespace && isAllowedBy(own, request));

function expectExactly(access: readonly Access[], rules: GrantedRules): number {
  const requests = requestsAbout(access);
  const wrong = requests.filter((request) => isGranted(rules, request) !== isDeclared(access, request));
  expect(wrong).toEqual([]);
  return requests.filter((request) => isDeclared(access, request)).length;
}

describe('the RBAC rules of any accesses', () => {
  it('allow every declared request and no other', () => {
    let declared = 0;
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 6 }), (access) => {
        declared += expectExactly(access, rbacOf(access, { at: 'local' }));
      }),
      { numRuns: 300 },
    );
    expect(declared).toBeGreaterThan(1_000);
  });

  it('are the same for the same accesses in any order, split and repeated', () => {
    const shuffled = fc.array(entries, { maxLength: 6 }).chain((access) =>
      fc.record({
        access: fc.constant(access),
        other: fc.shuffledSubarray([...access.flatMap(oneVerbEach), ...access], {
          minLength: access.flatMap(oneVerbEach).length + access.length,
        }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ access, other }) => {
        expect(rbacOf(other, { at: 'local' })).toEqual(rbacOf(access, { at: 'local' }));
      }),
      { numRuns: 300 },
    );
  });

  it('hold no rule, resource, name or verb that could be left out', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 6 }), (access) => {
        const rules = rbacOf(access, { at: 'local' });
        const requests = requestsAbout(access).filter((request) => isGranted(rules, request));
        const smaller = [
          ...withoutAPart(rules.own).map((own) => ({ ...rules, own })),
          ...withoutAPart(rules.all).map((all) => ({ ...rules, all })),
        ];
        for (const less of smaller) expect(requests.every((request) => isGranted(less, request))).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the declared accesses of the controllers', () => {
  const credentials = allProcesses.flatMap(({ name, own, remote }) => [
    { who: name, at: 'local', access: own.access },
    ...remote.map(({ at, access }) => ({ who: `${name} at the ${at}`, at, access })),
  ]);

  it.each(credentials)('are exactly what the rules of the $who allow', ({ at, access }) => {
    expect(access.every((entry) => entry.at === at)).toBe(true);
    expect(expectExactly(access, rbacOf(access, { at }))).toBeGreaterThan(20);
  });
});

function oneVerbEach(entry: Access): readonly Access[] {
  return entry.verbs.map((verb) => ({ ...entry, verbs: [verb] }));
}

/** Each list of rules that is smaller by one resource, name or verb. */
function withoutAPart(rules: readonly PolicyRule[]): readonly (readonly PolicyRule[])[] {
  return rules.flatMap((rule, index) =>
    (['resources', 'resourceNames', 'verbs'] as const).flatMap((field) => {
      const parts = rule[field] ?? [];
      return parts.map((part) => {
        const left = parts.filter((other) => other !== part);
        // A rule without names would allow every name.
        return [
          ...rules.slice(0, index),
          ...(left.length === 0 ? [] : [{ ...rule, [field]: left }]),
          ...rules.slice(index + 1),
        ];
      });
    }),
  );
}
