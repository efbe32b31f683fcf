import { compareMinors } from '../kubernetes-window.ts';
import type { Problem } from '../../read/problem.ts';
import { compareVersions } from '../../version/compare-versions.ts';
import { parseVersion } from '../../version/parse-version.ts';
import { parseVersionRange } from '../../version/parse-version-range.ts';
import { cycleIn } from '../cycle.ts';
import { impossibleRules } from './impossible-rules.ts';
import type { PolicyFile } from '../policy-file.ts';
import { problemAt } from '../policy-file.ts';
import { sharesProblem } from '../wave-rules.ts';

/** A rule of some policy, and its path. */
interface PlacedRule {
  readonly file: PolicyFile;
  readonly path: string;
  readonly id: string;
}

/**
 * The errors of policies that are to apply together, beyond those that reading each file finds:
 * duplicate ids, unknown sequences, unreadable ranges, orders that lead in a circle (drawn), and
 * rules that no fleet can meet. Empty: they can be used. In the order of the files and their lines.
 */
export function policyProblems(files: readonly PolicyFile[]): readonly Problem[] {
  const problems = [
    ...duplicates(files),
    ...sequenceProblems(files),
    ...rangeProblems(files),
    ...mapProblems(files),
    ...stageProblems(files),
    ...removalProblems(files),
    ...orderCycles(files),
    ...waveProblems(files),
  ];
  // Impossible rules can only be found among rules that can be read.
  const all = problems.length > 0 ? problems : impossibleRules(files);
  const place = new Map(files.map(({ source }, at) => [source, at]));
  return all.toSorted((a, b) => (place.get(a.source) ?? 0) - (place.get(b.source) ?? 0) || a.line - b.line);
}

/** The lists of rules with ids. */
const ruleLists = [
  'skew',
  'floors',
  'order',
  'hops',
  'kubernetes',
  'apis',
  'metrics',
  'placement',
  'patchReleases',
  'notes',
  'interruptions',
] as const;

function placedRules(files: readonly PolicyFile[]): readonly PlacedRule[] {
  return files.flatMap((file) =>
    ruleLists.flatMap((list) =>
      file.policy.spec[list].map(({ id }, at) => ({ file, path: `spec.${list}[${at}]`, id })),
    ),
  );
}

function duplicates(files: readonly PolicyFile[]): readonly Problem[] {
  const rules = placedRules(files).map((rule) => ({ ...rule, key: `rule ${rule.id}`, field: `${rule.path}.id` }));
  const names = files.map((file) => ({ file, key: `policy ${file.policy.metadata.name}`, field: 'metadata.name' }));
  const seen = new Map<string, PolicyFile>();
  return [...names, ...rules].flatMap(({ file, key, field }) => {
    const first = seen.get(key);
    if (first === undefined) seen.set(key, file);
    return first === undefined ? [] : [problemAt(file, field, `${key} is already defined in ${first.source}`)];
  });
}

/** Only one policy may define waves, with shares that rise. */
function waveProblems(files: readonly PolicyFile[]): readonly Problem[] {
  const having = files.filter(({ policy }) => policy.spec.waves !== undefined);
  const [first, ...others] = having;
  return [
    ...others.map((file) => problemAt(file, 'spec.waves', `waves are already defined in ${first?.source ?? ''}`)),
    ...having.flatMap((file) => {
      const problem = sharesProblem(file.policy.spec.waves?.shares ?? []);
      return problem === undefined ? [] : [problemAt(file, 'spec.waves.shares', problem)];
    }),
  ];
}

function sequenceProblems(files: readonly PolicyFile[]): readonly Problem[] {
  const known = new Map<string, string>();
  const bad: Problem[] = [];
  for (const file of files)
    for (const [at, { name, minors }] of file.policy.spec.sequences.entries()) {
      const path = `spec.sequences[${at}]`;
      const text = minors.join(' ');
      if ((known.get(name) ?? text) !== text)
        bad.push(problemAt(file, path, `sequence ${name} is already defined, with other minors`));
      known.set(name, text);
      for (const [index, minor] of minors.entries()) {
        const before = minors[index - 1] ?? minor;
        if (minors.indexOf(minor) < index)
          bad.push(problemAt(file, `${path}.minors[${index}]`, `minor ${minor} is in the sequence twice`));
        else if (compareMinors(before, minor) > 0)
          bad.push(
            problemAt(file, `${path}.minors[${index}]`, `minor ${minor} comes after ${before}: list the oldest first`),
          );
      }
    }
  for (const file of files)
    for (const list of ['skew', 'hops'] as const)
      for (const [at, { id, sequence }] of file.policy.spec[list].entries())
        if (sequence !== undefined && !known.has(sequence)) {
          const message = `rule ${id} uses sequence ${sequence}, which no policy defines`;
          bad.push(problemAt(file, `spec.${list}[${at}].sequence`, message));
        }
  return bad;
}

