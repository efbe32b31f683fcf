import type { Plan } from '@isthmus/upgrade';

type Skipped = Plan['spec']['skipped'][number];

/**
 * The skipped changes of a plan, one line for each component and reason with all its clusters. So a
 * plan for a few chosen clusters does not hide changes that wait for other reasons.
 */
export function skippedLines(skipped: readonly Skipped[]): readonly string[] {
  const groups = Map.groupBy(skipped, ({ component = '', why }) => `${component}\n${why}`);
  return [...groups.values()].map((some) => {
    const [first] = some;
    const clusters = some.flatMap(({ cluster }) => cluster ?? []).join(', ');
    const component = first?.component;
    const what = clusters === '' || component === undefined ? (component ?? clusters) : `${component} in ${clusters}`;
    return `${what}: ${first?.why ?? ''}`;
  });
}
