import type { NonResourceRequest, ResourceRequest } from './request-info.ts';
import type { UserInfo } from './user-info.ts';

export interface Verdict {
  readonly allowed: boolean;
  /** The reason, as it is in the answer to a SubjectAccessReview. */
  readonly reason: string;
}

/**
 * An action to authorize: a request, or a verb that no request has (`impersonate`, `bind`,
 * `escalate`).
 */
export type Ask = (Omit<ResourceRequest, 'verb'> & { readonly verb: string }) | NonResourceRequest;

export interface Authorizer {
  authorize(user: UserInfo, ask: Ask): Verdict;
}
