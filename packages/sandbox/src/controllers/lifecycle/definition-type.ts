import { CustomResourceDefinition } from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';

/** A CRD, as far as its resource depends on it. */
export interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean; readonly storage: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined;
  };
}

export const definitionType: ResourceType<Definition> = {
  group: CustomResourceDefinition.group,
  version: CustomResourceDefinition.version,
  kind: CustomResourceDefinition.kind,
  plural: CustomResourceDefinition.plural,
  namespaced: false,
};

/**
 * The resource of an established CRD, in its storage version; undefined if the CRD serves none, or
 * is being deleted.
 */
export function typeOfDefinition({ metadata, spec, status }: Definition): ResourceType | undefined {
  const isEstablished = (status?.conditions ?? []).some(
    ({ type, status: value }) => type === 'Established' && value === 'True',
  );
  const served = spec.versions.filter((version) => version.served);
  const version = (served.find(({ storage }) => storage) ?? served[0])?.name;
  if (!isEstablished || version === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const { kind, plural } = spec.names;
  return { group: spec.group, version, kind, plural, namespaced: spec.scope === 'Namespaced' };
}