function rangeProblems(files: readonly PolicyFile[]): readonly Problem[] {
  return files.flatMap((file) => {
    const { skew, floors, hops, notes } = file.policy.spec;
    const ranges: readonly (readonly [string, string | undefined])[] = [
      ...skew.flatMap(({ when }, at) => [
        [`spec.skew[${at}].when.subject`, when.subject] as const,
        [`spec.skew[${at}].when.reference`, when.reference] as const,
      ]),
      ...floors.map(({ range }, at) => [`spec.floors[${at}].range`, range] as const),
      ...hops.map(({ when }, at) => [`spec.hops[${at}].when`, when] as const),
      ...notes.flatMap(({ from, to }, at) => [
        [`spec.notes[${at}].from`, from] as const,
        [`spec.notes[${at}].to`, to] as const,
      ]),
    ];
    return ranges.flatMap(([path, text]) => {
      const range = text === undefined ? undefined : parseVersionRange(text);
      return range !== undefined && 'problem' in range ? [problemAt(file, path, range.problem)] : [];
    });
  });
}

const minorPattern = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

/** Kubernetes windows: keys that are no minors, and lists that admit no Kubernetes. */
function mapProblems(files: readonly PolicyFile[]): readonly Problem[] {
  return files.flatMap((file) =>
    file.policy.spec.kubernetes.flatMap(({ id, lists, maintained }, at) => {
      const path = `spec.kubernetes[${at}]`;
      const keys = [
        ...Object.keys(lists).map((key) => [`${path}.lists`, key] as const),
        ...Object.keys(maintained?.newestAtRelease ?? {}).map(
          (key) => [`${path}.maintained.newestAtRelease`, key] as const,
        ),
      ];
      return [
        ...keys
          .filter(([, key]) => !minorPattern.test(key))
          .map(([where, key]) => problemAt(file, where, `${JSON.stringify(key)} is not a minor such as 1.31`)),
        ...Object.entries(lists)
          .filter(([, minors]) => minors.length === 0)
          .map(([key]) => problemAt(file, `${path}.lists`, `rule ${id} supports no Kubernetes minor for ${key}`)),
      ];
    }),
  );
}

/**
 * Features whose stages are not versions, or go back in time; metric marks without their version.
 */
function stageProblems(files: readonly PolicyFile[]): readonly Problem[] {
  return files.flatMap((file) => {
    const stages = file.policy.spec.features.flatMap(({ name, stages: all }, at) =>
      all.flatMap(({ since }, index) => {
        const path = `spec.features[${at}].stages[${index}].since`;
        const version = parseVersion(since);
        if (version.core === undefined)
          return [problemAt(file, path, `${JSON.stringify(since)} is not a version with major, minor and patch`)];
        const before = parseVersion(all[index - 1]?.since ?? since);
        const isBack = compareVersions(before, version) === 'older';
        return isBack ? [problemAt(file, path, `feature ${name} has a stage before the one above it`)] : [];
      }),
    );
    const marks = file.policy.spec.metrics.flatMap(({ id, deprecatedMark }, at) =>
      deprecatedMark.includes('{version}')
        ? []
        : [problemAt(file, `spec.metrics[${at}].deprecatedMark`, `rule ${id} needs {version} in its mark`)],
    );
    return [...stages, ...marks];
  });
}

/** API versions that are gone before they are deprecated. */
function removalProblems(files: readonly PolicyFile[]): readonly Problem[] {
  return files.flatMap((file) =>
    file.policy.spec.removedApis.flatMap(({ kind, deprecatedIn, removedIn }, at) => {
      if (deprecatedIn === undefined || compareMinors(deprecatedIn, removedIn) <= 0) return [];
      const message = `${kind} was removed in ${removedIn}, before it was deprecated in ${deprecatedIn}`;
      return [problemAt(file, `spec.removedApis[${at}].removedIn`, message)];
    }),
  );
}

/**
 * An order of components, or of roles, that cannot be kept because it leads back to where it began.
 */
function orderCycles(files: readonly PolicyFile[]): readonly Problem[] {
  const rules = files.flatMap((file) =>
    file.policy.spec.order.map(({ first, next }, at) => ({
      file,
      path: `spec.order[${at}]`,
      from: first,
      to: next,
    })),
  );
  const roles = files.flatMap((file) =>
    file.policy.spec.roleOrder.flatMap((role, at, all) => {
      const before = all[at - 1];
      return before === undefined ? [] : [{ file, path: `spec.roleOrder[${at}]`, from: before, to: role }];
    }),
  );
  return [rules, roles].flatMap((edges) => {
    const cycle = cycleIn(edges.map(({ from, to }) => [from, to] as const));
    const edge = edges.findLast(({ from, to }) => cycle?.some((name, at) => name === from && cycle[at + 1] === to));
    if (cycle === undefined || edge === undefined) return [];
    return [problemAt(edge.file, edge.path, `an order that cannot be met: ${cycle.join(' → ')}`)];
  });
}
