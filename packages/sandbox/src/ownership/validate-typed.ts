import type { Json } from '@isthmus/schema';
import { goSyntax, goText } from './go-value.ts';
import { fieldElement, indexElement, printPathElement } from './path-element.ts';
import type { ListShape, MapShape, ScalarShape } from './shape.ts';
import { asList, asObject, elementOfItem, keysOf, memberOf, shapeOf } from './shape.ts';
import type { TypeNode } from '../typed/type-node.ts';

/**
 * An error of a value that does not fit its type: `.spec.ports[0]: …`, without a path at the root.
 */
export interface TypedError {
  readonly path: string;
  readonly message: string;
}

/**
 * Whether two items of a keyed list or set may be equal: true for live objects, which may be older
 * than the rule; false for an applied configuration.
 */
export interface ValidateTypedOptions {
  readonly allowDuplicates: boolean;
}

/**
 * The API server's errors for a value before it is merged. Fields are checked in the order of their
 * names. Within one object, the first unknown field ends the checks, and so does an item of a list
 * without its keys.
 */
export function validateTyped(
  type: TypeNode,
  value: Json | undefined,
  options: ValidateTypedOptions,
): readonly TypedError[] {
  const shape = shapeOf(type, value);
  if (value === undefined || value === null) return [];
  switch (shape.kind) {
    case 'scalar':
      return validateScalar(shape, value);
    case 'map':
      return validateMap(shape, value, options);
    case 'list':
      return validateList(shape, value, options);
  }
}

/** The errors as one text, as the API server puts it into its message. */
export function formatTypedErrors(errors: readonly TypedError[]): string {
  const texts = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const [only] = texts;
  return texts.length === 1 && only !== undefined ? only : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

function validateScalar(shape: ScalarShape, value: Json): readonly TypedError[] {
  const found = typeof value;
  switch (shape.expects) {
    case 'numeric':
      return found === 'number'
        ? []
        : [{ path: '', message: `expected numeric (int or float), got ${goTypeOf(value)}` }];
    case 'string':
      return found === 'string'
        ? []
        : [{ path: '', message: `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}` }];
    case 'boolean':
      return found === 'boolean' ? [] : [{ path: '', message: `expected boolean, got &{${goText(value)}}` }];
    case 'any':
      return found !== 'object' ? [] : [{ path: '', message: `expected any scalar, got &{${goText(value)}}` }];
  }
}

function validateMap(shape: MapShape, value: Json, options: ValidateTypedOptions): readonly TypedError[] {
  const object = asObject(value);
  if (object === undefined) return [{ path: '', message: `expected map, got &{${goText(value)}}` }];
  const errors: TypedError[] = [];
  for (const key of keysOf(object).toSorted()) {
    const type = shape.typeOf(key);
    const at = printPathElement(fieldElement(key));
    if (type === undefined) return [...errors, { path: at, message: 'field not declared in schema' }];
    errors.push(...below(at, validateTyped(type, memberOf(object, key), options)));
  }
  return errors;
}

function validateList(shape: ListShape, value: Json, options: ValidateTypedOptions): readonly TypedError[] {
  const items = asList(value);
  if (items === undefined) return [{ path: '', message: `expected list, got &{${goText(value)}}` }];
  const { list } = shape;
  const errors: TypedError[] = [];
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const element = list.listType === 'atomic' ? indexElement(i) : elementOfItem(list, item);
    if (typeof element === 'string') return [...errors, { path: '', message: `element ${i}: ${element}` }];
    const at = printPathElement(element);
    if (seen.has(element.text) && !options.allowDuplicates) {
      errors.push({ path: '', message: `duplicate entries for key ${at}` });
    }
    seen.add(element.text);
    errors.push(...below(at, validateTyped(list.items, item, options)));
  }
  return errors;
}

function below(at: string, errors: readonly TypedError[]): readonly TypedError[] {
  return errors.map((error) => ({ path: at + error.path, message: error.message }));
}

function goTypeOf(value: Json): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
