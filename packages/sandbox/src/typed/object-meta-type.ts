import type { ObjectMetaField } from '@isthmus/machinery';
import type { FieldNode, ListNode, ScalarType, StructNode, TypeNode } from './type-node.ts';

/** `metadata` of every object: whose fields are owned one by one, and whose as a whole. */
export const objectMetaType: StructNode = {
  kind: 'struct',
  goName: 'ObjectMeta',
  atomic: false,
  fields: {
    name: field(scalar('string')),
    generateName: field(scalar('string')),
    namespace: field(scalar('string')),
    selfLink: field(scalar('string')),
    uid: field(scalar('string')),
    resourceVersion: field(scalar('string')),
    generation: field(scalar('int64')),
    creationTimestamp: field(scalar('time')),
    deletionTimestamp: field(scalar('time'), { pointer: true }),
    deletionGracePeriodSeconds: field(scalar('int64'), { pointer: true }),
    labels: field(mapOfStrings()),
    annotations: field(mapOfStrings()),
    ownerReferences: field(ownerReferences()),
    finalizers: field({ kind: 'list', items: scalar('string'), listType: 'set', keys: [], patch: {} }),
    managedFields: field({ kind: 'list', items: managedFieldsEntry(), listType: 'atomic', keys: [] }),
  } satisfies Readonly<Record<ObjectMetaField, FieldNode>>,
};

function ownerReferences(): ListNode {
  const reference: StructNode = {
    kind: 'struct',
    goName: 'OwnerReference',
    atomic: true,
    fields: {
      apiVersion: field(scalar('string'), { omit: 'never' }),
      kind: field(scalar('string'), { omit: 'never' }),
      name: field(scalar('string'), { omit: 'never' }),
      uid: field(scalar('string'), { omit: 'never' }),
      controller: field(scalar('boolean'), { pointer: true }),
      blockOwnerDeletion: field(scalar('boolean'), { pointer: true }),
    },
  };
  return {
    kind: 'list',
    items: reference,
    listType: 'map',
    keys: [{ name: 'uid', default: '' }],
    patch: { mergeKey: 'uid' },
  };
}

function managedFieldsEntry(): StructNode {
  return {
    kind: 'struct',
    goName: 'ManagedFieldsEntry',
    atomic: false,
    fields: {
      manager: field(scalar('string')),
      operation: field(scalar('string')),
      apiVersion: field(scalar('string')),
      time: field(scalar('time'), { pointer: true }),
      fieldsType: field(scalar('string')),
      fieldsV1: field({ kind: 'any', atomic: false }, { pointer: true }),
      subresource: field(scalar('string')),
    },
  };
}

function mapOfStrings(): TypeNode {
  return { kind: 'map', values: scalar('string'), atomic: false };
}

function scalar(type: ScalarType): TypeNode {
  return { kind: 'scalar', scalar: type };
}

function field(type: TypeNode, more: Partial<Omit<FieldNode, 'type'>> = {}): FieldNode {
  return { type, pointer: false, omit: 'empty', ...more };
}
