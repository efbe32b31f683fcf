import { isRecord } from '@isthmus/machinery';
import type { Client, CallOptions } from './client.ts';

/** The kinds that an API server answers and does not store. */
export type ReviewKind = 'TokenReview' | 'SubjectAccessReview' | 'SelfSubjectAccessReview' | 'SelfSubjectRulesReview';

/**
 * Asks the API server with a review, and returns the status of its answer; empty where it has none.
 * The typed calls want a name, which reviews must not have. Errors: those of {@link Client};
 * SyntaxError where the answer is not JSON.
 */
export async function askReview(
  client: Client,
  kind: ReviewKind,
  spec: object,
  options?: CallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const apiVersion = `${kind === 'TokenReview' ? 'authentication' : 'authorization'}.k8s.io/v1`;
  const { text } = await client.request(
    {
      method: 'POST',
      path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ apiVersion, kind, spec }),
    },
    options,
  );
  const answer: unknown = JSON.parse(text);
  return isRecord(answer) && isRecord(answer['status']) ? answer['status'] : {};
}
