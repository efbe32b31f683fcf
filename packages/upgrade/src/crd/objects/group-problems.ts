import type { CrdRuleId } from '../crd-rule.ts';
import type { ObjectEffect, ObjectProblemGroup, ObjectsReport } from '../object-problem.ts';
import { objectEffects } from '../object-problem.ts';

/** One thing that one object suffers. */
export interface Found {
  readonly version: string;
  readonly effect: ObjectEffect;
  readonly field: string;
  readonly path?: string | undefined;
  /** The rules about CRDs that it may come of. */
  readonly rules?: readonly CrdRuleId[] | undefined;
  /** Without values. */
  readonly message: string;
  readonly manager?: string | undefined;
}

interface Counting {
  readonly version: string;
  readonly effect: ObjectEffect;
  readonly field: string;
  readonly rules: readonly CrdRuleId[] | undefined;
  readonly message: string;
  count: number;
  first: readonly string[];
  readonly namespaces: Set<string>;
  readonly managers: Set<string>;
}

/** More different fields than this are reported together: objects may hold any key. */
const mostGroups = 1000;
/** Namespaces and managers that a group names. */
const mostNames = 100;

/**
 * Groups the problems of objects by version, effect, field and rules. Its memory is bounded, for
 * any number of objects.
 */
export function groupProblems(crd: string) {
  const groups = new Map<string, Counting>();
  const judged = new Map<string, number>();
  let objects = 0;
  let struck = 0;
  return {
    /** An object, by its key: the versions at which it was judged, and what was found. */
    add(object: string, versions: readonly string[], found: readonly Found[]): void {
      objects += 1;
      for (const version of versions) judged.set(version, (judged.get(version) ?? 0) + 1);
      if (found.some(({ effect }) => harmful.includes(effect))) struck += 1;
      const namespace = object.includes('/') ? object.slice(0, object.indexOf('/')) : undefined;
      const counted = new Set<Counting>();
      for (const one of found) {
        const group = groupOf(groups, one);
        if (one.manager !== undefined && group.managers.size < mostNames) group.managers.add(one.manager);
        if (counted.has(group)) continue;
        counted.add(group);
        group.count += 1;
        group.first = firstFive(group.first, object);
        if (namespace !== undefined && group.namespaces.size < mostNames) group.namespaces.add(namespace);
      }
    },
    report: (): ObjectsReport => ({
      crd,
      objects,
      struck,
      judged: [...judged]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([version, count]) => ({ version, objects: count })),
      groups: [...groups.values()].map((one) => shown(one, crd)).toSorted(byEffect),
    }),
  };
}

const harmful: readonly ObjectEffect[] = ['blocks-any-write', 'blocks-apply', 'blocks-change', 'data-loss'];

function groupOf(groups: Map<string, Counting>, { version, effect, field, rules, message }: Found): Counting {
  const key = JSON.stringify([version, effect, field, rules]);
  const known = groups.get(key);
  if (known !== undefined) return known;
  const isFull = groups.size >= mostGroups;
  const place = isFull
    ? { field: 'other fields', rules: undefined, message: 'see the first fields' }
    : { field, rules, message };
  const placeKey = isFull ? JSON.stringify([version, effect, place.field]) : key;
  const group = groups.get(placeKey) ?? {
    version,
    effect,
    ...place,
    count: 0,
    first: [],
    namespaces: new Set(),
    managers: new Set(),
  };
  groups.set(placeKey, group);
  return group;
}

function firstFive(first: readonly string[], object: string): readonly string[] {
  const last = first.at(-1);
  if (first.includes(object) || (first.length === 5 && last !== undefined && object >= last)) return first;
  return [...first, object].toSorted().slice(0, 5);
}

function shown(
  { version, effect, field, rules, message, count, first, namespaces, managers }: Counting,
  crd: string,
): ObjectProblemGroup {
  return {
    crd,
    version,
    effect,
    field,
    ...(rules !== undefined && { rules }),
    message,
    count,
    first,
    namespaces: [...namespaces].toSorted(),
    managers: [...managers].toSorted(),
  };
}

function byEffect(a: ObjectProblemGroup, b: ObjectProblemGroup): number {
  const key = ({ effect, version, field, rules = [] }: ObjectProblemGroup) => [
    String(objectEffects.indexOf(effect)),
    version,
    field,
    rules.join(),
  ];
  const [x, y] = [key(a), key(b)];
  const at = x.findIndex((one, index) => one !== y[index]);
  return at < 0 ? 0 : (x[at] ?? '') < (y[at] ?? '') ? -1 : 1;
}
