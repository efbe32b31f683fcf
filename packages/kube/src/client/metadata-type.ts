import type { KubernetesObject, ResourceType } from '@isthmus/machinery';

/**
 * An object of which only the metadata is known. `apiVersion` and `kind` are those of the object
 * that it describes.
 */
export type PartialObjectMetadata = KubernetesObject;

/**
 * A resource of which only the metadata is read: the server leaves the rest out of its answers.
 * Serves get, list, watch, patch and delete; create and update are refused.
 */
export interface MetadataType extends ResourceType<PartialObjectMetadata> {
  readonly view: 'metadata';
}

/** The metadata-only view of a resource. */
export function metadataOf(type: ResourceType): MetadataType {
  const { group, version, kind, plural, namespaced } = type;
  return { group, version, kind, plural, namespaced, view: 'metadata' };
}

/** Whether requests for this type ask for metadata only. */
export function isMetadataType(type: ResourceType): type is MetadataType {
  return 'view' in type && type.view === 'metadata';
}
