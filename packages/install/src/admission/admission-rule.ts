import type { AdmissionOperation } from '@isthmus/kube';
import type { ResourceType } from '@isthmus/machinery';

/**
 * A rule that the API server evaluates itself, in CEL, in one Namespace: it holds while no process of ours runs, and needs no certificate
 * (docs/adr/0016-admission-policies.md).
 */
export interface AdmissionRule {
  /** Behind the Namespace, the name of the objects in the API server. */
  readonly name: string;
  /** What it refuses, in a sentence for the reference page. */
  readonly docs: string;
  readonly types: readonly Pick<ResourceType, 'group' | 'version' | 'plural'>[];
  readonly operations: readonly AdmissionOperation[];
  /** Judged once for each object of this kind in the Namespace, which is `params`; each has to accept. One must exist. */
  readonly forEach?: Pick<ResourceType, 'group' | 'version' | 'kind'> | undefined;
  /**
   * What becomes of a request that the API server cannot judge; without it, the request is rejected. `Allow` where {@link forEach} is a custom resource: for
   * some seconds after its definition was created the API server does not know it, and after its deletion no longer.
   */
  readonly unjudged?: 'Allow' | undefined;
  /** Which of these requests it judges: an expression over `object`, `oldObject`, `request`, and `params` of {@link forEach}. */
  judges(namespace: string): string;
  /** What an accepted request meets, in this order: the first that it does not is what the caller reads. */
  requires(namespace: string): readonly Requirement[];
}

export interface Requirement {
  readonly expression: string;
  /** Why it is refused, and what to do next. It names no cluster: the caller may have guessed. */
  readonly message: string;
  /** The same with what the caller has sent itself, as an expression; where it has no value, {@link message} is the answer. */
  readonly messageExpression?: string | undefined;
}
