import { objectMetaType } from '../../typed/object-meta-type.ts';
import type { FieldNode, StructNode, TypeNode } from '../../typed/type-node.ts';

/** The type of a ConfigMap: a kind of the API server itself. */
export const configMapType: StructNode = {
  kind: 'struct',
  goName: 'ConfigMap',
  atomic: false,
  fields: {
    apiVersion: field({ kind: 'scalar', scalar: 'string' }),
    kind: field({ kind: 'scalar', scalar: 'string' }),
    metadata: field(objectMetaType),
    immutable: field({ kind: 'scalar', scalar: 'boolean' }),
    data: field({ kind: 'map', values: { kind: 'scalar', scalar: 'string' }, atomic: false }),
    binaryData: field({ kind: 'map', values: { kind: 'scalar', scalar: 'bytes' }, atomic: false }),
  },
};

function field(type: TypeNode): FieldNode {
  return { type, pointer: false, omit: 'empty' };
}
