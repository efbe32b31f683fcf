import type { KubernetesObject } from '../object.ts';
import { apiVersionOf } from '../resource-type.ts';
import { compileSchema } from './compile.ts';
import { invalid } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { validateObjectMeta } from './object-meta.ts';
import type { ResourceDefinition, ResourceVersion } from './resource.ts';

/** What the API server would make of an object, and what it would say. */
export interface Admission<T extends KubernetesObject> {
  /** Pruned and defaulted; of its type only where `errors` is empty. */
  readonly object: T;
  /** The paths of the fields that were pruned, sorted: strict decoding refuses each. */
  readonly unknownFields: readonly string[];
  readonly errors: readonly FieldError[];
}

/** One version of a kind made ready to judge objects. */
export interface CompiledResource<T extends KubernetesObject> {
  /** Everything that is wrong with an object, metadata included, as the API server words it; CEL rules are not evaluated. */
  validate(object: unknown): readonly FieldError[];
  /** Prunes, fills in defaults and validates, in the API server's order. */
  admit(object: unknown): Admission<T>;
}

/** Compiles a version of a kind; do it once per version. Errors: see {@link compileSchema}. */
export function compileResource<T extends KubernetesObject>(version: ResourceVersion<T>): CompiledResource<T> {
  const schema = compileSchema(version.schema, { isResourceRoot: true });
  const apiVersion = apiVersionOf(version);

  function validate(object: unknown): readonly FieldError[] {
    const fields = typeof object === 'object' && object !== null ? (object as Readonly<Record<string, unknown>>) : {};
    const misnamed = [
      ...(fields['kind'] === version.kind ? [] : [invalid('kind', fields['kind'] ?? '', `must be ${version.kind}`)]),
      ...(fields['apiVersion'] === apiVersion
        ? []
        : [invalid('apiVersion', fields['apiVersion'] ?? '', `must be ${apiVersion}`)]),
    ];
    if (misnamed.length > 0) return misnamed;
    return [...validateObjectMeta(fields['metadata'], version.namespaced), ...schema.validate(object)];
  }

  return {
    validate,
    admit(object) {
      const pruned = schema.prune(object);
      const filled = schema.applyDefaults(pruned.value);
      return { object: filled as T, unknownFields: pruned.unknownFields, errors: validate(filled) };
    },
  };
}

/**
 * What is wrong with one object of a kind. For more than a few objects compile the version once.
 *
 * Errors: throws where the kind has no such version.
 */
export function validateObject(
  definition: ResourceDefinition,
  version: string,
  object: unknown,
): readonly FieldError[] {
  return compileResource(definition.version(version)).validate(object);
}
