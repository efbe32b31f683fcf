import { compileSchema } from '@isthmus/schema';
import type { CompiledSchema, JsonSchema } from '@isthmus/schema';
import type { Rules } from '@isthmus/schema/cel';
import { compileRules } from '@isthmus/schema/cel';
import { typeOfSchema } from '../typed/type-of-schema.ts';
import type { StructNode } from '../typed/type-node.ts';
import type { Definition } from './definition.ts';

/**
 * The schema of a version, compiled into the forms that validation, patches and ownership use.
 * Derived from the schema alone.
 */
export interface CompiledVersion {
  readonly schema: JsonSchema;
  /** The shape of its objects: for patches and field ownership. */
  readonly type: StructNode;
  readonly object: CompiledSchema;
  readonly status: CompiledSchema;
  readonly rules: Rules | undefined;
}

export type VersionCompiler = (schema: JsonSchema) => CompiledVersion;

export function compileVersion(schema: JsonSchema): CompiledVersion {
  return {
    schema,
    type: typeOfSchema(schema, { isResourceRoot: true }) as StructNode,
    object: compileSchema(schema, { isResourceRoot: true }),
    status: compileSchema(schema.properties?.['status'] ?? {}),
    rules: compileRules(schema),
  };
}

/**
 * Compiles a schema once for all sandboxes that share the compiler: for fleets, whose clusters have
 * the same definitions.
 */
export function sharedCompiler(): VersionCompiler {
  const compiled = new Map<string, CompiledVersion>();
  let characters = 0;
  return (schema) => {
    // The key keeps the order of the fields, since errors are reported in it.
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known !== undefined) return known;
    const version = compileVersion(schema);
    if (text.length > rememberedCharacters) return version;
    if (characters + text.length > rememberedCharacters) {
      compiled.clear();
      characters = 0;
    }
    compiled.set(text, version);
    characters += text.length;
    return version;
  };
}

/**
 * The limit of remembered text, after which everything is dropped: definitions come and go. The
 * compiled form of a schema takes about twenty times its text. All schemas of Isthmus have a tenth
 * of the limit.
 */
const rememberedCharacters = 2_000_000;

/** The versions of a definition, compiled, by `group/version`. */
export type CompiledVersions = (apiVersion: string) => CompiledVersion;

/**
 * Compiles each version when it is first needed. A version that the definition no longer has keeps
 * all fields of an object.
 */
export function compiledVersions(
  { spec: { group, versions } }: Definition,
  compile: VersionCompiler,
): CompiledVersions {
  const compiled = new Map<string, CompiledVersion>();
  return (apiVersion) => {
    let version = compiled.get(apiVersion);
    if (version === undefined) {
      const written = versions.find(({ name }) => `${group}/${name}` === apiVersion)?.schema?.openAPIV3Schema;
      compiled.set(apiVersion, (version = compile(written ?? keepsAll)));
    }
    return version;
  };
}

const keepsAll: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
