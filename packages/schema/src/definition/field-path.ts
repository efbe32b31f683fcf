import type { JsonSchema } from '../json-schema.ts';

/**
 * A path that a definition names, resolved in a schema: its parts as a field path, and the schema
 * of its end; or why it is not a valid path.
 */
export type FoundPath =
  | { readonly ok: true; readonly path: string; readonly schema: JsonSchema }
  | { readonly ok: false; readonly why: string };

/** Follows `.spec.a`, and `.spec['a']` where brackets are allowed, into a schema. */
export function findPath(text: string, root: JsonSchema, allowBrackets: boolean): FoundPath {
  const refuse = (why: string): FoundPath => ({ ok: false, why });
  const unknown = 'does not refer to a valid field';
  let schema: JsonSchema = root;
  let path = '';
  let rest = text;
  while (rest !== '') {
    const bracket = /^\['((?:[^'\\]|\\.)*)'\]/.exec(rest);
    const dot = /^\.([^.[\]]+)/.exec(rest);
    if (rest.startsWith('[') && !allowBrackets) return refuse('array notation is not allowed');
    const found = dot ?? bracket;
    if (found === null) {
      const token = /^[^.[\]]+/.exec(rest)?.[0] ?? rest.slice(0, 1);
      return refuse(rest === '.' ? 'unexpected end of JSON path' : `expected [ or . but got: ${token}`);
    }
    const name = (found[1] ?? '').replaceAll(/\\(.)/g, '$1');
    rest = rest.slice(found[0].length);
    const { properties, additionalProperties: more } = schema;
    if (properties !== undefined && Object.keys(properties).length > 0) {
      const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (next === undefined) return refuse(unknown);
      schema = next;
      path += path === '' ? name : `.${name}`;
    } else if (more !== undefined) {
      schema = typeof more === 'object' ? more : {};
      path += `[${name}]`;
    } else return refuse(unknown);
  }
  return { ok: true, path, schema };
}
