import { customResources } from '@isthmus/api';
import { crdOf } from '@isthmus/schema';
import type { JsonSchema, ResourceDefinition } from '@isthmus/schema';
import type fc from 'fast-check';
import { metadata, objects } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';
import { valuesOf } from '../values-of-schema.ts';

/** Every served version of every custom resource of our own. */
export const ownKinds: readonly GeneratedKind[] = customResources.flatMap(kindsOf);

function kindsOf(definition: ResourceDefinition): readonly GeneratedKind[] {
  const crd = crdOf(definition);
  const { group, scope, names, versions } = crd.spec;
  return versions
    .filter(({ served }) => served)
    .map(({ name, schema }) => ({
      name: versions.length === 1 ? names.plural : `${names.plural}-${name}`,
      path: (namespace) =>
        `/apis/${group}/${name}/${scope === 'Namespaced' ? `namespaces/${namespace}/` : ''}${names.plural}`,
      objects: mutated(objects(`${group}/${name}`, names.kind, partsOf(schema?.openAPIV3Schema ?? {}), metadata)),
      count: 200,
      causesInAnyOrder: true,
      needs: [{ path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', object: { ...crd } }],
    }));
}

function partsOf(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...properties } = schema.properties ?? {};
  return valuesOf({ ...schema, properties }) as fc.Arbitrary<Record<string, unknown>>;
}
