import type { AnyNode, ListNode, MapNode, ScalarNode, StructNode, TypeNode } from './type-node.ts';
import { decodeScalar, wordFor } from './decode-scalar.ts';
import type { Literal } from './decode-scalar.ts';
import { encodeStruct } from './encode.ts';
import { noOddities } from './parsed-json.ts';
import type { Oddities } from './parsed-json.ts';
import { setKey } from './set-key.ts';
import { below, createStrictErrors, entriesOf } from './strict-errors.ts';
import type { StrictErrors } from './strict-errors.ts';

export type DecodeResult =
  | {
      readonly kind: 'decoded';
      /**
       * The object as the server would write it: keys in the order of Go, nulls and zero values
       * dropped or put in, canonical texts.
       */
      readonly object: Readonly<Record<string, unknown>>;
      /**
       * `unknown field "spec.foo"`, `duplicate field "metadata.name"`, in the order in which the
       * strict decoder meets them.
       */
      readonly strictErrors: readonly string[];
    }
  /**
   * `message`: `json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of
   * type int32`. `mismatch`: the value that does not fit; absent where its type decodes itself.
   */
  | { readonly kind: 'refused'; readonly message: string; readonly mismatch?: Mismatch | undefined };

/** A value and the type that it was expected to have. */
export interface Mismatch {
  readonly value: unknown;
  readonly type: TypeNode;
}

/**
 * Decodes JSON into a built-in type and encodes it again, as the API server does with every body of
 * a built-in kind.
 *
 * A value that nests more than 500 types (a schema in a schema in …) is rejected; the real server
 * continues to its 10,000 levels of JSON.
 *
 * Guarantees: pure. The value is not changed, but values under an any node are shared, not copied.
 * Decoding the result gives the same result (except for a zero time in a pointer, written as null,
 * as in Go). `oddities` come from {@link parseJson}. A repeated key is decoded twice, the second
 * time into the first result.
 */
export function decodeTyped(type: StructNode, value: unknown, oddities: Oddities = noOddities): DecodeResult {
  const state: State = {
    oddities,
    strict: createStrictErrors(),
    error: undefined,
    fields: [],
    struct: '',
    nested: false,
    depth: 0,
  };
  let decoded: unknown;
  try {
    decoded = decode(state, type, { value }, { path: '', before: undefined });
  } catch (error) {
    if (error instanceof Abort) return { kind: 'refused', message: error.message };
    throw error;
  }
  if (state.error !== undefined) return { kind: 'refused', ...state.error };
  return { kind: 'decoded', object: encodeStruct(type, decoded), strictErrors: state.strict.list };
}

/** A type that decodes itself rejected its value: nothing after it is read. */
class Abort extends Error {}

interface State {
  readonly oddities: Oddities;
  readonly strict: StrictErrors;
  /**
   * The first error about a value of a wrong type. Decoding continues after it. The error of a type
   * that decodes itself has precedence.
   */
  error: { readonly message: string; readonly mismatch?: Mismatch } | undefined;
  /**
   * The place of the decoder, for errors: the field names since the root, and the struct of the
   * last.
   */
  fields: string[];
  struct: string;
  /**
   * Whether decoding is within a type that decodes itself: it is not strict, and its first error
   * ends it.
   */
  nested: boolean;
  /** Levels of types that decoding is in. */
  depth: number;
}

/** Only schemas of CustomResourceDefinitions nest without end; the stack does not. */
const maxTypeDepth = 500;

interface Place {
  readonly path: string;
  /** The value of an earlier entry with the same key. */
  readonly before: unknown;
}

function decode(state: State, type: TypeNode, literal: Literal, place: Place): unknown {
  if (state.depth >= maxTypeDepth) throw new Abort(`exceeded max depth: more than ${maxTypeDepth} levels of types`);
  state.depth++;
  const decoded = decodeAs(state, type, literal, place);
  state.depth--;
  return decoded;
}

function decodeAs(state: State, type: TypeNode, literal: Literal, place: Place): unknown {
  switch (type.kind) {
    case 'scalar':
      return scalar(state, type, literal, place);
    case 'list':
      return list(state, type, literal, place);
    case 'map':
      return map(state, type, literal, place);
    case 'struct':
      return struct(state, type, literal, place);
    case 'any':
      return any(state, type, literal, place);
  }
}

function scalar(state: State, type: ScalarNode, literal: Literal, { before }: Place): unknown {
  const result = decodeScalar(type, literal);
  switch (result.kind) {
    case 'value':
      return result.value;
    case 'unchanged':
      return before;
    case 'mismatch':
      mismatch(state, result, { value: literal.value, type });
      return before;
    case 'malformed':
      if (state.nested) throw new Abort(result.message);
      state.error ??= { message: result.message };
      return before;
    case 'refused':
      throw new Abort(
        result.goType === undefined ? result.message : mismatchText(state, result.message, result.goType),
      );
  }
}

