import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import type { ServedGroup } from './group-versions.ts';

/**
 * The media type of an aggregated document. `apidiscovery.k8s.io/v2` alone: 1.36 has dropped
 * `v2beta1`.
 */
export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** `/api` and `/apis` with everything below them in one document. */
export function apiGroupDiscoveryList(groups: readonly ServedGroup[]): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(resourceOf),
        freshness: 'Current',
      })),
    })),
  };
}

function resourceOf(resource: ServedResource): object {
  const { plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: kindOf(resource),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && { subresources: subresources.map((one) => subresourceOf(resource, one)) }),
  };
}

function subresourceOf(resource: ServedResource, { name, response, verbs }: Subresource): object {
  const isForeign =
    response !== undefined && (response.group !== resource.group || response.version !== resource.version);
  const own = kindOf(resource);
  const responseKind = isForeign ? response : response === undefined ? own : { ...own, kind: response.kind };
  return { subresource: name, responseKind, verbs };
}

/** Built-in kinds leave out the group and version, which the document already contains. */
function kindOf({ origin, group, version, kind }: ServedResource): { group: string; version: string; kind: string } {
  return origin === 'custom' ? { group, version, kind } : { group: '', version: '', kind };
}

/**
 * Whether an `Accept` header names the aggregated form, at any position. Otherwise the plain form
 * is sent.
 */
export function acceptsAggregated(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((clause) => {
    const [type, ...parameters] = clause.split(';').map((part) => part.trim());
    return type === 'application/json' && aggregatedParameters.every((each) => parameters.includes(each));
  });
}

const aggregatedParameters = ['g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'];
