/**
 * Whether the public surface of a library may change as it did since its last release
 * (docs/versioning.md). Pure.
 */
import type { Declared } from './report.ts';
import { declaredIn, versionOfReport } from './report.ts';

/** The changes that a program with the library may notice, by name. */
export interface ApiChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Their own declarations, or ones that are not exported and that they refer to. */
  readonly changed: readonly string[];
}

/**
 * Compares two reports. A declaration with another text counts as changed: whether programs still
 * compile is not decided here.
 */
export function apiChanges(before: string, after: string): ApiChanges {
  const old = new Map(declaredIn(before).map((one) => [one.name, one]));
  const now = new Map(declaredIn(after).map((one) => [one.name, one]));
  const exported = ({ exported: is }: Declared) => is;
  const names = (all: ReadonlyMap<string, Declared>) => [...all.values()].filter(exported).map(({ name }) => name);
  return {
    added: names(now).filter((name) => old.get(name)?.exported !== true),
    removed: names(old).filter((name) => now.get(name)?.exported !== true),
    changed: names(old).filter(
      (name) => now.get(name)?.exported === true && surfaceOf(name, old) !== surfaceOf(name, now),
    ),
  };
}

/**
 * The text of a declaration with those of the declarations that it refers to and that are not
 * exported.
 */
function surfaceOf(name: string, all: ReadonlyMap<string, Declared>): string {
  const reached = new Set([name]);
  for (const one of reached) {
    const words = all.get(one)?.text.match(/[A-Za-z_$][\w$]*/g) ?? [];
    for (const word of words) if (all.get(word)?.exported === false) reached.add(word);
  }
  return [...reached]
    .toSorted()
    .map((one) => all.get(one)?.text)
    .join('\n');
}

interface Compared {
  readonly library: string;
  /** The report of the last release. */
  readonly before: string;
  /** The report of the tree. */
  readonly after: string;
  /** The whole changelog. */
  readonly changelog: string;
}

/**
 * The objections to the changes of a library since its last release. A patch release changes
 * nothing. From 1.0 on, only a major release removes or changes an exported name; before, a minor
 * may. The changelog names each of them, in backquotes, in the section of the version or in
 * *Unreleased*. A tree with the version of the last release counts as the next release, whose
 * version is not decided.
 */
export function apiProblems({ library, before, after, changelog }: Compared): readonly string[] {
  const released = versionOfReport(before);
  const version = versionOfReport(after);
  const { added, removed, changed } = apiChanges(before, after);
  const broken = [...removed, ...changed];
  const level = bumpBetween(released, version);
  const what = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const problems: string[] = [];
  if (level === 'patch' && broken.length + added.length > 0)
    problems.push(
      `${library} ${version} is a patch release of ${released} and changes ${what([...broken, ...added])}: a patch release changes no exported name`,
    );
  if (level === 'minor' && !released.startsWith('0.') && broken.length > 0)
    problems.push(`${library} ${version} removes or changes ${what(broken)}: only a new major may`);
  const section = sectionOf(changelog, level === 'none' ? 'Unreleased' : version);
  const unnamed = broken.filter((name) => !section.includes(`\`${name}\``));
  if (unnamed.length > 0)
    problems.push(
      `${library} removes or changes ${what(unnamed)} since ${released}: name each in CHANGELOG.md, in the section ${level === 'none' ? 'Unreleased' : version}`,
    );
  return problems;
}

function bumpBetween(released: string, version: string): 'none' | 'patch' | 'minor' | 'major' {
  const [from, to] = [released, version].map((one) => one.replace(/-.*$/, '').split('.'));
  if (from?.[0] !== to?.[0]) return 'major';
  if (from?.[1] !== to?.[1]) return 'minor';
  return from?.[2] === to?.[2] ? 'none' : 'patch';
}

/** The text of a section of the second level; a release candidate has that of its release. */
function sectionOf(changelog: string, title: string): string {
  const sections = changelog.split(/^## /m);
  return sections.find((one) => one.startsWith(`${title.replace(/-.*$/, '')}\n`)) ?? '';
}
