import {
  canonicalText,
  policy,
  policyProblems,
  problemLine,
  shippedPolicies,
  shippedPolicyFiles,
} from '@isthmus/upgrade';
import type { Policy, PolicyFile } from '@isthmus/upgrade';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { readInput } from './read-input.ts';

/** The policies that hold: those that ship with isthmus, and those of the files that were given. */
export interface PoliciesAtHand {
  /** Those that ship first, then in the order of the files. */
  readonly policies: readonly Policy[];
  /** `sha256:…` of the canonical JSON of what was written, by the name of the policy: what a bundle may pin. */
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * Reads policies and looks at them together with those that ship. Errors: UsageError with every problem: what cannot be read, ids that are
 * used twice, rules that no fleet can meet.
 */
export async function loadPolicies(
  io: Pick<Io, 'readFile' | 'bundleCrypto'>,
  paths: readonly string[],
): Promise<PoliciesAtHand> {
  const given = await Promise.all(paths.map((path) => readInput(io, policy, path)));
  const shipped = shippedPolicies();
  const files: readonly PolicyFile[] = [
    ...shipped.map((one) => ({ policy: one, source: `the policy ${one.metadata.name} of isthmus`, lineOf: () => 1 })),
    ...given.map(({ value, lineOf }, at) => ({ policy: value, source: paths[at] ?? '', lineOf })),
  ];
  const problems = policyProblems(files);
  if (problems.length > 0) {
    throw new UsageError(['the policies do not go together', ...problems.map(problemLine)].join('\n'));
  }
  const policies = files.map((one) => one.policy);
  const written: readonly unknown[] = [...shippedPolicyFiles(), ...given.map((one) => one.written.json)];
  const digests = policies.map(({ metadata }, at): readonly [string, string] => [
    metadata.name,
    `sha256:${io.bundleCrypto.sha256(canonicalText(written[at]))}`,
  ]);
  return { policies, digests: new Map(digests) };
}
