import {
  canonicalText,
  policy,
  policyProblems,
  problemLine,
  shippedPolicies,
  shippedPolicyFiles,
} from '@isthmus/upgrade';
import type { Policy, PolicyFile } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { readInput } from './read-input.ts';

/** The policies in force: those that ship with isthmus, and those of the given files. */
export interface PoliciesAtHand {
  /** The shipped ones first, then in the order of the files. */
  readonly policies: readonly Policy[];
  /**
   * `sha256:…` of the canonical JSON of each policy as written, by its name: a bundle may pin it.
   */
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * Reads policies from files; one with the name of a shipped policy replaces it. Errors:
 * {@link UsageError} with all problems of all policies together: duplicate ids, circular orders,
 * rules that no fleet can meet.
 */
export async function loadPolicies(
  io: Pick<Io, 'readFile' | 'bundleCrypto'>,
  paths: readonly string[],
): Promise<PoliciesAtHand> {
  const given = await Promise.all(
    paths.map(async (source): Promise<WrittenPolicy> => {
      const { value, lineOf, written } = await readInput(io, policy, source);
      return { policy: value, source, lineOf, written: written.json };
    }),
  );
  const names = new Set(given.map((one) => one.policy.metadata.name));
  const files = shippedPolicyFiles();
  const shipped = shippedPolicies()
    .map((one, at): WrittenPolicy => {
      return { policy: one, source: `policy ${one.metadata.name} of isthmus`, lineOf: () => 1, written: files[at] };
    })
    .filter((one) => !names.has(one.policy.metadata.name));
  const all = [...shipped, ...given];
  const problems = given.length === 0 ? [] : policyProblems(all);
  if (problems.length > 0) {
    throw new UsageError(['the policies contradict each other', ...problems.map(problemLine)].join('\n'));
  }
  const digests = all.map(({ policy: { metadata }, written }): readonly [string, string] => [
    metadata.name,
    `sha256:${io.bundleCrypto.sha256(canonicalText(written))}`,
  ]);
  return { policies: all.map((one) => one.policy), digests: new Map(digests) };
}

/** A policy, and the JSON that it was written as. */
type WrittenPolicy = PolicyFile & { readonly written: unknown };
