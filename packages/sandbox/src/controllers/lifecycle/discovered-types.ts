import type { Client } from '@isthmus/kube';
import { resourceNameOf } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';

/** A resource whose objects can be listed, watched and deleted. */
export type DiscoveredType = ResourceType;

/**
 * The resources that the API server serves at this moment, each in the version that its group
 * prefers. Only those that can be listed, watched and deleted. Events only in the core group, since
 * those of the other group are the same objects.
 */
export async function discoverTypes(client: Client, signal: AbortSignal): Promise<readonly DiscoveredType[]> {
  const found = new Map<string, DiscoveredType>();
  for (const path of ['/api', '/apis']) {
    const { text } = await client.request({ method: 'GET', path, headers: { accept } }, { signal });
    for (const type of typesOf(JSON.parse(text) as GroupDiscoveryList)) {
      const name = resourceNameOf(type);
      if (name !== 'events.events.k8s.io' && !found.has(name)) found.set(name, type);
    }
  }
  return [...found.values()];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const needed = ['delete', 'list', 'watch'];

function typesOf({ items = [] }: GroupDiscoveryList): readonly DiscoveredType[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources
        .filter(({ verbs }) => needed.every((verb) => verbs.includes(verb)))
        .map(({ resource, responseKind, scope }) => ({
          group: metadata?.name ?? '',
          version,
          kind: responseKind.kind,
          plural: resource,
          namespaced: scope === 'Namespaced',
        })),
    ),
  );
}

/** apidiscovery.k8s.io/v2, the part that is read. */
interface GroupDiscoveryList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind: { readonly kind: string };
        readonly scope: string;
        readonly verbs: readonly string[];
      }[];
    }[];
  }[];
}
