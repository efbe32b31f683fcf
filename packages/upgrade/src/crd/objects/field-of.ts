import type { JsonSchema } from '@isthmus/schema';

/**
 * The path of an error or of a pruned field in the form that users write, without indexes and keys
 * of the object: `spec.ports[0].mode` is `spec.ports[].mode`, and a key of a map is `[*]`. The
 * value is needed to recognize keys with dots.
 */
export function fieldOf(path: string, schema: JsonSchema | undefined, value: unknown): string {
  if (path === '' || path === '<nil>') return '';
  const index = /^\[(\d+)\]/.exec(path);
  if (index !== null) {
    const item: unknown = Array.isArray(value) ? value[Number(index[1])] : undefined;
    return `[]${below(path.slice(index[0].length), schema?.items, item)}`;
  }
  const [name, length] = nameAt(path, value);
  const rest = path.slice(length);
  const member = memberOf(value, name);
  const { properties, additionalProperties: more } = schema ?? {};
  if (properties !== undefined && Object.hasOwn(properties, name)) return name + below(rest, properties[name], member);
  if (more !== undefined && more !== false)
    return `[*]${below(rest, typeof more === 'object' ? more : undefined, member)}`;
  return name + below(rest, undefined, member);
}

function below(rest: string, schema: JsonSchema | undefined, value: unknown): string {
  if (rest === '') return '';
  if (rest.startsWith('[')) return fieldOf(rest, schema, value);
  const inner = fieldOf(rest.replace(/^\./, ''), schema, value);
  return inner.startsWith('[') ? inner : `.${inner}`;
}

/**
 * The member that the path begins with, the longest where several do, and how much of the path it
 * takes.
 */
function nameAt(path: string, value: unknown): readonly [name: string, length: number] {
  if (typeof value === 'object' && value !== null) {
    const fits = Object.keys(value).filter(
      (key) =>
        path.startsWith(`[${key}]`) || (path.startsWith(key) && ['', '.', '['].includes(path.charAt(key.length))),
    );
    const [longest] = fits.toSorted((a, b) => b.length - a.length);
    if (longest !== undefined) return [longest, path.startsWith('[') ? longest.length + 2 : longest.length];
  }
  const found = /^\[([^\]]*)\]|^[^.[]+/.exec(path);
  return found === null ? [path, path.length] : [found[1] ?? found[0], found[0].length];
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
