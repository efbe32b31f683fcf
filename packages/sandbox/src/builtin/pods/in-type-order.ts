import type { StructNode } from '../../typed/type-node.ts';
import type { Stored } from '../../store/stored.ts';
import { encodeStruct } from '../../typed/encode.ts';

/**
 * An object with the fields of its parts in the order of their type, as the real server writes
 * them: defaults and admission add at the end.
 */
function inTypeOrder(type: StructNode, object: Stored): Stored {
  const part = (name: 'spec' | 'status') => {
    const field = type.fields[name]?.type;
    const value = object[name];
    return field?.kind !== 'struct' || value === undefined ? {} : { [name]: encodeStruct(field, withoutNulls(value)) };
  };
  return { ...object, ...part('spec'), ...part('status') };
}

/** A null pointer is written as one again. */
function withoutNulls(value: unknown): object {
  return Object.fromEntries(Object.entries(value as object).filter(([, part]) => part !== null));
}

/** A `prepare…` rule whose result is in the order of its type. */
export function orderedBy<A extends readonly unknown[]>(
  type: () => StructNode,
  prepare: (object: Stored, ...rest: A) => Stored,
): (object: Stored, ...rest: A) => Stored {
  return (object, ...rest) => inTypeOrder(type(), prepare(object, ...rest));
}
