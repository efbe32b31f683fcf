import type { Json } from '@isthmus/schema';

// Optional members added for decoding: `goType` of every node, `inline` of a field, `forms` of an
// any node. Nothing else depends on them.

/**
 * The type of a value in an API, as far as decoding, patching and field ownership need it: of a
 * field of a built-in kind (from its Go struct and its OpenAPI definition), or of a custom resource
 * (from its structural schema). A graph: types refer to themselves if the API does.
 */
export type TypeNode = ScalarNode | ListNode | MapNode | StructNode | AnyNode;

/** A value without parts. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly scalar: ScalarType;
  /** Go's name of the type in decoding errors, if it is not that of the scalar: `v1.Protocol`. */
  readonly goType?: string | undefined;
  /**
   * The texts that the API accepts, in the order of the OpenAPI definition; absent if it accepts
   * any.
   */
  readonly supported?: readonly string[] | undefined;
}

/**
 * `quantity`, `time` (seconds), `microTime`, `duration`: strings with a form of their own, which Go
 * writes back canonically. `bytes`: base64.
 */
export type ScalarType =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'duration';

export interface ListNode {
  readonly kind: 'list';
  readonly items: TypeNode;
  /**
   * The unit of ownership (server-side apply): the whole list, each value, or each item by its
   * keys.
   */
  readonly listType: 'atomic' | 'set' | 'map';
  /** The keys of an item in a list of type `map`, with the defaults of those that may be absent. */
  readonly keys: readonly MapKey[];
  /** The rule of a strategic merge patch; absent if it replaces the whole list. */
  readonly patch?: ListPatch | undefined;
  /** How Go calls the type in decoding errors: `[]v1.ServicePort`. */
  readonly goType?: string | undefined;
}

export interface MapKey {
  readonly name: string;
  readonly default?: Json | undefined;
}

export interface ListPatch {
  /** The field that identifies items; absent for lists of scalars, which are sets. */
  readonly mergeKey?: string | undefined;
}

/** Keys are data: labels, `data` of a ConfigMap. */
export interface MapNode {
  readonly kind: 'map';
  readonly values: TypeNode;
  /** Owned as a whole. */
  readonly atomic: boolean;
  /** How Go calls the type in decoding errors: `map[string]string`, `v1.ResourceList`. */
  readonly goType?: string | undefined;
}

/** Keys are names of fields. */
export interface StructNode {
  readonly kind: 'struct';
  /**
   * The name of the Go type without its package, for decoding errors: `ServicePort`. Empty for
   * custom resources.
   */
  readonly goName: string;
  /** The name with its package: `v1.ServicePort`. */
  readonly goType?: string | undefined;
  readonly fields: Readonly<Record<string, FieldNode>>;
  /** Owned as a whole. */
  readonly atomic: boolean;
  /**
   * Fields that it does not name are kept, and are of this type
   * (`x-kubernetes-preserve-unknown-fields`).
   */
  readonly unknownFields?: TypeNode | undefined;
  /**
   * A strategic merge patch drops fields that the patch's `$retainKeys` does not list (Deployment's
   * `strategy`, a volume's source).
   */
  readonly retainKeys?: boolean | undefined;
}

export interface FieldNode {
  readonly type: TypeNode;
  /** A pointer in Go: the zero value differs from absence. */
  readonly pointer: boolean;
  /**
   * When the server leaves the field out of an answer: if it is empty (`omitempty`), if it is the
   * zero value (`omitzero`), or never.
   */
  readonly omit: 'empty' | 'zero' | 'never';
  /**
   * The `default` of the OpenAPI definition. Empty objects and empty strings that only mean "not a
   * pointer" are left out.
   */
  readonly default?: Json | undefined;
  /**
   * The Go names of the embedded structs around the field; they are part of the path in decoding
   * errors.
   */
  readonly inline?: readonly string[] | undefined;
  /** Whether the OpenAPI definition lists it under `required`. */
  readonly required?: boolean | undefined;
}

/** Any value: `RawExtension`, JSON, values under `x-kubernetes-preserve-unknown-fields`. */
export interface AnyNode {
  readonly kind: 'any';
  /**
   * Whether the value is owned as a whole. If not, server-side apply guesses the type from the
   * value (untyped).
   */
  readonly atomic: boolean;
  /**
   * The Go types of an object or a list in it, if Go knows them (`JSONSchemaPropsOrArray`). If
   * absent, the value is kept unchanged.
   */
  readonly forms?: AnyForms | undefined;
  readonly goType?: string | undefined;
}

export interface AnyForms {
  readonly object?: TypeNode | undefined;
  readonly list?: TypeNode | undefined;
  /** Whether a boolean is the only other form; if not, other values are dropped. */
  readonly boolean?: boolean | undefined;
}
