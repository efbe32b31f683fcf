import type { KubernetesObject, ResourceType } from '@isthmus/machinery';

/** The kind of the runtime's own tests. */
export interface Thing extends KubernetesObject {
  readonly spec?:
    | { readonly size?: number | undefined; readonly finalizers?: readonly string[] | undefined }
    | undefined;
}

export const Thing: ResourceType<Thing> = {
  group: 'example.io',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};

/** A Thing as a server would send it. */
export function thing(name: string, metadata: Partial<Thing['metadata']> = {}, size?: number): Thing {
  const spec = size === undefined ? {} : { spec: { size } };
  return {
    apiVersion: 'example.io/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
    ...spec,
  };
}
