/** A value of an export that is not valid; it was left out of the merge. */
export interface MergeProblem {
  readonly clusterID: string;
  readonly message: string;
}

/** Collects the values of one export that are not valid. */
export interface Problems {
  add(message: string): void;
  list(): readonly MergeProblem[];
}

/**
 * Further problems of one cluster are only counted: an export with a thousand bad ports does not
 * need a thousand lines.
 */
const maxProblemsPerCluster = 10;

/** An empty collector for one cluster. A repeated message counts once. */
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
