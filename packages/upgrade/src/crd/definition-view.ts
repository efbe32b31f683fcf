import { withDefinitionDefaults } from '@isthmus/schema';
import type { CustomResourceDefinition, DefinitionVersion, JsonSchema, StoredDefinition } from '@isthmus/schema';

/** A CRD as it is asked about here: with the API server's defaults, its versions by name. */
export interface DefinitionView {
  readonly name: string;
  readonly definition: StoredDefinition;
  readonly versions: ReadonlyMap<string, DefinitionVersion>;
  /** Names, in the order of the CRD. */
  readonly served: readonly string[];
  /** The version that objects are stored in; undefined where not exactly one is marked. */
  readonly storage: string | undefined;
  readonly isWebhook: boolean;
  /**
   * Whether the CRD lists the versions in which objects are stored; a CRD from a release does not.
   */
  readonly isStorageKnown: boolean;
}

export function viewOf(crd: CustomResourceDefinition): DefinitionView {
  // The two types agree on the content of requests; a StoredDefinition also has the defaults, which
  // are filled in here.
  const definition = withDefinitionDefaults(crd as unknown as StoredDefinition);
  const { versions, conversion } = definition.spec;
  const stored = versions.filter(({ storage }) => storage === true);
  return {
    name: crd.metadata.name,
    definition,
    versions: new Map(versions.map((version) => [version.name, version])),
    served: versions.filter(({ served }) => served === true).map(({ name }) => name),
    storage: stored.length === 1 ? stored[0]?.name : undefined,
    isWebhook: conversion?.strategy === 'Webhook',
    isStorageKnown: (crd.status?.storedVersions ?? []).length > 0,
  };
}

/** The schema of a version; undefined where it has none. */
export function schemaOf(view: DefinitionView | undefined, version: string | undefined): JsonSchema | undefined {
  return version === undefined ? undefined : view?.versions.get(version)?.schema?.openAPIV3Schema;
}
