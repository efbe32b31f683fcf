import type { FieldNode, StructNode, TypeNode } from '../../typed/type-node.ts';
import type { Errors } from '../field-checks.ts';
import { notSupported, required } from '../field-rules.ts';

/**
 * Rules for parts of an object beyond their shape, by Go type (`v1.Container`). A rule applies
 * wherever its type occurs. `P`: the parts that have rules, by their Go types.
 */
export type PartRules<P> = { readonly [T in keyof P]?: (path: string, part: P[T]) => Errors };

/** The real server's differences from the shape of a kind. */
export interface ShapeExceptions {
  /**
   * Fields (`v1.HTTPHeader.value`) with a rule of their own, or that may be empty although they are
   * listed as required.
   */
  readonly unchecked: ReadonlySet<string>;
  /**
   * The supported texts of a type (`v1.RestartPolicy`) in the order of the real server's message,
   * if it is not alphabetical.
   */
  readonly order: Readonly<Record<string, readonly string[]>>;
}

/**
 * The errors of a decoded value, in the order of the fields of its type:
 *
 * - a required text or list that is empty;
 * - a text that is not supported;
 * - the errors of the rules of its parts, each after those of its shape.
 *
 * Null and absent parts have no errors, except if they are required. Source: `required` and `enum`
 * of the OpenAPI definitions.
 */
export function shapeErrors<P>(rules: PartRules<P>, exceptions: ShapeExceptions) {
  const ruleOf = (goType: string | undefined) =>
    (rules as Readonly<Record<string, ((path: string, part: unknown) => Errors) | undefined>>)[goType ?? ''];

  function inStruct(path: string, type: StructNode, value: object): Errors {
    const parts = value as Readonly<Record<string, unknown>>;
    return [
      ...Object.entries(type.fields).flatMap(([name, field]) =>
        exceptions.unchecked.has(`${type.goType ?? ''}.${name}`) ? [] : inField(`${path}.${name}`, field, parts[name]),
      ),
      ...(ruleOf(type.goType)?.(path, value) ?? []),
    ];
  }

  function inField(path: string, { type, pointer, required: isRequired }: FieldNode, value: unknown): Errors {
    if (isRequired === true && isEmpty(type, value)) return [required(path)];
    return value === '' && !pointer ? [] : at(path, type, value);
  }

  function at(path: string, type: TypeNode, value: unknown): Errors {
    if (value === undefined || value === null) return [];
    switch (type.kind) {
      case 'struct':
        return inStruct(path, type, value);
      case 'list':
        return (value as readonly unknown[]).flatMap((item, index) => at(`${path}[${index}]`, type.items, item));
      case 'scalar': {
        const { supported, goType = '' } = type;
        if (supported === undefined || supported.includes(value as string)) return [];
        return [notSupported(path, value, exceptions.order[goType] ?? supported)];
      }
      case 'map':
      case 'any':
        return [];
    }
  }

  return inStruct;
}

/** Whether a text or a list has nothing in it; of other values their decoding makes something. */
function isEmpty({ kind, ...type }: TypeNode, value: unknown): boolean {
  const none = value === undefined || value === null;
  if (kind === 'list') return none || (value as readonly unknown[]).length === 0;
  return kind === 'scalar' && 'scalar' in type && type.scalar === 'string' && (none || value === '');
}
