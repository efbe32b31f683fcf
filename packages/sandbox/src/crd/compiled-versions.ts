import { compileSchema } from '@isthmus/machinery';
import type { CompiledSchema, JsonSchema } from '@isthmus/machinery';
import type { Definition } from './definition.ts';

/** The compiled schema of each version of a definition, by `group/version`. */
export type CompiledVersions = (apiVersion: string) => CompiledSchema;

/** Compiles each version when it is first asked for, and once. A version that the definition no longer has keeps all that an object has. */
export function compiledVersions({ spec: { group, versions } }: Definition): CompiledVersions {
  const compiled = new Map<string, CompiledSchema>();
  return (apiVersion) => {
    let schema = compiled.get(apiVersion);
    if (schema === undefined) {
      const written = versions.find(({ name }) => `${group}/${name}` === apiVersion)?.schema?.openAPIV3Schema;
      schema = compileSchema(written ?? keepsAll, { isResourceRoot: true });
      compiled.set(apiVersion, schema);
    }
    return schema;
  };
}

const keepsAll: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
