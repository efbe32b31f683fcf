import type { ResourceType } from '@isthmus/machinery';
import type { StructNode } from '../typed/type-node.ts';
import type { DecodeResult } from '../typed/decode.ts';
import type { ParsedJson } from '../typed/parsed-json.ts';
import type { CompiledVersions } from '../definition/compile-version.ts';
import type { Definition, ScalePaths } from '../definition/definition.ts';
import type { Stored } from '../store/stored.ts';
import type { ResourceVerb } from '../request/verbs.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { TableColumns } from './table-columns.ts';

/** A resource in one version, as the server serves it. */
export interface ServedResource extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The verbs in the order of discovery. */
  readonly verbs: readonly ResourceVerb[];
  /**
   * Its objects are not stored: a created object is a question that an action answers (reviews,
   * bindings).
   */
  readonly virtual?: true | undefined;
  /** `group/plural`; versions of one resource share it. */
  readonly storageKey: string;
  /** The apiVersion that objects are stored in. */
  readonly storageVersion: string;
  /** Reads an object of a request or a patch: the kept fields, and the strict errors. */
  readonly decode: (json: ParsedJson) => DecodeResult;
  /** The shape of its objects: for decoding, patches and field ownership. */
  readonly type: StructNode;
  readonly strategy: Strategy;
  readonly columns: TableColumns;
  readonly subresources: readonly Subresource[];
  /**
   * The fields for selectors besides `metadata.name` and `metadata.namespace`, and the object's
   * value of each.
   */
  readonly selectable: Readonly<Record<string, (object: Stored) => string>>;
  /** The text of the `Warning` header for a deprecated version. */
  readonly deprecation?: string | undefined;
  /**
   * Objects of built-in kinds are decoded into Go structs; custom ones are kept by their schema.
   */
  readonly origin: 'built-in' | 'custom';
  /**
   * Converts objects of a built-in kind to their stored version; absent if they are stored
   * unchanged.
   */
  readonly converts?: VersionConversion | undefined;
  /** The definition of a custom kind. */
  readonly definition?: Definition | undefined;
  /**
   * The versions of a custom kind, compiled, also those that are not served: objects are stored in
   * them.
   */
  readonly schemas?: CompiledVersions | undefined;
}

/**
 * Converts between a version of a built-in kind and its stored version. Pure; each function undoes
 * the other.
 */
export interface VersionConversion {
  toServed(stored: Stored): Stored;
  toStored(object: Stored): Stored;
}

/** A part of an object, or an action on it, with a path of its own below the object's. */
export interface Subresource {
  readonly name: string;
  /**
   * `status` and `scale` are served for every resource that has them; `action` by a handler of its
   * own (`token`, `binding`).
   */
  readonly kind: 'status' | 'scale' | 'action';
  /** The paths of the numbers of a `scale`. Default: `.spec.replicas` and `.status.replicas`. */
  readonly scale?: ScalePaths | undefined;
  /** The kind of its requests and answers, if it is not the resource's own kind. */
  readonly response?: { readonly group: string; readonly version: string; readonly kind: string } | undefined;
  readonly verbs: readonly ResourceVerb[];
}
