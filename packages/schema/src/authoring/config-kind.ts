import type { InferRead, Schema } from './authoring.ts';
import { compileWith } from '../validation/compile-with.ts';
import { invalid } from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { ReadPattern } from '../validation/compiled-scalars.ts';
import type { JsonSchema } from '../json-schema.ts';

/** The author's definition of a kind that exists in files only. */
export interface ConfigKindInput<S extends Schema<object, boolean, unknown>> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly docs: string;
  /** The fields beside apiVersion and kind. */
  readonly schema: S;
  /**
   * The reader of the schema's patterns, such as {@link compilePattern}. Left out if the schema has
   * no patterns: every controller would load the library for them and hold it in memory.
   */
  readonly readPattern?: ReadPattern | undefined;
}

/** A decoded file: its value with defaults filled in, and its errors. */
export interface DecodedConfig<T> {
  /** The value has type `T` only if `errors` is empty. */
  readonly value: T;
  /** The paths of fields that the kind does not have, sorted. */
  readonly unknownFields: readonly string[];
  readonly errors: readonly FieldError[];
}

/** A kind that is read from a file and never stored in an API server. */
export interface ConfigKind<T> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly docs: string;
  readonly schema: JsonSchema;
  /**
   * Reads plain data strictly: unknown fields, wrong types and another kind are reported, nothing
   * is thrown.
   */
  decode(value: unknown): DecodedConfig<T>;
}

/**
 * Defines a kind of configuration file once: type, strict decoding and reference page derive from
 * the result.
 *
 * Errors: throws where the schema has a pattern that is not read.
 */
export function defineConfigKind<S extends Schema<object, boolean, unknown>>(
  input: ConfigKindInput<S>,
): ConfigKind<{ readonly apiVersion: string; readonly kind: string } & InferRead<S>> {
  const apiVersion = `${input.group}/${input.version}`;
  const schema: JsonSchema = {
    description: input.docs,
    ...input.schema.json,
    required: ['apiVersion', 'kind', ...(input.schema.json.required ?? [])],
    properties: {
      apiVersion: { type: 'string', enum: [apiVersion], description: `${apiVersion}.` },
      kind: { type: 'string', enum: [input.kind], description: `${input.kind}.` },
      ...input.schema.json.properties,
    },
  };
  const compiled = compileWith(input.readPattern ?? withoutPatterns, schema);
  return {
    group: input.group,
    version: input.version,
    kind: input.kind,
    docs: input.docs,
    schema,
    decode(value) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        // The type only: the value is the whole of a wrong file, such as a private key.
        const error = invalid('<nil>', typeName(value), `must be an object of kind ${input.kind}`);
        return { value: {} as never, unknownFields: [], errors: [error] };
      }
      const pruned = compiled.prune(value);
      const filled = compiled.applyDefaults(pruned.value);
      return { value: filled as never, unknownFields: pruned.unknownFields, errors: compiled.validate(filled) };
    },
  };
}

function typeName(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return Array.isArray(value) ? 'array' : typeof value;
}

function withoutPatterns(pattern: string): never {
  throw new Error(`the schema has the pattern ${pattern}: set readPattern of the kind`);
}
