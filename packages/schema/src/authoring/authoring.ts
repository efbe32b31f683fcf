import type { Json, JsonSchema } from '../json-schema.ts';

/**
 * A structural schema together with the TypeScript type of the values it admits. `Optional` is true
 * if a field with this schema may be left out, `Read` is the type of a value once defaults are
 * filled in. Immutable: each method returns a new schema.
 */
export interface Schema<out T, out Optional extends boolean = boolean, out Read = T> {
  readonly json: JsonSchema;
  readonly isOptional: Optional;
  /** Carries the type; never set. */
  readonly type?: T;
  /** Carries the type of values that were read; never set. */
  readonly read?: Read;
  /** The description in the CRD and in the reference pages. Plain text. */
  doc(text: string): this;
  /** The field may be left out. */
  optional(): Schema<T, true, Read>;
  /** The field may be left out, and the API server then fills in `value`. */
  default(value: Json): Schema<T, true, Defaulted<Read>>;
  /** `null` is a value of its own instead of "not set". */
  nullable(): Schema<T | null, Optional, Read | null>;
  /**
   * A CEL rule for the API server (KEP-2876). Carried through; our own validation does not evaluate
   * it.
   */
  rule(cel: string, message: string): this;
}

export interface StringSchema<out T extends string = string> extends Schema<T, false> {
  minLength(codePoints: number): this;
  maxLength(codePoints: number): this;
  /** A regular expression of the API server's dialect (RE2), unanchored without `^` and `$`. */
  pattern(expression: string): this;
}

export interface NumberSchema extends Schema<number, false> {
  /** The smallest value allowed. */
  min(value: number): this;
  /** The largest value allowed. */
  max(value: number): this;
  multipleOf(value: number): this;
}

export interface ListSchema<out T, out Read = T> extends Schema<T, false, Read> {
  minItems(count: number): this;
  maxItems(count: number): this;
}

export interface ObjectSchema<out T, out Read = T> extends Schema<T, false, Read> {
  /** Fields that are not listed are kept instead of pruned. */
  preserveUnknown(): this;
  /** The object changes as a whole under server-side apply. */
  atomic(): this;
}

export interface RecordSchema<out T, out Read = T> extends Schema<T, false, Read> {
  minProperties(count: number): this;
  maxProperties(count: number): this;
}

/**
 * The type of the values of a schema: readonly all through, optional fields as `?: T | undefined`.
 */
export type Infer<S> = S extends Schema<infer T, boolean, unknown> ? T : never;

/**
 * As `T`, with every field named. A function that copies a value and returns this type does not
 * compile after a field is added to the schema, until the function handles the field.
 */
export type Complete<T> = { readonly [Field in keyof Required<T>]: T[Field] };

/** As {@link Infer}, of values that were read: fields with a default are always there. */
export type InferRead<S> =
  S extends Schema<unknown, boolean, infer Read> ? (Read extends Defaulted<infer Inner> ? Inner : Read) : never;

/** Marks, among types alone, the field that a default fills in. */
declare const defaulted: unique symbol;
export interface Defaulted<out Read> {
  readonly [defaulted]: Read;
}

/** The fields of an object schema. */
export type Fields = Readonly<Record<string, Schema<unknown, boolean, unknown>>>;

type Flat<T> = { [K in keyof T]: T[K] };

/** The object type of a set of fields. */
export type ObjectOfFields<F extends Fields> = Flat<
  { readonly [K in keyof F as F[K] extends Schema<unknown, true, unknown> ? never : K]: Infer<F[K]> } & {
    readonly [K in keyof F as F[K] extends Schema<unknown, true, unknown> ? K : never]?: Infer<F[K]> | undefined;
  }
>;

/** The fields that may be absent from what was read: those without a default. */
type LackingKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Schema<unknown, true, unknown>
    ? F[K] extends Schema<unknown, true, Defaulted<unknown>>
      ? never
      : K
    : never;
}[keyof F];

/** The object type of a set of fields once defaults are filled in. */
export type ObjectRead<F extends Fields> = Flat<
  { readonly [K in keyof F as K extends LackingKeys<F> ? never : K]: InferRead<F[K]> } & {
    readonly [K in keyof F as K extends LackingKeys<F> ? K : never]?: InferRead<F[K]> | undefined;
  }
>;

/** metav1.Condition, as {@link s.conditions} admits it. */
export interface StandardCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339, second resolution. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number | undefined;
}

/** Everything that any of the schema interfaces offers; {@link s} narrows it per kind of value. */
interface Builder {
  readonly json: JsonSchema;
  readonly isOptional: boolean;
}

function build(json: JsonSchema, isOptional: boolean): Builder {
  const but = (change: JsonSchema, optional = isOptional) => build({ ...json, ...change }, optional);
  return Object.freeze({
    json: Object.freeze(json),
    isOptional,
    doc: (text: string) => but({ description: text }),
    optional: () => but({}, true),
    default: (value: Json) => but({ default: value }, true),
    nullable: () => but({ nullable: true }),
    rule: (rule: string, message: string) =>
      but({ 'x-kubernetes-validations': [...(json['x-kubernetes-validations'] ?? []), { rule, message }] }),
    minLength: (minLength: number) => but({ minLength }),
    maxLength: (maxLength: number) => but({ maxLength }),
    pattern: (pattern: string) => but({ pattern }),
    min: (minimum: number) => but({ minimum }),
    max: (maximum: number) => but({ maximum }),
    multipleOf: (multipleOf: number) => but({ multipleOf }),
    minItems: (minItems: number) => but({ minItems }),
    maxItems: (maxItems: number) => but({ maxItems }),
    minProperties: (minProperties: number) => but({ minProperties }),
    maxProperties: (maxProperties: number) => but({ maxProperties }),
    preserveUnknown: () => but({ 'x-kubernetes-preserve-unknown-fields': true }),
    atomic: () => but({ 'x-kubernetes-map-type': 'atomic' }),
  });
}

