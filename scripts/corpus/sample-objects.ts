import { compilePattern } from '@isthmus/schema';
import type { CustomResourceDefinition, JsonSchema } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';

/** Whether the CRD that an object was made for accepts it, and if not, the paths of its errors. */
export type ErrorsOf = (object: KubernetesObject) => readonly string[];

/** An object made of a schema. */
export interface SampleObject {
  /** As it was made first; the CRD may reject it. */
  readonly first: KubernetesObject;
  /** After all that is rejected was taken away; absent where that was not possible. */
  readonly sound: KubernetesObject | undefined;
}

/**
 * Objects of a CRD at a version: one with the required fields alone, and one with all fields. Of a
 * field that is rejected the nearest part that may be absent is taken away, until nothing is
 * rejected.
 */
export function sampleObjects(
  definition: CustomResourceDefinition,
  version: string,
  errorsOf: ErrorsOf,
): readonly SampleObject[] {
  const { group, names, versions } = definition.spec;
  const schema = versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  if (schema === undefined) return [];
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {};
  const root = { ...schema, properties };
  return [false, true].map((isWhole) => {
    const value = valueOf(root, isWhole ? deepest : 0);
    const metadata = { name: isWhole ? 'whole' : 'bare' };
    const first = { ...(value as object), apiVersion: `${group}/${version}`, kind: names.kind, metadata };
    return { first, sound: accepted(first, { schema: root, errorsOf }) };
  });
}

const deepest = 7;

/** Takes away what is rejected. */
function accepted(
  object: KubernetesObject,
  { schema, errorsOf }: { readonly schema: JsonSchema; readonly errorsOf: ErrorsOf },
): KubernetesObject | undefined {
  let current = object as unknown;
  for (let attempt = 0; attempt < 40; attempt++) {
    const paths = errorsOf(current as KubernetesObject);
    if (paths.length === 0) return current as KubernetesObject;
    let isChanged = false;
    for (const path of paths) {
      if (isHead(stepsOf(path)[0] ?? '')) continue;
      const smaller = without(current, stepsOf(path), schema);
      isChanged ||= smaller.isChanged;
      current = smaller.value;
    }
    if (!isChanged) return undefined;
  }
  return undefined;
}

function stepsOf(path: string): readonly string[] {
  return [...path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, index, name]) => index ?? name ?? '');
}

interface Smaller {
  readonly value: unknown;
  readonly isChanged: boolean;
}

/**
 * The value without the deepest part on the way that may be absent; where the way ends in an
 * object, without one of the fields in it.
 */
function without(value: unknown, steps: readonly string[], schema: JsonSchema): Smaller {
  const same = { value, isChanged: false };
  const [step, ...rest] = steps;
  if (Array.isArray(value)) {
    const at = Number(step ?? 0);
    const inner = without(value[at], rest, schema.items ?? {});
    if (inner.isChanged) return { value: value.toSpliced(at, 1, inner.value), isChanged: true };
    if (value.length <= (schema.minItems ?? 0)) return same;
    return { value: value.toSpliced(at, 1), isChanged: true };
  }
  if (typeof value !== 'object' || value === null) return same;
  const fields = value as Readonly<Record<string, unknown>>;
  const required = schema.required ?? [];
  const partOf = (name: string): JsonSchema => {
    const { additionalProperties } = schema;
    return schema.properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
  };
  const own = Object.keys(fields).filter((name) => !isHead(name));
  const names = step !== undefined && step in fields ? [step] : own.toReversed();
  for (const name of names) {
    const inner = name === step ? without(fields[name], rest, partOf(name)) : same;
    if (inner.isChanged) return { value: { ...fields, [name]: inner.value }, isChanged: true };
    if (required.includes(name)) continue;
    const { [name]: _, ...others } = fields;
    return { value: others, isChanged: true };
  }
  return same;
}

/** Whether every object has this field. */
function isHead(name: string): boolean {
  return name === 'apiVersion' || name === 'kind' || name === 'metadata';
}

function valueOf(schema: JsonSchema, depth: number): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    case 'array': {
      const count = Math.max(schema.minItems ?? 0, depth > 0 ? 1 : 0);
      return count === 0 ? [] : [valueOf(schema.items ?? {}, depth - 1)];
    }
    case 'object':
      return fieldsOf(schema, depth);
    case undefined:
      return 'x';
    default:
      return schema.type satisfies never;
  }
}

function fieldsOf(schema: JsonSchema, depth: number): object {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  if (schema['x-kubernetes-embedded-resource'] === true)
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'embedded' } };
  const named = Object.entries(properties).filter(([name]) => depth > 0 || required.includes(name));
  const fields = named.map(([name, part]) => [name, valueOf(part, depth - 1)] as const);
  const wantsKey = typeof additionalProperties === 'object' && (minProperties > 0 || depth > 0);
  const keys = wantsKey ? [['key', valueOf(additionalProperties, depth - 1)] as const] : [];
  return Object.fromEntries([...fields, ...keys]);
}

function numberOf({ minimum, maximum, exclusiveMinimum, multipleOf }: JsonSchema): number {
  const least = minimum === undefined ? Math.min(1, maximum ?? 1) : exclusiveMinimum === true ? minimum + 1 : minimum;
  return multipleOf === undefined ? least : Math.ceil(least / multipleOf) * multipleOf;
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-11-23T10:00:00Z',
  date: '2026-11-23',
  duration: '1m',
  ipv4: '10.0.0.1',
  ipv6: 'fd00::1',
  cidr: '10.0.0.0/24',
  uri: 'https://example.com/a',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  byte: 'YQ==',
  email: 'a@example.com',
  hostname: 'example.com',
};

const texts = [
  'a',
  'A',
  '1',
  'a1',
  'v1',
  'v1.31.0',
  '1s',
  '1m0s',
  '10Mi',
  '10%',
  'example.com',
  'example.com/a',
  'https://example.com/a',
  'http://example.com',
  '10.0.0.1',
  '10.0.0.0/24',
  '/a',
  'Aaa',
  'AAA',
  'True',
  'ab:cd',
  'sha256:0000000000000000000000000000000000000000000000000000000000000000',
  '123e4567-e89b-12d3-a456-426614174000',
  '0 0 * * *',
  'ns/a',
  '',
];

function textOf({ format, pattern, minLength = 0, maxLength = Infinity }: JsonSchema): string {
  const known = formats[format ?? ''];
  if (known !== undefined) return known;
  const matches = pattern === undefined ? () => true : matcher(pattern);
  const padded = [...texts, ...texts.map((text) => text.padEnd(minLength, text === '' ? 'a' : text))];
  return padded.find((text) => text.length >= minLength && text.length <= maxLength && matches(text)) ?? 'a';
}

function matcher(pattern: string): (text: string) => boolean {
  const compiled = compilePattern(pattern);
  return (text) => compiled.test(text);
}
