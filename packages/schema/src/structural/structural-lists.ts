import { forbidden, invalid, notSupported, required } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonSchema } from '../json-schema.ts';

const listTypes = ['atomic', 'set', 'map'];
const mapTypes = ['atomic', 'granular'];

/**
 * The requirements of apiextensions.k8s.io/v1 for `x-kubernetes-list-type`, `-list-map-keys` and
 * `-map-type`.
 */
export function checkListMarks(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type'];
  const mapType = schema['x-kubernetes-map-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const wrongType = (wanted: string, mark: string) => {
    const text = `must be ${wanted} if ${mark} is specified`;
    errors.push(
      schema.type === undefined ? required(`${path}.type`, text) : invalid(`${path}.type`, schema.type, text),
    );
  };
  if (mapType !== undefined) {
    if (schema.type !== 'object') wrongType('object', 'x-kubernetes-map-type');
    if (!mapTypes.includes(mapType)) errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, mapTypes));
  }
  if (listType !== undefined) {
    if (schema.type !== 'array') wrongType('array', 'x-kubernetes-list-type');
    if (!listTypes.includes(listType)) errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, listTypes));
  }
  if (keys.length > 0 && listType !== 'map') {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.x-kubernetes-list-type`;
    errors.push(listType === undefined ? required(at, text) : invalid(at, listType, text));
  }
  if (listType === 'map') checkMapKeys(schema, keys, path, errors);
  if (listType === 'set') checkSetItems(schema, path, errors);
  if ((listType === 'map' || listType === 'set') && schema.items?.nullable === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
}

function checkMapKeys(schema: JsonSchema, keys: readonly string[], path: string, errors: FieldError[]): void {
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(at, 'must not be empty if x-kubernetes-list-type is map'));
  const { items } = schema;
  if (items === undefined) {
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
    return;
  }
  if (items.type !== 'object') {
    errors.push(
      invalid(`${path}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"),
    );
    return;
  }
  if (new Set(keys).size !== keys.length) errors.push(invalid(at, keys, 'must not contain duplicate entries'));
  const fields = items.properties ?? {};
  for (const key of keys) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) errors.push(invalid(at, keys, 'entries must all be names of item properties'));
    else checkMapKey(field, items.required?.includes(key) === true, `${path}.items.properties[${key}]`, errors);
  }
}

function checkMapKey(field: JsonSchema, isRequired: boolean, path: string, errors: FieldError[]): void {
  if (field.type === 'array' || field.type === 'object') {
    // The API server shows the type of the item here, not that of the key.
    errors.push(
      invalid(`${path}.type`, 'object', "must be a scalar type if parent array's x-kubernetes-list-type is map"),
    );
  }
  if (!isRequired && field.default === undefined) {
    const text = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
    errors.push(required(`${path}.default`, text));
  }
  if (field.nullable === true) {
    errors.push(
      forbidden(`${path}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'),
    );
  }
}

function checkSetItems(schema: JsonSchema, path: string, errors: FieldError[]): void {
  const { items } = schema;
  const text = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    errors.push(invalid(`${path}.items.x-kubernetes-list-type`, listType, text));
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    errors.push(invalid(`${path}.items.x-kubernetes-map-type`, items['x-kubernetes-map-type'] ?? null, text));
  }
}
