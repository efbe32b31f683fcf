import { apiVersionOf } from '@isthmus/machinery';
import type { ServedResource, Subresource } from '../registry/served-resource.ts';
import { storageVersionHash } from './digest.ts';
import type { ServedGroup, ServedVersion } from './group-versions.ts';

/** `/api`. `address`: the address of the server. */
export function apiVersions(versions: readonly ServedVersion[], address: string): object {
  return {
    kind: 'APIVersions',
    versions: versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** `/apis`. */
export function apiGroupList(groups: readonly ServedGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) };
}

/** `/apis/<group>`. */
export function apiGroup(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
}

function groupOf({ name, versions }: ServedGroup): object {
  const all = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

/** `/api/v1`, `/apis/<group>/<version>`. */
export function apiResourceList({ name }: ServedGroup, { version, resources }: ServedVersion): object {
  return {
    kind: 'APIResourceList',
    ...(name !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group: name, version }),
    resources: resources.flatMap((resource) => [
      resourceOf(resource),
      ...resource.subresources.map((subresource) => subresourceOf(resource, subresource)),
    ]),
  };
}

/**
 * The real server stores some kinds in etcd in an older version than it serves. The hash depends on
 * it.
 */
const encodedAs: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'apiextensions.k8s.io/v1beta1',
  MutatingAdmissionPolicy: 'admissionregistration.k8s.io/v1beta1',
  MutatingAdmissionPolicyBinding: 'admissionregistration.k8s.io/v1beta1',
};

function resourceOf(resource: ServedResource): object {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, virtual, storageVersion, origin } =
    resource;
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(virtual !== true &&
      resource.verbs.includes('create') && {
        storageVersionHash: storageVersionHash(
          (origin === 'built-in' ? encodedAs[kind] : undefined) ?? storageVersion,
          kind,
        ),
      }),
  };
}

function subresourceOf({ plural, namespaced, kind, group, version }: ServedResource, one: Subresource): object {
  const { response } = one;
  // The version is listed only if it differs from that of the list.
  const isForeign = response !== undefined && (response.group !== group || response.version !== version);
  return {
    name: `${plural}/${one.name}`,
    singularName: '',
    namespaced,
    ...(isForeign && { group: response.group, version: response.version }),
    kind: response?.kind ?? kind,
    verbs: one.verbs,
  };
}
