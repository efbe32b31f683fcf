import { compileWith } from './compile-with.ts';
import type { CompiledSchema, CompileOptions } from './compile-with.ts';
import type { JsonSchema } from '../json-schema.ts';
import { compilePattern } from '../pattern/pattern.ts';

/**
 * {@link compileWith} the API server's dialect of patterns.
 *
 * Errors: throws if the schema is nested too deep or contains a pattern that cannot be used here.
 * {@link checkStructural} reports both beforehand.
 */
export function compileSchema(schema: JsonSchema, options: CompileOptions = {}): CompiledSchema {
  return compileWith(compilePattern, schema, options);
}
