/**
 * The value at a scale path such as `.spec.replicas`: an integer, nothing, or an error in the words
 * of the real server.
 */
export type Found = { readonly value?: number | undefined } | { readonly problem: string };

export function numberAt(object: object, path: string): Found {
  const value = valueAt(object, path);
  if (value === undefined) return {};
  if (typeof value === 'number' && Number.isInteger(value)) return { value };
  const text = `${path} accessor error: ${shown(value)} is of the type ${goTypeOf(value)}, expected int64`;
  return { problem: text };
}

/** The text at a path; empty if it is absent. */
export function textAt(object: object, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** The object with a number at the path. */
export function withNumberAt<T extends object>(object: T, path: string, value: number): T {
  const [name = '', ...rest] = namesOf(path);
  const at = (part: object, key: string, below: readonly string[]): object => {
    const inner = (part as Readonly<Record<string, unknown>>)[key];
    const [next, ...more] = below;
    const child = next === undefined ? value : at(typeof inner === 'object' && inner !== null ? inner : {}, next, more);
    return { ...part, [key]: child };
  };
  return at(object, name, rest) as T;
}

function valueAt(object: object, path: string): unknown {
  let value: unknown = object;
  for (const name of namesOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

function namesOf(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function goTypeOf(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
