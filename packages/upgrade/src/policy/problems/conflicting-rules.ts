import { inRange } from '../../version/parse-version-range.ts';
import { minorOf, parseVersion } from '../../version/parse-version.ts';
import type { Version } from '../../version/version.ts';
import type { ReadyFloorRule, ReadySkewRule } from '../rule-set.ts';
import { skewBreach } from '../skew/skew-verdict.ts';

/** Rules about several component types that cannot hold where all of these types run. */
export interface Conflict {
  readonly types: readonly string[];
  readonly skew: readonly ReadySkewRule[];
  readonly floors: readonly ReadyFloorRule[];
}

/** The rules among which one conflict is searched. */
export interface VersionRules {
  readonly skew: readonly ReadySkewRule[];
  readonly floors: readonly ReadyFloorRule[];
}

/**
 * Whether skew rules that hang together, and the least versions of their types, can be met by one
 * version of each type: a smallest set that cannot, or undefined. Least versions that only hold
 * where something else runs are left out. Exact for the versions that are tried; where the search
 * takes too long the rules are taken to be possible, so that no policy is refused without need.
 */
export function conflictAmong(rules: VersionRules, candidates: readonly Version[]): Conflict | undefined {
  const tried = filledIn(candidates);
  const all = { skew: rules.skew, floors: rules.floors.filter(({ whenPresent }) => whenPresent === undefined) };
  for (const part of parts(all)) {
    if (isPossible(part, tried)) continue;
    const smallest = withoutNeedless(part, tried);
    const types = [...new Set(smallest.skew.flatMap(({ subject, reference }) => [subject, reference]))].toSorted();
    return { types, ...smallest };
  }
  return undefined;
}

/**
 * Rules grouped by the types that they connect: rules of one group are independent of those of
 * another.
 */
function parts({ skew, floors }: VersionRules): readonly VersionRules[] {
  const left = new Set(skew.filter(({ subject, reference }) => subject !== reference));
  const found: VersionRules[] = [];
  for (const first of left) {
    const types = new Set([first.subject, first.reference]);
    const own: ReadySkewRule[] = [];
    for (let grown = true; grown;) {
      const more = [...left].filter(({ subject, reference }) => types.has(subject) || types.has(reference));
      grown = more.length > 0;
      for (const rule of more) {
        left.delete(rule);
        own.push(rule);
        types.add(rule.subject).add(rule.reference);
      }
    }
    if (own.length > 0) found.push({ skew: own, floors: floors.filter(({ subject }) => types.has(subject)) });
  }
  return found;
}

/**
 * Every minor between those of one major: what lies between two bounds may be needed to bridge
 * them.
 */
function filledIn(candidates: readonly Version[]): readonly Version[] {
  const byText = new Map(candidates.map((one) => [one.text, one]));
  const known = new Set(candidates.flatMap((one) => minorOf(one) ?? []));
  for (const [major, some] of Map.groupBy(candidates, ({ core }) => core?.major ?? 0)) {
    const minors = some.map(({ core }) => core?.minor ?? 0);
    const [low, high] = [Math.min(...minors), Math.max(...minors)];
    for (let minor = low; minor <= Math.min(high, low + mostMinors); minor++) {
      if (!known.has(`${major}.${minor}`)) byText.set(`${major}.${minor}.0`, parseVersion(`${major}.${minor}.0`));
    }
  }
  return [...byText.values()];
}

/** How many minors of one major are tried. */
const mostMinors = 100;
/** How many versions are set before the search gives up. */
const mostSteps = 5_000;

type Domains = ReadonlyMap<string, readonly Version[]>;

function isPossible({ skew, floors }: VersionRules, tried: readonly Version[]): boolean {
  const types = [...new Set(skew.flatMap(({ subject, reference }) => [subject, reference]))];
  // One version for all goes with every rule about distances.
  if (tried.some((one) => floors.every(({ versions }) => inRange(one, versions)))) return true;
  const allowed = (type: string) =>
    tried.filter((one) => floors.every(({ subject, versions }) => subject !== type || inRange(one, versions)));
  const domains = narrowed(new Map(types.map((type) => [type, allowed(type)])), skew);
  let steps = 0;
  const search = (left: Domains): boolean => {
    const sizes = [...left].map(([type, versions]) => ({ type, versions }));
    if (sizes.some(({ versions }) => versions.length === 0)) return false;
    const [open] = sizes
      .filter(({ versions }) => versions.length > 1)
      .toSorted((a, b) => a.versions.length - b.versions.length);
    if (open === undefined || steps > mostSteps) return true;
    return open.versions.some((version) => {
      steps++;
      return search(narrowed(new Map(left).set(open.type, [version]), skew));
    });
  };
  return search(domains);
}

/** Domains without the versions that go with no version of a neighbour. */
function narrowed(domains: Domains, rules: readonly ReadySkewRule[]): Domains {
  const left = new Map(domains);
  for (let changed = true; changed;) {
    changed = false;
    for (const rule of rules)
      for (const [type, other] of [
        [rule.subject, rule.reference],
        [rule.reference, rule.subject],
      ] as const) {
        const [own, others] = [left.get(type) ?? [], left.get(other) ?? []];
        const goes = (a: Version, b: Version) =>
          (type === rule.subject ? skewBreach(rule, a, b) : skewBreach(rule, b, a)) === undefined;
        const kept = own.filter((a) => others.some((b) => goes(a, b)));
        if (kept.length === own.length) continue;
        left.set(type, kept);
        changed = true;
      }
  }
  return left;
}

/** The rules without those that the conflict does not need, the first ones left out first. */
function withoutNeedless(part: VersionRules, tried: readonly Version[]): VersionRules {
  let { skew, floors } = part;
  for (const rule of part.skew) {
    const fewer = skew.filter((one) => one !== rule);
    if (parts({ skew: fewer, floors }).some((one) => !isPossible(one, tried))) skew = fewer;
  }
  for (const rule of part.floors) {
    const fewer = floors.filter((one) => one !== rule);
    if (!isPossible({ skew, floors: fewer }, tried)) floors = fewer;
  }
  return { skew, floors };
}
