import type { FieldNode, StructNode } from '../../typed/type-node.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Values by the paths of fields: `spec.ports[].protocol`. */
export type FieldDefaults = Fields;

/** The fields of a struct that have a default, or parts with defaults. */
type Filling = Map<string, Fill>;

interface Fill {
  readonly field: FieldNode;
  value?: unknown;
  readonly below: Filling;
}

/**
 * Fills in the default values of a type. A pointer has its default if it is absent; another field
 * also if it has Go's zero value. Nothing is filled in below an absent pointer.
 *
 * Errors: throws for a path that the type does not have.
 */
export function fieldDefaults(type: StructNode, defaults: FieldDefaults): <T extends object>(object: T) => T {
  const filling: Filling = new Map();
  for (const [path, value] of Object.entries(defaults)) add(filling, type, path.split('.'), value);
  return <T extends object>(object: T) => filled(filling, object as unknown as Fields) as unknown as T;
}

/** The same defaults of a part, by its path in the whole: `below('spec.template', …)`. */
export function below(path: string, defaults: FieldDefaults): FieldDefaults {
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [`${path}.${name}`, value]));
}

function add(filling: Filling, type: StructNode, [step = '', ...rest]: readonly string[], value: unknown): void {
  const name = step.replace(/\[\]$/, '');
  const field = type.fields[name];
  if (field === undefined) throw new Error(`reading the defaults of ${type.goName}: it has no field ${name}`);
  const known: Fill = filling.get(name) ?? { field, below: new Map() };
  filling.set(name, known);
  if (rest.length === 0) {
    known.value = value;
    return;
  }
  const inner = name === step ? field.type : field.type.kind === 'list' ? field.type.items : undefined;
  if (inner?.kind !== 'struct') throw new Error(`reading the defaults of ${type.goName}: ${step} has no fields`);
  add(known.below, inner, rest, value);
}

/** The same object if nothing is missing. */
function filled(filling: Filling, fields: Fields): Fields {
  const added: Record<string, unknown> = {};
  for (const [name, { field, value, below: inner }] of filling) {
    const given = fields[name];
    const part = isUnset(field, given) ? (value ?? given) : given;
    const whole = inner.size === 0 ? part : filledPart(inner, field, part);
    if (whole !== given) added[name] = whole;
  }
  return Object.keys(added).length === 0 ? fields : { ...fields, ...added };
}

function filledPart(inner: Filling, { pointer, type }: FieldNode, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((item: Fields) => filled(inner, item));
  if (part !== undefined && part !== null) return filled(inner, part as Fields);
  if (pointer || type.kind === 'list') return part;
  const made = filled(inner, {});
  return Object.keys(made).length === 0 ? part : made;
}

function isUnset({ pointer, type }: FieldNode, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (type.kind === 'list') return (value as readonly unknown[]).length === 0;
  return !pointer && (value === '' || value === 0);
}
