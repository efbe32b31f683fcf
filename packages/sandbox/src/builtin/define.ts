import { dns1123LabelErrors, dns1123SubdomainErrors } from '@isthmus/machinery';
import type { StructNode } from '../typed/type-node.ts';
import type { TableColumns } from '../registry/table-columns.ts';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import { resourceVerbs } from '../request/verbs.ts';
import type { ResourceVerb } from '../request/verbs.ts';
import type { Stored } from '../store/stored.ts';
import type { Strategy } from '../strategy/strategy.ts';
import { decodeTyped } from '../typed/decode.ts';
import { builtInType } from './types/load.ts';
import { nameAndAge } from './name-and-age.ts';

/** A built-in resource, as far as it differs from the usual one. */
export interface BuiltInInput {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular?: string | undefined;
  readonly namespaced?: boolean | undefined;
  readonly shortNames?: readonly string[] | undefined;
  readonly categories?: readonly string[] | undefined;
  readonly verbs?: readonly ResourceVerb[] | undefined;
  readonly virtual?: boolean | undefined;
  readonly subresources?: readonly Subresource[] | undefined;
  readonly columns?: TableColumns | undefined;
  readonly selectable?: Readonly<Record<string, (object: Stored) => string>> | undefined;
  readonly strategy?: Partial<Strategy> | undefined;
  /** The key and the apiVersion of the stored objects, if they are those of another kind. */
  readonly storage?: Pick<ServedResource, 'storageKey' | 'storageVersion' | 'converts'> | undefined;
  /** The text of the `Warning` header for a deprecated version. */
  readonly deprecation?: string | undefined;
  /**
   * The shape of the objects, if the facts about the Go struct do not suffice. Default: the facts
   * alone.
   */
  readonly typeFrom?: ((usual: StructNode) => StructNode) | undefined;
}

export const statusSubresource: Subresource = { name: 'status', kind: 'status', verbs: ['get', 'patch', 'update'] };

export const scaleSubresource: Subresource = {
  name: 'scale',
  kind: 'scale',
  response: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  verbs: ['get', 'patch', 'update'],
};

/**
 * A built-in resource with all that is usual: every verb, names that are DNS subdomains, updates
 * without a resourceVersion.
 */
export function defineBuiltIn(input: BuiltInInput): ServedResource {
  const { group, version, kind, plural } = input;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const usual = builtInType(apiVersion, kind);
  const type = input.typeFrom?.(usual) ?? usual;
  const strategy: Strategy = {
    nameProblems: subdomainName,
    unconditionalUpdate: true,
    createOnUpdate: false,
    deleteReturnsObject: false,
    ...input.strategy,
  };
  return {
    group,
    version,
    kind,
    plural,
    singular: input.singular ?? kind.toLowerCase(),
    namespaced: input.namespaced ?? true,
    shortNames: input.shortNames ?? [],
    categories: input.categories ?? [],
    verbs: input.verbs ?? (input.virtual === true ? ['create'] : resourceVerbs),
    ...(input.virtual === true && { virtual: true }),
    storageKey: `${group}/${plural}`,
    storageVersion: apiVersion,
    type,
    decode: ({ value, oddities }) => decodeTyped(type, value, oddities),
    strategy,
    columns: input.columns ?? nameAndAge,
    subresources: input.subresources ?? [],
    selectable: input.selectable ?? {},
    ...input.storage,
    ...(input.deprecation !== undefined && { deprecation: input.deprecation }),
    origin: 'built-in',
  };
}

/** A prefix may end with a hyphen, since the generated part follows it. */
export function subdomainName(name: string, prefix: boolean): readonly string[] {
  return dns1123SubdomainErrors(prefix ? masked(name) : name).map(inCharacters);
}

export function labelName(name: string, prefix: boolean): readonly string[] {
  return dns1123LabelErrors(prefix ? masked(name) : name).map(inCharacters);
}

/**
 * A name of an RBAC object may contain any character that a path segment may contain, such as a
 * colon.
 */
export function pathSegmentName(name: string, prefix: boolean): readonly string[] {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((each) => name.includes(each)).map((each) => `may not contain '${each}'`);
}

/** The real server's errors for names of built-in kinds count characters, not bytes. */
function inCharacters(problem: string): string {
  return problem.replace(/ bytes$/, ' characters');
}

function masked(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -1)}a` : name;
}
