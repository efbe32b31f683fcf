import type { FieldError } from '@isthmus/schema';
import { rfc3339 } from '@isthmus/machinery';
import type { Core } from '../core/core.ts';
import type { Target } from '../core/target.ts';
import { badRequest, invalid, invalidValue, requiredValue } from '../refusal/refusal.ts';
import { anonymous } from '../authentication/authenticator.ts';
import type { Stored } from '../store/stored.ts';
import type { Ask, Authorizer } from '../request/authorizer.ts';
import type { PolicyRule } from '../authorization/policy-rule.ts';
import { grantsOf } from '../authorization/rbac.ts';
import { issuer } from '../authentication/service-account-tokens.ts';
import type { TokenVerdict } from '../authentication/service-account-tokens.ts';
import type { UserInfo } from '../request/user-info.ts';

/** The sources of the answers to reviews. */
export interface ReviewParts {
  readonly authorizer: Authorizer;
  /** Judges a token for these audiences. */
  readonly verify: (token: string, audiences: readonly string[]) => TokenVerdict;
}

/** Answers a review: an object that is answered and not stored. `target.user` is its sender. */
export function review(core: Core, parts: ReviewParts, target: Target, given: Stored): Stored {
  switch (target.resource.kind) {
    case 'SelfSubjectAccessReview':
      checkAccessReview(target, given);
      return accessReview(parts, given, target.user);
    case 'SubjectAccessReview':
    case 'LocalSubjectAccessReview':
      checkAccessReview(target, given);
      return accessReview(parts, given, subjectOf(given));
    case 'SelfSubjectRulesReview':
      return rulesReview(core, given, target.user);
    case 'TokenReview':
      return tokenReview(parts, given);
    case 'SelfSubjectReview': {
      const metadata = { ...given.metadata, creationTimestamp: rfc3339(core.clock.now()) };
      return { ...given, metadata, status: { userInfo: target.user } };
    }
    default:
      throw badRequest(`${target.resource.kind} is not a review`);
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
  readonly fieldSelector?: ReviewSelector | undefined;
  readonly labelSelector?: ReviewSelector | undefined;
}

interface ReviewSelector {
  readonly rawSelector?: string | undefined;
  readonly requirements?:
    | readonly { readonly key?: string; readonly operator?: string; readonly values?: readonly string[] }[]
    | undefined;
}

function accessReview({ authorizer }: ReviewParts, given: Stored, user: UserInfo): Stored {
  const { resourceAttributes, nonResourceAttributes } = specOf(given);
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

/**
 * Checks the spec and metadata of an access review. Errors: 422 with every error; as on the real
 * server, its message does not name the kind.
 */
export function checkAccessReview({ resource: { kind }, namespace }: Target, given: Stored): void {
  const { resourceAttributes, nonResourceAttributes, user = '', groups = [] } = specOf(given);
  const { path = '', verb = '' } = nonResourceAttributes ?? {};
  const paths = (detail: string) => invalidValue('spec.nonResourceAttributes', { Path: path, Verb: verb }, detail);
  const errors: FieldError[] = [];
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalidValue('spec.resourceAttributes', null, detail));
  }
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    errors.push(paths('cannot be specified in combination with resourceAttributes'));
  }
  if (kind !== 'SelfSubjectAccessReview' && user === '' && groups.length === 0) {
    errors.push(invalidValue('spec.user', '', 'at least one of user or group must be specified'));
  }
  for (const field of ['fieldSelector', 'labelSelector'] as const) {
    errors.push(...selectorErrors(`spec.resourceAttributes.${field}`, resourceAttributes?.[field]));
  }
  const isLocal = kind === 'LocalSubjectAccessReview';
  const {
    name,
    namespace: within,
    managedFields,
    ...more
  } = given.metadata as unknown as Readonly<Record<string, unknown>>;
  if (name !== '' || Object.keys(more).length > 0) {
    const metadata = {
      ...(name !== '' && { name }),
      ...(within !== undefined && { namespace: within }),
      ...more,
      managedFields,
    };
    errors.push(invalidValue('metadata', metadata, isLocal ? 'must be empty except for namespace' : 'must be empty'));
  }
  const about = resourceAttributes?.namespace ?? '';
  if (isLocal && resourceAttributes !== undefined && about !== namespace) {
    errors.push(invalidValue('spec.resourceAttributes.namespace', about, 'must match metadata.namespace'));
  }
  if (isLocal && nonResourceAttributes !== undefined) errors.push(paths('disallowed on this kind of request'));
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function selectorErrors(path: string, selector: ReviewSelector | undefined): readonly FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    errors.push(invalidValue(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  }
  if (rawSelector === '' && requirements.length === 0) {
    const detail = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(requiredValue(`${path}.requirements`, detail));
  }
  for (const [index, { key = '', operator = '', values = [] }] of requirements.entries()) {
    const at = `${path}.requirements[${index}]`;
    if (key === '') errors.push(requiredValue(`${at}.key`, 'must be specified'));
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
      errors.push(requiredValue(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push({ path: `${at}.values`, type: 'Forbidden', value: '', detail });
    }
  }
  return errors;
}

function subjectOf(given: Stored): UserInfo {
  const { user = '', groups = [], extra, uid } = specOf(given);
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
    status: { resourceRules, nonResourceRules, incomplete: false, ...evaluationError },
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
  // The real server's authenticators treat a blank token as an absent one.
  const {
    user,
    error,
    audiences: held = [],
  } = token.trim() === '' ? { user: anonymous, error: '', audiences: wanted } : verify(token, wanted);
  if (user === undefined) return { ...given, status: { user: {}, error } };
  const authenticated = user === anonymous ? user : { ...user, groups: [...user.groups, 'system:authenticated'] };
  return {
    ...given,
    status: { authenticated: true, user: authenticated, audiences: wanted.filter((each) => held.includes(each)) },
  };
}

function specOf(given: Stored): AccessSpec {
  const { spec = {} } = given as { readonly spec?: AccessSpec | undefined };
  return spec;
}
