import type { JsonSchema, KubernetesObject, ResourceType } from '@isthmus/machinery';

/** A kind that a stand-in serves: a version of a custom resource (it carries a schema), or a built-in kind (it carries none). */
export interface ServedType extends ResourceType {
  /** Whether `status` is written only through its subresource. */
  readonly statusSubresource: boolean;
  readonly schema?: JsonSchema | undefined;
}

/** An object as it is stored: with `kind`, without `apiVersion`, which is that of the request. Frozen. */
export interface Stored extends KubernetesObject {
  readonly [field: string]: unknown;
}

/** All versions of a kind share one storage. */
export function storageKeyOf(type: Pick<ResourceType, 'group' | 'plural'>): string {
  return `${type.group}/${type.plural}`;
}

/** What the real server does differently for kinds that are compiled into it (measured with 1.36). */
interface BuiltInRules {
  /** `metadata.generation`: not kept, bumped with the spec, or bumped with labels too. Default none. */
  readonly generation?: 'spec' | 'spec-and-labels' | undefined;
  /** Whether DELETE answers with the object instead of a Status. */
  readonly deleteReturnsObject?: boolean | undefined;
  /** Whether PUT must name a resourceVersion, as custom resources must. */
  readonly conditionalUpdateOnly?: boolean | undefined;
  /** Whether names are DNS labels instead of subdomains. */
  readonly labelName?: boolean | undefined;
}

const builtIns: Readonly<Record<string, BuiltInRules>> = {
  '/namespaces': { deleteReturnsObject: true, labelName: true },
  '/services': { deleteReturnsObject: true, labelName: true },
  '/serviceaccounts': { deleteReturnsObject: true },
  '/pods': { deleteReturnsObject: true, generation: 'spec' },
  'apps/deployments': { generation: 'spec' },
  'discovery.k8s.io/endpointslices': { generation: 'spec-and-labels' },
  'coordination.k8s.io/leases': { conditionalUpdateOnly: true },
};

/** The rules of a kind. */
export function rulesOf(type: ServedType): BuiltInRules {
  if (type.schema !== undefined) return { generation: 'spec', conditionalUpdateOnly: true };
  return builtIns[storageKeyOf(type)] ?? {};
}
