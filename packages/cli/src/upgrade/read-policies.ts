import { policy, policyProblems, problemLine, shippedPolicies } from '@isthmus/upgrade';
import type { Policy, PolicyFile } from '@isthmus/upgrade';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { textFlag } from '../command/flag.ts';
import { readInput } from './read-input.ts';

/** The flag by which every command takes policies. */
export const policyFlag = textFlag({
  placeholder: 'files',
  summary:
    'policies beside those that ship with isthmus, separated by commas; one of the same name takes the place of the shipped one',
});

/**
 * The policies that hold: those that ship, and those of files. Errors: {@link UsageError} with all that is wrong with them, taken together: ids that are
 * there twice, orders in a circle, rules that no fleet can meet.
 */
export async function readPolicies(io: Pick<Io, 'readFile'>, files: string | undefined): Promise<readonly Policy[]> {
  const given = await Promise.all(
    (files?.split(',') ?? []).map(async (source): Promise<PolicyFile> => {
      const { value, lineOf } = await readInput(io, policy, source);
      return { policy: value, source, lineOf };
    }),
  );
  const names = new Set(given.map((one) => one.policy.metadata.name));
  const shipped = shippedPolicies()
    .filter(({ metadata }) => !names.has(metadata.name))
    .map((one): PolicyFile => ({ policy: one, source: `policy ${one.metadata.name} of isthmus`, lineOf: () => 1 }));
  const all = [...shipped, ...given];
  const problems = given.length === 0 ? [] : policyProblems(all);
  if (problems.length > 0)
    throw new UsageError(['the policies cannot hold together', ...problems.map(problemLine)].join('\n'));
  return all.map((one) => one.policy);
}
