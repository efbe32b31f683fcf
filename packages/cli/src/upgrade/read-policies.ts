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

/**
 * The policies that hold: those that ship, and those of files. Errors: {@link UsageError} with all that is wrong with them, taken together: ids that are
 * there twice, orders in a circle, rules that no fleet can meet.
 */
export async function readPolicies(io: Pick<Io, 'readFile'>, files: string | undefined): Promise<readonly Policy[]> {
  return (await policiesAtHand(io, files)).map((one) => one.policy);
}

/** As {@link readPolicies}: `sha256:…` of the canonical JSON of what was written, by the name of the policy; what a bundle may pin. */
export async function readPolicyDigests(
  io: Pick<Io, 'readFile' | 'bundleCrypto'>,
  files: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const digests = (await policiesAtHand(io, files)).map(
    ({ policy: { metadata }, written }): readonly [string, string] => [
      metadata.name,
      `sha256:${io.bundleCrypto.sha256(canonicalText(written))}`,
    ],
  );
  return new Map(digests);
}

/** A policy, and the JSON that it was written as. */
type WrittenPolicy = PolicyFile & { readonly written: unknown };

async function policiesAtHand(io: Pick<Io, 'readFile'>, files: string | undefined): Promise<readonly WrittenPolicy[]> {
  const given = await Promise.all(
    (files?.split(',') ?? []).map(async (source): Promise<WrittenPolicy> => {
      const { value, lineOf, written } = await readInput(io, policy, source);
      return { policy: value, source, lineOf, written: written.json };
    }),
  );
  const names = new Set(given.map((one) => one.policy.metadata.name));
  const written = shippedPolicyFiles();
  const shipped = shippedPolicies()
    .map((one, at): WrittenPolicy => {
      return { policy: one, source: `policy ${one.metadata.name} of isthmus`, lineOf: () => 1, written: written[at] };
    })
    .filter((one) => !names.has(one.policy.metadata.name));
  const all = [...shipped, ...given];
  const problems = given.length === 0 ? [] : policyProblems(all);
  if (problems.length > 0) {
    throw new UsageError(['the policies cannot hold together', ...problems.map(problemLine)].join('\n'));
  }
  return all;
}
