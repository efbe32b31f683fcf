import { describe, expect, it } from 'vitest';
import { removeFinalizer } from './finalizers.ts';
import { controllerOf, controllerReferenceTo } from './owner-references.ts';

describe('finalizers', () => {
  const object = { metadata: { name: 'a', finalizers: ['x/1', 'x/2'] } };

  it('are removed wherever they are, and the others keep their order', () => {
    expect(removeFinalizer(object, 'x/1').metadata.finalizers).toEqual(['x/2']);
    expect(removeFinalizer(object, 'x/9')).toBe(object);
  });

  it('leave the argument as it was', () => {
    removeFinalizer(object, 'x/1');
    expect(object.metadata.finalizers).toEqual(['x/1', 'x/2']);
  });
});

describe('owner references', () => {
  const owner = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'cart', uid: 'u1' } };
  const reference = controllerReferenceTo(owner);
  const owned = { metadata: { name: 'slice', ownerReferences: reference === undefined ? [] : [reference] } };

  it('name their owner by uid', () => {
    expect(reference).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      name: 'cart',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(controllerOf(owned)).toBe(reference);
  });

  it('are not made where the owner has no uid yet', () => {
    expect(controllerReferenceTo({ metadata: { name: 'cart', uid: 'u1' } })).toBeUndefined();
  });
});
