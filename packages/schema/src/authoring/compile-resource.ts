import type { KubernetesObject } from '@isthmus/machinery';
import { apiVersionOf } from '@isthmus/machinery';
import { compileSchema } from '../validation/compile.ts';
import { errorsUnder, invalid } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { validateObjectMeta } from '../validation/object-meta.ts';
import type { ResourceVersion } from './resource.ts';

/** The object that the API server would store, and the errors and warnings that it would return. */
export interface Admission<T extends KubernetesObject> {
  /** Pruned and defaulted; of its type only where `errors` is empty. */
  readonly object: T;
  /** The paths of the fields that were pruned, sorted: strict decoding rejects each. */
  readonly unknownFields: readonly string[];
  readonly errors: readonly FieldError[];
}

/** One version of a kind made ready to judge objects. */
export interface CompiledResource<T extends KubernetesObject> {
  /**
   * Everything that is wrong with an object, metadata included, as the API server words it; CEL
   * rules are not evaluated.
   */
  validate(object: unknown): readonly FieldError[];
  /** The same for a write of the status subresource: metadata and `status` alone are looked at. */
  validateStatus(object: unknown): readonly FieldError[];
  /** Prunes, fills in defaults and validates, in the API server's order. */
  admit(object: unknown): Admission<T>;
}

/** Compiles a version of a kind; do it once per version. Errors: see {@link compileSchema}. */
export function compileResource<T extends KubernetesObject>(version: ResourceVersion<T>): CompiledResource<T> {
  const schema = compileSchema(version.schema, { isResourceRoot: true });
  const apiVersion = apiVersionOf(version);

  const status = compileSchema(version.schema.properties?.['status'] ?? {});

  /**
   * The first errors, and the fields for further checks; no fields if the object is not of this
   * kind at all.
   */
  function begin(object: unknown): { readonly errors: readonly FieldError[]; readonly fields?: Fields } {
    const fields: Fields = typeof object === 'object' && object !== null ? (object as Fields) : {};
    const errors: FieldError[] = [];
    if (fields['kind'] !== version.kind) errors.push(invalid('kind', fields['kind'] ?? '', `must be ${version.kind}`));
    if (fields['apiVersion'] !== apiVersion) {
      errors.push(invalid('apiVersion', fields['apiVersion'] ?? '', `must be ${apiVersion}`));
    }
    return errors.length > 0
      ? { errors }
      : { errors: validateObjectMeta(fields['metadata'], version.namespaced), fields };
  }

  function validate(object: unknown): readonly FieldError[] {
    const { errors, fields } = begin(object);
    return fields === undefined ? errors : [...errors, ...schema.validate(fields)];
  }

  return {
    validate,
    validateStatus(object) {
      const { errors, fields } = begin(object);
      const part = fields?.['status'];
      return part === undefined ? errors : [...errors, ...errorsUnder('status', status.validate(part))];
    },
    admit(object) {
      const pruned = schema.prune(object);
      const filled = schema.applyDefaults(pruned.value);
      return { object: filled as T, unknownFields: pruned.unknownFields, errors: validate(filled) };
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;