/** The one cast of this file: which methods a schema shows is decided by its interface. */
const make = <S extends Schema<unknown, boolean, unknown>>(json: JsonSchema): S => build(json, false) as unknown as S;

function object<const F extends Fields>(fields: F): ObjectSchema<ObjectOfFields<F>, ObjectRead<F>> {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => !field.isOptional).map(([name]) => name);
  return make({
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(entries.map(([name, field]) => [name, field.json])),
  });
}

const list = <T, Read>(item: Schema<T, false, Read>, marks: JsonSchema): ListSchema<readonly T[], readonly Read[]> =>
  make({ type: 'array', items: item.json, ...marks });

const conditionSchema = object({
  type: make<StringSchema>({ type: 'string' })
    .doc('Type of the condition, in CamelCase or in foo.example.com/CamelCase.')
    .maxLength(316)
    .pattern(
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    ),
  status: make<StringSchema<StandardCondition['status']>>({ type: 'string', enum: ['True', 'False', 'Unknown'] }).doc(
    'Status of the condition: True, False, or Unknown.',
  ),
  reason: make<StringSchema>({ type: 'string' })
    .doc('Machine-readable reason: a CamelCase word; several are joined by commas.')
    .minLength(1)
    .maxLength(1024)
    .pattern('^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'),
  message: make<StringSchema>({ type: 'string' }).doc('Human-readable explanation. May be empty.').maxLength(32768),
  lastTransitionTime: make<StringSchema>({ type: 'string', format: 'date-time' }).doc(
    'When the status last changed from one value to another.',
  ),
  observedGeneration: make<NumberSchema>({ type: 'integer', format: 'int64' })
    .doc('The metadata.generation that the condition refers to.')
    .min(0)
    .optional(),
});

/**
 * The vocabulary in which resources are written: exactly what a structural schema can express
 * (apiextensions.k8s.io/v1, KEP-1693), with the TypeScript type inferred. Arbitrary predicates are
 * not possible: such a rule is CEL, or it is a webhook's verdict.
 */
export const s = {
  object,
  string: () => make<StringSchema>({ type: 'string' }),
  int32: () => make<NumberSchema>({ type: 'integer', format: 'int32' }),
  /** Exact up to 2^53 only: JSON numbers are doubles in JavaScript. */
  int64: () => make<NumberSchema>({ type: 'integer', format: 'int64' }),
  number: () => make<NumberSchema>({ type: 'number' }),
  boolean: () => make<Schema<boolean, false>>({ type: 'boolean' }),
  /** One of these strings. */
  oneOf: <const V extends readonly string[]>(...values: V) =>
    make<StringSchema<V[number]>>({ type: 'string', enum: values }),
  /** A list that server-side apply replaces as a whole. */
  array: <T, Read>(item: Schema<T, false, Read>) => list(item, {}),
  /** As {@link s.array}, with `x-kubernetes-list-type: atomic` in the schema. */
  atomicArray: <T, Read>(item: Schema<T, false, Read>) => list(item, { 'x-kubernetes-list-type': 'atomic' }),
  /** A list without duplicates, whose order does not count. */
  setOf: <T, Read>(item: Schema<T, false, Read>) => list(item, { 'x-kubernetes-list-type': 'set' }),
  /** A list of objects, each known by the values of `keys`. */
  mapBy: <T, Read>(keys: readonly (keyof T & string)[], item: Schema<T, false, Read>) =>
    list(item, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }),
  /** A map with free keys. */
  record: <T, Read>(value: Schema<T, false, Read>) =>
    make<RecordSchema<Readonly<Record<string, T>>, Readonly<Record<string, Read>>>>({
      type: 'object',
      additionalProperties: value.json,
    }),
  intOrString: () => make<Schema<number | string, false>>({ 'x-kubernetes-int-or-string': true }),
  /** RFC 3339 text. */
  dateTime: () => make<StringSchema>({ type: 'string', format: 'date-time' }),
  /** A day, as `2026-11-21`, that the calendar has. */
  date: () => make<StringSchema>({ type: 'string', format: 'date' }),
  /** Bytes as base64 text. */
  base64: () => make<StringSchema>({ type: 'string', format: 'byte' }),
  /** An object of which nothing more is known; kept as it is. */
  anyObject: () =>
    make<Schema<Readonly<Record<string, unknown>>, false>>({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    }),
  /**
   * An object without known fields; its content is pruned (as metadata embedded in Antrea's kinds
   * is).
   */
  opaqueObject: () => make<Schema<Readonly<Record<string, unknown>>, false>>({ type: 'object' }),
  /** metav1.Condition[], a map by type. */
  conditions: (): ListSchema<readonly StandardCondition[]> =>
    list<StandardCondition, StandardCondition>(conditionSchema, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
};
