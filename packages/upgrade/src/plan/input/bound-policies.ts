import { canonicalJson } from '@isthmus/machinery';
import type { PlanInput } from './plan-input.ts';

/**
 * The policies that a plan is bound to, beside bundle and snapshot: by name, each with its digest.
 */
export function boundPolicies({
  policies,
  policyDigests,
  sha256,
}: Pick<PlanInput, 'policies' | 'policyDigests' | 'sha256'>): readonly {
  readonly name: string;
  readonly digest: string;
}[] {
  return policies
    .map(({ metadata: { name }, spec }) => ({
      name,
      digest: policyDigests?.get(name) ?? `sha256:${sha256(canonicalJson(spec))}`,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
