import { apiVersionOf, compileSchema } from '@isthmus/machinery';
import type { CompiledSchema } from '@isthmus/machinery';
import type { Admitted } from './admission.ts';
import type { ServedType, Stored } from './served-type.ts';

/**
 * Prunes, fills in defaults and validates by the schema of the version that the request uses, as the real server does on the way in. On
 * the way out it prunes by no other version's schema: versions that differ in fields are not told apart. CEL rules are not evaluated.
 */
export function customAdmission(): (type: ServedType, object: Stored) => Admitted {
  const compiled = new Map<ServedType, CompiledSchema>();
  return (type, object) => {
    if (type.schema === undefined) return { object, errors: [] };
    let schema = compiled.get(type);
    if (schema === undefined) compiled.set(type, (schema = compileSchema(type.schema, { isResourceRoot: true })));
    const whole = { ...object, apiVersion: apiVersionOf(type) };
    const filled = schema.applyDefaults(schema.prune(whole).value);
    // Pruning and defaulting leave apiVersion, kind and metadata as they are.
    const { apiVersion: _, ...admitted } = filled as Stored;
    return { object: admitted, errors: schema.validate(filled) };
  };
}
