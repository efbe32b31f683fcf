import type { Library } from './library.ts';

/** An action that an expression asks about: of a resource, or of a path outside of the API. */
export type AskedAction =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string | undefined;
      readonly namespace: string | undefined;
      readonly name: string | undefined;
    }
  | { readonly kind: 'non-resource'; readonly verb: string; readonly path: string };

/** The resource of a check; texts that are empty do not restrict it. */
export interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Decides an action of the ServiceAccount; undefined: of the sender of the request. */
export type Decide = (
  action: AskedAction,
  account: { readonly namespace: string; readonly name: string } | undefined,
) => { readonly allowed: boolean; readonly reason: string };

type Check = (verb: string) => Decision;

/** `authorizer` in an expression of admission. */
export class Authorizer {
  readonly decide: Decide;
  readonly account: Parameters<Decide>[1];
  /** The resource of the request. */
  readonly requestResource: ResourceCheck;

  constructor(decide: Decide, requested: CheckedResource, account?: Parameters<Decide>[1]) {
    this.decide = decide;
    this.account = account;
    this.requestResource = new ResourceCheck(this, requested);
  }

  check(action: AskedAction): Decision {
    const { allowed, reason } = this.decide(action, this.account);
    return new Decision(allowed, reason);
  }
}

class GroupCheck {
  readonly authorizer: Authorizer;
  readonly group: string;
  constructor(authorizer: Authorizer, group: string) {
    this.authorizer = authorizer;
    this.group = group;
  }
}

class ResourceCheck {
  readonly authorizer: Authorizer;
  readonly checked: CheckedResource;
  constructor(authorizer: Authorizer, checked: CheckedResource) {
    this.authorizer = authorizer;
    this.checked = checked;
  }
  with(more: Partial<CheckedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.checked, ...more });
  }
  check: Check = (verb) => {
    const { group, resource, subresource, namespace, name } = this.checked;
    const given = (text: string | undefined) => (text === '' ? undefined : text);
    return this.authorizer.check({
      kind: 'resource',
      verb,
      group,
      version: '*',
      resource,
      subresource: given(subresource),
      namespace: given(namespace),
      name: given(name),
    });
  };
}

class PathCheck {
  readonly authorizer: Authorizer;
  readonly path: string;
  constructor(authorizer: Authorizer, path: string) {
    this.authorizer = authorizer;
    this.path = path;
  }
  check: Check = (verb) => this.authorizer.check({ kind: 'non-resource', verb, path: this.path });
}

class Decision {
  readonly allowed: boolean;
  readonly reason: string;
  constructor(allowed: boolean, reason: string) {
    this.allowed = allowed;
    this.reason = reason;
  }
}

const group = 'kubernetes.authorization';
const authorizer = `${group}.Authorizer`;
const groupCheck = `${group}.GroupCheck`;
const resourceCheck = `${group}.ResourceCheck`;
const pathCheck = `${group}.PathCheck`;
const decision = `${group}.Decision`;

/** The name of the type of `authorizer`. */
export const authorizerType = authorizer;

/**
 * Questions to the authorizer (Kubernetes' authz library). RBAC reads no selectors, and a decision
 * of RBAC is never an error.
 */
export const authorizerLibrary: Library = {
  types: {
    [resourceCheck]: ResourceCheck,
    [authorizer]: { ctor: Authorizer, fields: { requestResource: resourceCheck } },
    [groupCheck]: GroupCheck,
    [pathCheck]: PathCheck,
    [decision]: Decision,
  },
  functions: {
    [`${authorizer}.group(string): ${groupCheck}`]: (asked: Authorizer, name: string) => new GroupCheck(asked, name),
    [`${authorizer}.path(string): ${pathCheck}`]: (asked: Authorizer, path: string) => {
      if (path === '') throw new Error('path must not be empty');
      return new PathCheck(asked, path);
    },
    [`${authorizer}.serviceAccount(string, string): ${authorizer}`]: (
      { decide, requestResource }: Authorizer,
      namespace: string,
      name: string,
    ) => new Authorizer(decide, requestResource.checked, { namespace, name }),
    [`${groupCheck}.resource(string): ${resourceCheck}`]: (
      { authorizer: asked, group }: GroupCheck,
      resource: string,
    ) => new ResourceCheck(asked, { group, resource }),
    [`${resourceCheck}.subresource(string): ${resourceCheck}`]: (check: ResourceCheck, subresource: string) =>
      check.with({ subresource }),
    [`${resourceCheck}.namespace(string): ${resourceCheck}`]: (check: ResourceCheck, namespace: string) =>
      check.with({ namespace }),
    [`${resourceCheck}.name(string): ${resourceCheck}`]: (check: ResourceCheck, name: string) => check.with({ name }),
    [`${resourceCheck}.fieldSelector(string): ${resourceCheck}`]: (check: ResourceCheck) => check,
    [`${resourceCheck}.labelSelector(string): ${resourceCheck}`]: (check: ResourceCheck) => check,
    [`${resourceCheck}.check(string): ${decision}`]: ({ check }: ResourceCheck, verb: string) => check(verb),
    [`${pathCheck}.check(string): ${decision}`]: ({ check }: PathCheck, verb: string) => check(verb),
    [`${decision}.allowed(): bool`]: ({ allowed }: Decision) => allowed,
    [`${decision}.reason(): string`]: ({ reason }: Decision) => reason,
    [`${decision}.errored(): bool`]: () => false,
    [`${decision}.error(): string`]: () => '',
  },
};
