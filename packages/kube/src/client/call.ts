import { keyOf } from '@isthmus/machinery';
import type { ObjectRef } from '@isthmus/machinery';
import { printable } from './printable.ts';

/** The subject of a call, for the messages of its errors and for metrics. */
export interface Call {
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, or the HTTP method of a raw
   * request.
   */
  readonly verb: string;
  /** `plural.group`, with `/subresource` where one is meant; the path of a raw request. */
  readonly resource: string;
  /** The Namespace and the name, as far as the call named them. */
  readonly ref?: Partial<ObjectRef> | undefined;
}

/** `get services shop/cart`, `list services in Namespace shop`, `get /version`. */
export function describeCall(call: Call): string {
  const { namespace, name } = call.ref ?? {};
  const what = `${call.verb} ${call.resource}`;
  if (name) return `${what} ${printable(keyOf({ namespace, name }), maxKey)}`;
  return namespace ? `${what} in Namespace ${printable(namespace, maxKey)}` : what;
}

/** A Namespace (63), a slash, a name (253). */
const maxKey = 317;
