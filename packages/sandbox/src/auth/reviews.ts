import { rfc3339 } from '@isthmus/machinery';
import type { Core, Target } from '../server/core.ts';
import { badRequest, invalid, invalidValue } from '../server/refusal.ts';
import type { Stored } from '../store/stored.ts';
import type { Ask, Authorizer } from './authorizer.ts';
import type { PolicyRule } from './policy-rule.ts';
import { grantsOf } from './rbac.ts';
import { issuer } from './service-account-tokens.ts';
import type { TokenVerdict } from './service-account-tokens.ts';
import type { UserInfo } from './user-info.ts';

/** What the answers to reviews come from. */
export interface ReviewParts {
  readonly authorizer: Authorizer;
  /** Judges a token for these audiences. */
  readonly verify: (token: string, audiences: readonly string[]) => TokenVerdict;
}

/** Answers a review: an object that is created only to be answered. `target.user` asks. */
export function review(core: Core, parts: ReviewParts, target: Target, given: Stored): Stored {
  switch (target.resource.kind) {
    case 'SelfSubjectAccessReview':
      return accessReview(parts, given, target.user);
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
      return accessReview(parts, given, subjectOf(given, target));
    case 'SelfSubjectRulesReview':
      return rulesReview(core, given, target.user);
    case 'TokenReview':
      return tokenReview(parts, given);
    case 'SelfSubjectReview': {
      const metadata = { ...given.metadata, creationTimestamp: rfc3339(core.clock.now()) };
      return { ...given, metadata, status: { userInfo: target.user } };
    }
    default:
      throw badRequest(`${target.resource.kind} is no review`);
  }
}

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes | undefined;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string } | undefined;
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly uid?: string | undefined;
}

interface ResourceAttributes {
  readonly namespace?: string | undefined;
  readonly verb?: string | undefined;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly name?: string | undefined;
}

function accessReview({ authorizer }: ReviewParts, given: Stored, user: UserInfo): Stored {
  const { resourceAttributes, nonResourceAttributes } = specOf(given);
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    throw invalidReview(invalidValue('spec.resourceAttributes', null, detail));
  }
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const { path = '', verb = '' } = nonResourceAttributes;
    const detail = 'cannot be specified in combination with resourceAttributes';
    throw invalidReview(invalidValue('spec.nonResourceAttributes', { Path: path, Verb: verb }, detail));
  }
  const verdict = authorizer.authorize(user, askOf(resourceAttributes, nonResourceAttributes));
  const reason = verdict.reason === '' ? {} : { reason: verdict.reason };
  return { ...given, status: { allowed: verdict.allowed, ...reason } };
}

function askOf(
  resource: ResourceAttributes | undefined,
  path: { readonly path?: string; readonly verb?: string } | undefined,
): Ask {
  if (resource === undefined) return { kind: 'non-resource', path: path?.path ?? '', verb: path?.verb ?? '' };
  const orNone = (text: string | undefined) => (text === undefined || text === '' ? undefined : text);
  return {
    kind: 'resource',
    verb: resource.verb ?? '',
    group: resource.group ?? '',
    version: resource.version ?? '',
    namespace: orNone(resource.namespace),
    resource: resource.resource ?? '',
    name: orNone(resource.name),
    subresource: orNone(resource.subresource),
  };
}

function subjectOf(given: Stored, { resource, namespace }: Target): UserInfo {
  const { user = '', groups = [], extra, uid, resourceAttributes } = specOf(given);
  if (user === '' && groups.length === 0) {
    throw invalidReview(invalidValue('spec.user', '', 'at least one of user or group must be specified'));
  }
  if (resource.kind === 'LocalSubjectAccessReview' && resourceAttributes?.namespace !== namespace) {
    throw invalidReview(
      invalidValue(
        'spec.resourceAttributes.namespace',
        resourceAttributes?.namespace ?? '',
        'must match metadata.namespace',
      ),
    );
  }
  return {
    username: user,
    groups,
    ...(uid !== undefined && { uid }),
    ...(extra !== undefined && { extra }),
  };
}

function rulesReview(core: Core, given: Stored, user: UserInfo): Stored {
  const { namespace = '' } = (given['spec'] ?? {}) as { readonly namespace?: string | undefined };
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, problems } = grantsOf(core.context, user, namespace);
  const resourceRules = rules
    .filter(({ rule }) => (rule.resources ?? []).length > 0)
    .map(({ rule }) => resourceRule(rule));
  const nonResourceRules = rules
    .filter(({ rule }) => (rule.nonResourceURLs ?? []).length > 0)
    .map(({ rule: { verbs, nonResourceURLs } }) => ({ verbs, nonResourceURLs }));
  const evaluationError = problems.length === 0 ? {} : { evaluationError: problems.join(', ') };
  const { managedFields: _, ...metadata } = given.metadata as Stored['metadata'] & { readonly managedFields?: unknown };
  return {
    ...given,
    metadata,
    spec: {},
    status: { resourceRules, nonResourceRules, incomplete: problems.length > 0, ...evaluationError },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return { verbs, apiGroups, resources, ...(resourceNames !== undefined && { resourceNames }) };
}

function tokenReview({ verify }: ReviewParts, given: Stored): Stored {
  const { token = '', audiences = [] } = (given['spec'] ?? {}) as {
    readonly token?: string | undefined;
    readonly audiences?: readonly string[] | undefined;
  };
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const wanted = audiences.length === 0 ? [issuer] : audiences;
  const { user, error, audiences: held = [] } = verify(token, wanted);
  if (user === undefined) return { ...given, status: { user: {}, error } };
  const authenticated = { ...user, groups: [...user.groups, 'system:authenticated'] };
  return {
    ...given,
    status: { authenticated: true, user: authenticated, audiences: wanted.filter((each) => held.includes(each)) },
  };
}

function specOf(given: Stored): AccessSpec {
  const { spec = {} } = given as { readonly spec?: AccessSpec | undefined };
  return spec;
}

/** Here the real server leaves the kind out. */
function invalidReview(error: ReturnType<typeof invalidValue>): Error {
  return invalid({ group: 'authorization.k8s.io', kind: '' }, '', [error]);
}
