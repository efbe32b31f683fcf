import type { Problem } from '../../read/problem.ts';
import { compareReleases } from '../../version/compare-versions.ts';
import { inRange } from '../../version/parse-version-range.ts';
import { parseVersion } from '../../version/parse-version.ts';
import type { Version } from '../../version/version.ts';
import { conflictAmong } from './conflicting-rules.ts';
import type { PolicyFile } from '../policy-file.ts';
import { problemAt } from '../policy-file.ts';
import type { ReadyFloorRule, ReadySkewRule, RuleSet } from '../rule-set.ts';
import { readRules } from '../rule-set.ts';
import { skewBreach } from '../skew/skew-verdict.ts';

/**
 * Rules that no fleet can meet together, or that no upgrade can: least versions of one component
 * that exclude each other; rules about a pair of components, and then about more of them, for which
 * no versions that all may run are left; an order in which the first may never be ahead of the
 * next. Looked for among the versions at which any of the rules changes its mind.
 */
export function impossibleRules(files: readonly PolicyFile[]): readonly Problem[] {
  const rules = readRules(files.map(({ policy }) => policy));
  const at = placesOf(files);
  const reported = (id: string, message: string): readonly Problem[] => {
    const place = at.get(id);
    return place === undefined ? [] : [problemAt(place.file, place.path, message)];
  };
  const candidates = versionsToTry(rules);
  const floorProblems = [...Map.groupBy(rules.floors, ({ subject }) => subject)].flatMap(([subject, floors]) => {
    // A floor that asks for another component holds where that one runs, which two such components
    // need not do at once.
    const presences = [...new Set([undefined, ...floors.map(({ whenPresent }) => whenPresent)])];
    const groups = presences.map((type) => floorsWith(floors, [type]));
    const bad = groups.find(
      (group) => !candidates.some((one) => group.every(({ versions }) => inRange(one, versions))),
    );
    const last = bad?.at(-1);
    const list = bad?.map(({ id, range }) => `${id} (${range})`).join(' and ');
    return last === undefined ? [] : reported(last.id, `no version of ${subject} meets ${list}`);
  });
  if (floorProblems.length > 0) return floorProblems;
  const pairs = Map.groupBy(rules.skew, ({ subject, reference }) => [subject, reference].toSorted().join(' and '));
  const pairProblems = [...pairs].flatMap(([names, together]) => {
    const [first] = together;
    if (first === undefined || first.subject === first.reference) return [];
    const of = (type: string) =>
      floorsWith(
        rules.floors.filter(({ subject }) => subject === type),
        [first.subject, first.reference],
      );
    const [lefts, rights] = [of(first.subject), of(first.reference)];
    if (isPossible(first, together, candidates, [lefts, rights])) return [];
    const last = together.at(-1) ?? first;
    const why = [...together.map(({ id }) => id), ...[...lefts, ...rights].map(({ id, range }) => `${id} (${range})`)];
    return reported(last.id, `no versions of ${names} meet ${why.join(', ')} together`);
  });
  if (pairProblems.length > 0) return pairProblems;
  return [...conflicts(rules, candidates, reported), ...stuckOrders(rules, candidates, reported)];
}

type Tell = (id: string, message: string) => readonly Problem[];

/** Conflicts between three or more components, which no two of them have. */
function conflicts(rules: RuleSet, candidates: readonly Version[], reported: Tell): readonly Problem[] {
  const conflict = conflictAmong(rules, candidates);
  if (conflict === undefined) return [];
  const { types, skew, floors } = conflict;
  const why = [...skew.map(({ id }) => id), ...floors.map(({ id, range }) => `${id} (${range})`)];
  const last = [...skew, ...floors].at(-1);
  return last === undefined
    ? []
    : reported(last.id, `no versions of ${types.join(', ')} meet ${why.join(', ')} together`);
}

/**
 * Orders that no upgrade can keep: the first would have to be newer than the next for a while,
 * which rules about both forbid at any time.
 */
function stuckOrders(rules: RuleSet, candidates: readonly Version[], reported: Tell): readonly Problem[] {
  return rules.order.flatMap(({ id, first, next, scope }) => {
    const about = rules.skew.filter(
      (rule) =>
        rule.holds === 'always' &&
        rule.severity === 'block' &&
        rule.scope === scope &&
        first !== next &&
        [rule.subject, rule.reference].toSorted().join() === [first, next].toSorted().join(),
    );
    const goes = (moved: Version, left: Version) =>
      about.every((rule) => {
        const [subject, reference] = rule.subject === first ? [moved, left] : [left, moved];
        return skewBreach(rule, subject, reference) === undefined;
      });
    const canMove = candidates.some((moved) =>
      candidates.some((left) => compareReleases(moved, left) > 0 && goes(moved, left)),
    );
    if (about.length === 0 || canMove) return [];
    const names = about.map((rule) => rule.id).join(', ');
    const message = `no upgrade can meet this order: ${first} is upgraded before ${next}, but by ${names} it may never be newer, not even during the upgrade (holds: settled would allow it)`;
    return reported(id, message);
  });
}

/** Those that hold where these types run. */
function floorsWith(floors: readonly ReadyFloorRule[], types: readonly (string | undefined)[]) {
  return floors.filter(({ whenPresent }) => whenPresent === undefined || types.includes(whenPresent));
}

/** Whether some pair of versions meets all rules about two types and their floors. */
function isPossible(
  first: ReadySkewRule,
  rules: readonly ReadySkewRule[],
  candidates: readonly Version[],
  [lefts, rights]: readonly (readonly ReadyFloorRule[])[],
): boolean {
  const allowed = (floors: readonly ReadyFloorRule[] | undefined) =>
    candidates.filter((one) => (floors ?? []).every(({ versions }) => inRange(one, versions)));
  const [subjects, references] = [allowed(lefts), allowed(rights)];
  return subjects.some((left) =>
    references.some((right) =>
      rules.every((rule) => {
        const [subject, reference] = rule.subject === first.subject ? [left, right] : [right, left];
        return skewBreach(rule, subject, reference) === undefined;
      }),
    ),
  );
}

/** Versions around every bound, and the first release of every minor of a sequence. */
function versionsToTry(rules: RuleSet): readonly Version[] {
  const texts = new Set(['1.0.0', '1.0.1', '1.1.0']);
  for (const { minors } of rules.skew) for (const minor of minors?.minors ?? []) texts.add(`${minor}.0`);
  const ranges = [
    ...rules.floors.map(({ versions }) => versions),
    ...rules.skew.flatMap(({ whenSubject, whenReference }) => [whenSubject ?? [], whenReference ?? []].flat()),
  ];
  for (const { bounds } of ranges)
    for (const { version } of bounds) {
      const { major = 0, minor = 0, patch = 0 } = version.core ?? {};
      for (const [a, b, c] of [
        [major, minor, patch],
        [major, minor, patch + 1],
        [major, minor, patch - 1],
        [major, minor - 1, 0],
        [major, minor + 1, 0],
        [major - 1, 0, 0],
        [major + 1, 0, 0],
      ] as const)
        if (a >= 0 && b >= 0 && c >= 0) texts.add(`${a}.${b}.${c}`);
    }
  return [...texts].toSorted().map((text) => parseVersion(text));
}

function placesOf(files: readonly PolicyFile[]) {
  const places = new Map<string, { readonly file: PolicyFile; readonly path: string }>();
  for (const file of files)
    for (const list of ['skew', 'floors', 'order'] as const)
      for (const [at, { id }] of file.policy.spec[list].entries())
        places.set(id, { file, path: `spec.${list}[${at}]` });
  return places;
}
