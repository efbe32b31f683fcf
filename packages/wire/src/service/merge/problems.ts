/** Something that an export says and that cannot be valid; it was left out of the merge. */
export interface MergeProblem {
  readonly clusterID: string;
  readonly message: string;
}

/** Takes down what one export says and cannot mean. */
export interface Problems {
  add(message: string): void;
  list(): readonly MergeProblem[];
}

/** More of one cluster's problems than this are only counted: an export with a thousand bad ports needs no thousand lines. */
const maxProblemsPerCluster = 10;

/** An empty collector for one cluster. The same message twice counts once. */
export function mergeProblemsOf(clusterID: string): Problems {
  const messages = new Set<string>();
  return {
    add(message) {
      messages.add(message);
    },
    list() {
      const all = [...messages];
      const problems = all.slice(0, maxProblemsPerCluster).map((message) => ({ clusterID, message }));
      const more = all.length - problems.length;
      return more > 0 ? [...problems, { clusterID, message: `and ${more} more problems` }] : problems;
    },
  };
}