function list(state: State, type: ListNode, literal: Literal, { path, before }: Place): unknown {
  const { value } = literal;
  if (value === null) return undefined;
  if (!Array.isArray(value)) {
    mismatch(state, { given: wordFor(value), goType: type.goType ?? '[]interface {}' }, { value, type });
    return before;
  }
  const earlier = Array.isArray(before) ? before : [];
  const literals = state.oddities.literals.get(value);
  return value.map((item: unknown, index) =>
    decode(
      state,
      type.items,
      { value: item, literal: literals?.get(String(index)) },
      { path: `${path}[${index}]`, before: earlier[index] },
    ),
  );
}

function map(state: State, type: MapNode, { value }: Literal, { path, before }: Place): unknown {
  if (value === null) return undefined;
  if (!isObject(value)) {
    mismatch(state, { given: wordFor(value), goType: type.goType ?? 'map[string]interface {}' }, { value, type });
    return before;
  }
  const result: Record<string, unknown> = {};
  if (isObject(before)) for (const [key, one] of Object.entries(before)) setKey(result, key, one);
  const seen = new Set<string>();
  for (const entry of entriesOf(value, state.oddities)) {
    const at = below(path, entry.key);
    if (seen.has(entry.key)) strict(state, 'duplicate field', at);
    seen.add(entry.key);
    setKey(result, entry.key, decode(state, type.values, entry, { path: at, before: undefined }));
  }
  return result;
}

/** The fields of a struct. An undefined field has the zero value. */
function struct(state: State, type: StructNode, { value }: Literal, { path, before }: Place): unknown {
  if (value === null) return before;
  if (!isObject(value)) {
    mismatch(state, { given: wordFor(value), goType: type.goType ?? type.goName }, { value, type });
    return before;
  }
  const result: Record<string, unknown> = {};
  if (isObject(before)) for (const [key, one] of Object.entries(before)) setKey(result, key, one);
  const seen = new Set<string>();
  for (const entry of entriesOf(value, state.oddities)) {
    const { key } = entry;
    const at = below(path, key);
    const field = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
    if (field === undefined) {
      if (type.unknownFields === undefined) strict(state, 'unknown field', at);
      else setKey(result, key, decode(state, type.unknownFields, entry, { path: at, before: undefined }));
      continue;
    }
    if (seen.has(key)) strict(state, 'duplicate field', at);
    seen.add(key);
    if (entry.value === null && field.pointer) {
      result[key] = undefined;
      continue;
    }
    const { fields, struct: outer } = state;
    state.fields = [...fields, ...(field.inline ?? []), key];
    state.struct = type.goName;
    // A non-null value of a pointer field is a value, even if nothing could be decoded.
    const decoded = decode(state, field.type, entry, { path: at, before: result[key] });
    setKey(result, key, decoded === undefined && field.pointer && field.type.kind === 'struct' ? {} : decoded);
    state.fields = fields;
    state.struct = outer;
  }
  return result;
}

/** Kept as it is, but for the types of CustomResourceDefinitions that are one thing or another. */
function any(state: State, type: AnyNode, literal: Literal, { before }: Place): unknown {
  const { value } = literal;
  const { forms } = type;
  if (value === null) return undefined;
  if (forms === undefined) return value;
  if (forms.boolean === true && typeof value !== 'object') {
    if (typeof value === 'boolean') return value;
    throw new Abort('boolean or JSON schema expected');
  }
  const form = Array.isArray(value) ? forms.list : forms.object;
  if (form === undefined) throw new Abort('boolean or JSON schema expected');
  if (typeof value !== 'object') return undefined;
  const { nested } = state;
  state.nested = true;
  const decoded = decode(state, form, literal, { path: '', before });
  state.nested = nested;
  return Array.isArray(decoded) && decoded.length === 0 ? undefined : decoded;
}

function strict(state: State, what: 'unknown field' | 'duplicate field', path: string): void {
  if (!state.nested) state.strict.add(what, path);
}

function mismatch(
  state: State,
  { given, goType }: { readonly given: string; readonly goType: string },
  of: Mismatch,
): void {
  const message = mismatchText(state, given, goType);
  if (state.nested) throw new Abort(message);
  state.error ??= { message, mismatch: of };
}

function mismatchText({ fields, struct }: State, given: string, goType: string): string {
  const where = fields.length === 0 ? 'Go value' : `Go struct field ${struct}.${fields.join('.')}`;
  return `json: cannot unmarshal ${given} into ${where} of type ${goType}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
