import type { KubernetesObject } from '@isthmus/machinery';
import { duplicate, invalid, required, tooMany } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import { findPath } from './field-path.ts';
import { readPath } from './json-path.ts';
import { partsOf } from './definition.ts';
import type { Version } from './definition.ts';

const most = 8;

/** Returns the errors in the selectable fields of the schema at `parent`. */
export function selectableErrors(paths: readonly string[], schema: JsonSchema, parent: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const at = `${parent}.selectableFields`;
  if (Array.from(partsOf(schema)).some((part) => part['x-kubernetes-preserve-unknown-fields'] === false)) {
    const detail = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
    errors.push(invalid(`${parent}.schema.openAPIV3Schema`, '', detail));
  }
  const seen = new Set<string>();
  paths.forEach((jsonPath, index) => {
    const path = `${at}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(required(path));
      return;
    }
    const found = findPath(jsonPath, schema, false);
    if (!found.ok) {
      errors.push(invalid(path, jsonPath, `is an invalid path: ${found.why}`));
      return;
    }
    if (found.path.startsWith('metadata')) {
      errors.push(invalid(path, jsonPath, 'must not point to fields in metadata'));
    }
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(path, jsonPath, detail));
    }
    if (seen.has(found.path)) errors.push(duplicate(path, jsonPath));
    seen.add(found.path);
  });
  if (seen.size > most) {
    errors.push(tooMany(at, seen.size, most));
  }
  return errors;
}

/**
 * Functions that read the selectable fields of a version. The keys are the paths that lists use; a
 * function returns the text of the value, empty if the field is missing.
 */
export function selectableOf({
  selectableFields = [],
}: Version): Readonly<Record<string, (object: KubernetesObject) => string>> {
  return Object.fromEntries(
    selectableFields.map(({ jsonPath = '' }) => {
      const read = readPath(jsonPath);
      return [
        jsonPath.replace(/^\./, ''),
        (object: KubernetesObject) => {
          const [value] = read(object);
          if (value === undefined || value === null) return '';
          return typeof value === 'string' ? value : JSON.stringify(value);
        },
      ];
    }),
  );
}
