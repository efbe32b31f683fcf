/**
 * The tests that a change affects: those that need a changed file, directly or indirectly, and
 * those that a rule by path names. Pure: paths in, paths out.
 */
import type { ModuleGraph } from './module-graph.ts';

/** A test, and its distance from the nearest file that changed. */
export interface AffectedTest {
  readonly path: string;
  /** The number of imports between the two; 0 if the test itself changed, or a rule names it. */
  readonly steps: number;
}

/** Files without imports that lead to them, and the tests that depend on them. */
interface PathRule {
  readonly changed: RegExp;
  readonly tests: RegExp;
}

const allTests = /\.test\.ts$/;
const envtests = /\.envtest\.test\.ts$/;

/** The dependencies that imports and strings do not show. */
const rules: readonly PathRule[] = [
  // The versions of all programs and libraries.
  { changed: /^(?:package-lock\.json|package\.json|\.npmrc)$/, tests: allTests },
  { changed: /^packages\/[^/]+\/package\.json$/, tests: allTests },
  // The configuration of tests.
  { changed: /^vitest\.config\.ts$/, tests: /(?<!\.envtest)\.test\.ts$/ },
  { changed: /^vitest\.envtest\.config\.ts$/, tests: envtests },
  // The versions of API servers, and of the programs of Nodes.
  { changed: /^envtest\/(?:go\.(?:mod|sum)|coredns\/|registry\/)/, tests: envtests },
  { changed: /^envtest\/(?:packets|pause)\//, tests: /testbed|on-nodes/ },
  { changed: /^tools\//, tests: /^tools\/|\/chart\.envtest|\/installed\.envtest/ },
  { changed: /^deploy\/(?:charts|kustomize)\//, tests: /\/chart\.envtest|\/manifests\.envtest/ },
];

/**
 * The tests that a change affects, the nearest first. `changed`: paths of files that were added,
 * changed or removed.
 */
export function affectedTests(
  changed: readonly string[],
  tests: readonly string[],
  graph: ModuleGraph,
): readonly AffectedTest[] {
  const named = changed.flatMap((path) => rules.filter((rule) => rule.changed.test(path)).map((rule) => rule.tests));
  return tests
    .flatMap((path) => {
      if (named.some((pattern) => pattern.test(path))) return [{ path, steps: 0 }];
      const steps = stepsTo(changed, graph.reach(path));
      return steps === undefined ? [] : [{ path, steps }];
    })
    .toSorted((one, other) => one.steps - other.steps || (one.path < other.path ? -1 : 1));
}

/** The steps to the nearest changed file; a folder counts if one of its files changed. */
function stepsTo(changed: readonly string[], reach: ReadonlyMap<string, number>): number | undefined {
  const steps = changed.flatMap((path) => {
    const found = [reach.get(path)];
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      found.push(reach.get(path.slice(0, at + 1)));
    return found.filter((one) => one !== undefined);
  });
  return steps.length === 0 ? undefined : Math.min(...steps);
}

/**
 * The tests that fit into `seconds` together, and the others: nearer tests before farther ones, and
 * at the same distance shorter ones before longer ones.
 */
export function withinSeconds(
  tests: readonly AffectedTest[],
  secondsOf: (path: string) => number,
  seconds: number,
): { readonly fit: readonly string[]; readonly left: readonly string[] } {
  const inOrder = tests.toSorted(
    (one, other) => one.steps - other.steps || secondsOf(one.path) - secondsOf(other.path),
  );
  const fit: string[] = [];
  const left: string[] = [];
  let rest = seconds;
  for (const { path } of inOrder) {
    const takes = secondsOf(path);
    if (takes <= rest) {
      rest -= takes;
      fit.push(path);
    } else left.push(path);
  }
  return { fit, left };
}
