import type { AdmissionOperation } from '@isthmus/kube';
import type { ResourceType } from '@isthmus/machinery';

/**
 * A rule that the API server evaluates itself, in CEL, in one Namespace. It is in force while no
 * process of ours runs, and needs no certificate (docs/adr/0016-admission-policies.md).
 */
export interface AdmissionRule {
  /** The name of the objects in the API server, after the Namespace. */
  readonly name: string;
  /** The requests that it rejects, in a sentence for the reference page. */
  readonly docs: string;
  readonly types: readonly Pick<ResourceType, 'group' | 'version' | 'plural'>[];
  readonly operations: readonly AdmissionOperation[];
  /** Default: objects of the Namespace of the controller. */
  readonly reach?: 'cluster' | undefined;
  /**
   * The rule is evaluated once for each object of this kind in the Namespace, which is `params`;
   * each must accept. At least one must exist.
   */
  readonly forEach?: Pick<ResourceType, 'group' | 'version' | 'kind'> | undefined;
  /**
   * The result of a request that the API server cannot evaluate; by default the request is
   * rejected. `Allow` if {@link forEach} is a custom resource: the API server does not know it for
   * some seconds after its definition was created, and after its deletion.
   */
  readonly unjudged?: 'Allow' | undefined;
  /**
   * Which of these requests it evaluates: an expression over `object`, `oldObject`, `request`, and
   * `params` of {@link forEach}.
   */
  judges(namespace: string): string;
  /**
   * The requirements of an accepted request, in this order: the caller gets the message of the
   * first that is not met.
   */
  requires(namespace: string): readonly Requirement[];
}

export interface Requirement {
  readonly expression: string;
  /**
   * Why the request is rejected, and what to do next. It names no cluster: the caller may have
   * guessed.
   */
  readonly message: string;
  /**
   * The message with values that the caller has sent itself, as an expression; if it has no value,
   * {@link message} is the answer.
   */
  readonly messageExpression?: string | undefined;
}
